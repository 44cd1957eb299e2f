import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { plistText } from '../../src/service/launchdPlist.ts';
import type { Machine, Ran } from '../../src/service/manager.ts';
import { runValue } from '../../src/service/runKeyValue.ts';
import { packagedUnitText, unitText } from '../../src/service/systemdUnit.ts';
import { type CliOptions, type CliResult, relay, temporaryHome } from '../support/cli.ts';
import { IDLE_DOOR } from '../support/idleDoor.ts';

const DONE: Ran = { ok: true, out: '', err: '' };
const NO_BUS = 'Failed to connect to bus: No medium found';

/** A person's computer: files in a temporary directory, and a service manager that records its calls. */
interface Desk {
  /** The person's home directory. It contains the program, `relay`, and relay's own home, `state`. */
  dir: string;
  program: string;
  state: string;
  asked: string[];
  /** What systemd would report, and the commands that it refuses. */
  systemd: { booted: boolean; reachable: boolean; enabled: boolean; active: string; refuses: string[] };
  service(args?: string[], options?: CliOptions): Promise<CliResult>;
  /** Writes `server.json` as a running server does, by default with the pid of this test. */
  serverRuns(pid?: number): void;
}

/** The pid that the manager reports for a running service. */
const PID = process.pid;

function desk(context: TestContext, answer = systemctl): Desk {
  const dir = temporaryHome(context);
  const program = join(dir, 'relay');
  const state = join(dir, 'state');
  mkdirSync(state);
  writeFileSync(program, '');
  const own: Desk = {
    dir,
    program,
    state,
    asked: [],
    systemd: { booted: true, reachable: true, enabled: false, active: 'inactive', refuses: [] },
    service: (args = [], options = {}) => {
      const machine: Machine = {
        program: [program],
        homeDir: dir,
        uid: 501,
        run: async (command, words) => {
          const line = [command, ...words].join(' ');
          own.asked.push(line);
          return answer(own, line);
        },
      };
      const env = { RELAY_HOME: state, ...options.env };
      return relay(['service', ...args], { clock: hurried(), machine, ...options, env });
    },
    serverRuns: (pid = process.pid) => {
      const content = {
        pid,
        startedAt: '2026-11-20T12:00:00.000Z',
        version: '1.2.3',
        baseUrl: 'http://127.0.0.1:4980',
        ...IDLE_DOOR,
      };
      writeFileSync(join(state, 'server.json'), JSON.stringify(content));
    },
  };
  return own;
}

function hurried() {
  let now = 0;
  return {
    ...systemClock,
    now: () => now,
    monotonic: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
}

/** A systemd that starts the server at once. */
function systemctl(own: Desk, line: string): Ran {
  const { systemd } = own;
  if (line === 'test -d /run/systemd/system') return { ...DONE, ok: systemd.booted };
  if (!systemd.reachable) return { ok: false, out: '', err: NO_BUS };
  const verb = line.split(' ')[2] ?? '';
  if (systemd.refuses.includes(verb)) return { ok: false, out: '', err: `Failed to ${verb} unit.` };
  if (verb === 'enable') systemd.enabled = true;
  if (verb === 'restart') {
    systemd.active = 'active';
    own.serverRuns();
  }
  if (verb === 'disable') Object.assign(systemd, { enabled: false, active: 'inactive' });
  if (verb === 'disable') rmSync(join(own.state, 'server.json'), { force: true });
  if (verb !== 'show') return DONE;
  const pid = systemd.active === 'active' ? PID : 0;
  const enabled = systemd.enabled ? 'enabled' : 'disabled';
  return {
    ...DONE,
    out: `MainPID=${pid}\nActiveState=${systemd.active}\nSubState=x\nUnitFileState=${enabled}\n`,
  };
}

const SHOW = 'systemctl --user show relay.service --property=UnitFileState,ActiveState,SubState,MainPID';
const without = (asked: string[], line: string) => asked.filter((one) => one !== line);
const unitOf = ({ dir }: Desk) => join(dir, '.config', 'systemd', 'user', 'relay.service');
const linkOf = ({ dir }: Desk) =>
  join(dir, '.config', 'systemd', 'user', 'default.target.wants', 'relay.service');

test('install writes the unit, enables it, starts it and says where the server is', async (context) => {
  const own = desk(context);
  const unit = unitOf(own);
  assert.deepEqual(await own.service(['install']), {
    code: 0,
    out: `Installed ${unit}\nRunning: http://127.0.0.1:4980/mcp\n`,
    err: '',
  });
  assert.equal(readFileSync(unit, 'utf8'), unitText([own.program, '--home', own.state, 'serve']));
  assert.equal(lstatSync(unit).mode & 0o777, 0o644);
  assert.deepEqual(without(own.asked, SHOW), [
    'systemctl --user daemon-reload',
    'systemctl --user enable relay.service',
    'systemctl --user reset-failed relay.service',
    'systemctl --user restart relay.service',
  ]);
  assert.deepEqual(readdirSync(dirname(unit)), ['relay.service']);
});

test('a second install changes nothing, does not restart the service, and says so', async (context) => {
  const own = desk(context);
  await own.service(['install']);
  own.asked.length = 0;
  assert.deepEqual(await own.service(['install']), {
    code: 0,
    out: `Already installed: ${unitOf(own)}\nRunning: http://127.0.0.1:4980/mcp\n`,
    err: '',
  });
  assert.equal(own.asked.includes('systemctl --user restart relay.service'), false);
});

test('install starts a service that was stopped, and enables a service that was disabled', async (context) => {
  const own = desk(context);
  await own.service(['install']);
  Object.assign(own.systemd, { enabled: false, active: 'inactive' });
  rmSync(join(own.state, 'server.json'));
  const { code, out } = await own.service(['install', '--json']);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(out), {
    installed: true,
    changed: true,
    enabled: true,
    running: true,
    started: 'now',
    file: unitOf(own),
    command: `${own.program} --home ${own.state} serve`,
    url: 'http://127.0.0.1:4980/mcp',
    other: null,
    silent: null,
    left: [],
  });
});

test('a program that moved is noticed, and install repairs the service and restarts it', async (context) => {
  const own = desk(context);
  await own.service(['install']);
  writeFileSync(unitOf(own), unitText(['/old/relay', '--home', own.state, 'serve']));
  const wanted = `${own.program} --home ${own.state} serve`;
  assert.deepEqual(await own.service(), {
    code: 1,
    out: [
      'service  installed, starts at login',
      `running  yes, pid ${PID}, http://127.0.0.1:4980`,
      `file     ${unitOf(own)}`,
      `command  /old/relay --home ${own.state} serve`,
      `It should run: ${wanted}`,
      '  Run: relay service install',
      '',
    ].join('\n'),
    err: '',
  });
  own.asked.length = 0;
  assert.equal((await own.service(['install'])).code, 0);
  assert.ok(own.asked.includes('systemctl --user restart relay.service'));
  assert.equal((await own.service(['status'])).code, 0);
});

test('the service of another home is neither replaced nor removed', async (context) => {
  const own = desk(context);
  for (const [home, words, removal] of [
    ['/other', ['--home', '/other'], 'relay --home /other service uninstall'],
    ['the default one', [], 'relay service uninstall'],
  ] as const) {
    const text = unitText([own.program, ...words, 'serve']);
    mkdirSync(dirname(unitOf(own)), { recursive: true });
    writeFileSync(unitOf(own), text);
    for (const verb of ['install', 'uninstall']) {
      own.asked.length = 0;
      assert.deepEqual(await own.service([verb]), {
        code: 1,
        out: '',
        err: `relay: ${unitOf(own)} starts relay for another home: ${home}.\n  Nothing was changed. There can be only one service. To remove it: ${removal}\n`,
      });
      assert.deepEqual([readFileSync(unitOf(own), 'utf8'), without(own.asked, SHOW)], [text, []]);
    }
    const { code, out } = await own.service();
    assert.equal(code, 1);
    assert.deepEqual(out.split('\n').slice(4), [
      `It starts relay for another home, and there can be only one service: ${home}`,
      `  To remove it: ${removal}`,
      '',
    ]);
  }
});

test('if systemd does not answer, relay makes the link itself, and the service starts at the next login', async (context) => {
  const own = desk(context);
  own.systemd.reachable = false;
  assert.deepEqual(await own.service(['install']), {
    code: 0,
    out: `Installed ${unitOf(own)}\nIt starts at the next login.\n`,
    err: `The service manager does not answer here: ${NO_BUS}\nUntil then, start it with: relay serve\n`,
  });
  assert.equal(readlinkSync(linkOf(own)), unitOf(own));
  const again = await own.service(['install']);
  assert.match(again.out, /^Already installed: /);
  const status = JSON.parse((await own.service(['status', '--json'])).out);
  assert.deepEqual(status, {
    installed: true,
    file: unitOf(own),
    command: `${own.program} --home ${own.state} serve`,
    current: true,
    enabled: true,
    running: null,
    failed: false,
    pid: null,
    expectedCommand: `${own.program} --home ${own.state} serve`,
    silent: NO_BUS,
    server: null,
    problems: [],
  });
  assert.deepEqual(await own.service(['uninstall']), { code: 0, out: `Removed ${unitOf(own)}\n`, err: '' });
  assert.deepEqual([existsSync(unitOf(own)), existsSync(linkOf(own))], [false, false]);
});

test('without systemd, nothing is installed', async (context) => {
  const own = desk(context);
  Object.assign(own.systemd, { reachable: false, booted: false });
  assert.deepEqual(await own.service(['install']), {
    code: 1,
    out: '',
    err: `relay: There is no systemd here to start relay at login: ${NO_BUS}
  Nothing was installed. Start it with \`relay serve\`, or add it to whatever starts your other programs.
`,
  });
  assert.equal(existsSync(unitOf(own)), false);
});

test('install does not start the service while a server runs in the foreground', async (context) => {
  const own = desk(context);
  own.serverRuns();
  const { code, out, err } = await own.service(['install']);
  assert.deepEqual([code, out], [0, `Installed ${unitOf(own)}\nIt starts at the next login.\n`]);
  assert.equal(
    err,
    `A server is already running for this home (pid ${process.pid}), and there can be only one.\nTo let the service take over now, stop that server and run this again.\n`,
  );
  assert.deepEqual(without(own.asked, SHOW), [
    'systemctl --user daemon-reload',
    'systemctl --user enable relay.service',
  ]);
  const status = await own.service(['status']);
  assert.equal(status.code, 0);
  assert.match(
    status.out,
    /^running {2}no; another server is running: pid \d+, http:\/\/127\.0\.0\.1:4980$/m,
  );
});

test('a server that ends at once is reported, with the command that shows why', async (context) => {
  const own = desk(context, (at, line) => {
    const ran = systemctl(at, line);
    if (line.includes(' restart ')) {
      at.systemd.active = 'failed';
      rmSync(join(at.state, 'server.json'));
    }
    return ran;
  });
  assert.deepEqual(await own.service(['install']), {
    code: 1,
    out: '',
    err: 'relay: The service is installed, but the server that it started has stopped.\n  To see why: journalctl --user -u relay -n 20\n',
  });
  const status = await own.service(['status']);
  assert.equal(status.code, 1);
  assert.match(
    status.out,
    /\nIts server stopped unexpectedly\.\n {2}To see why: journalctl --user -u relay -n 20\n$/,
  );
});

test('a server that starts slowly is no error', async (context) => {
  const own = desk(context, (at, line) => {
    const ran = systemctl(at, line);
    rmSync(join(at.state, 'server.json'), { force: true });
    return ran;
  });
  assert.deepEqual(await own.service(['install']), {
    code: 0,
    out: `Installed ${unitOf(own)}\nIt is starting.\n`,
    err: '',
  });
});

test('an error of systemd is reported in systemd’s own words', async (context) => {
  const own = desk(context);
  own.systemd.refuses = ['enable'];
  assert.deepEqual(await own.service(['install']), {
    code: 1,
    out: '',
    err: 'relay: systemd did not enable the service: Failed to enable unit.\n  To see why: journalctl --user -u relay -n 20\n',
  });
});

test('settings from the environment are listed with the commands that keep them, but without values', async (context) => {
  const own = desk(context);
  const env = {
    RELAY_PORT: '5123',
    PROVIDER_CLIENT_ID: '0123456789abcdef0123456789abcdef',
    PROVIDER_CLIENT_SECRET: 'hunter2hunter2hunter2hunter2hunt',
    MCP_API_KEY: 'a-key-of-more-than-32-characters-indeed',
  };
  const { code, out, err } = await own.service(['install'], { env });
  assert.equal(code, 0);
  assert.equal(
    err,
    [
      'The service does not get these settings from your environment. To keep them:',
      '  RELAY_PORT              relay config set port VALUE',
      '  PROVIDER_CLIENT_ID      relay config set providerClientId VALUE',
      '  PROVIDER_CLIENT_SECRET  relay config set providerClientSecret',
      '  MCP_API_KEY             set it in `systemctl --user edit relay`',
      '',
    ].join('\n'),
  );
  const written = readFileSync(unitOf(own), 'utf8');
  for (const value of Object.values(env))
    assert.equal(`${out}${err}${written}`.includes(value), false, value);
  writeFileSync(join(own.state, 'config.json'), '{"port": 5123}');
  assert.doesNotMatch((await own.service(['install'], { env })).err, /RELAY_PORT/);
});

test('settings that would keep the service from starting are reported before anything is written', async (context) => {
  const own = desk(context);
  writeFileSync(join(own.state, 'config.json'), '{"port": "x"}');
  const { code, err } = await own.service(['install'], { env: { RELAY_PORT: '5123' } });
  assert.equal(code, 2);
  assert.match(err, /"port" in .*config\.json must be a whole number/);
  assert.equal(existsSync(unitOf(own)), false);
  assert.equal((await own.service(['status'])).code, 1);
});

test('a file that another program wrote is never touched', async (context) => {
  const own = desk(context);
  mkdirSync(dirname(unitOf(own)), { recursive: true });
  for (const content of ['[Unit]\nDescription=mine\n', '', '# \uFEFF\r\n']) {
    writeFileSync(unitOf(own), content);
    for (const verb of ['install', 'uninstall']) {
      assert.deepEqual(await own.service([verb]), {
        code: 1,
        out: '',
        err: `relay: ${unitOf(own)} was not written by relay.\n  Nothing was changed. If you do not need it, rename or remove it, then run this again.\n`,
      });
    }
    assert.equal(readFileSync(unitOf(own), 'utf8'), content);
    assert.equal((await own.service()).code, 1);
  }
  // As `systemctl --user mask` does.
  rmSync(unitOf(own));
  symlinkSync('/dev/null', unitOf(own));
  assert.equal((await own.service(['install'])).code, 1);
  assert.equal(readlinkSync(unitOf(own)), '/dev/null');
  rmSync(unitOf(own));
  symlinkSync('/mnt/away/relay.service', unitOf(own));
  assert.equal((await own.service(['install'])).code, 1);
  assert.equal(readlinkSync(unitOf(own)), '/mnt/away/relay.service');
  assert.deepEqual(without(own.asked, SHOW), []);
});

test('uninstall stops, disables and removes the service; a second uninstall says that there is none', async (context) => {
  const own = desk(context);
  await own.service(['install']);
  own.asked.length = 0;
  assert.deepEqual(await own.service(['uninstall']), { code: 0, out: `Removed ${unitOf(own)}\n`, err: '' });
  assert.deepEqual(without(own.asked, SHOW), [
    'systemctl --user disable --now relay.service',
    'systemctl --user daemon-reload',
  ]);
  assert.equal(existsSync(unitOf(own)), false);
  assert.deepEqual(await own.service(['uninstall']), {
    code: 0,
    out: 'The service was not installed.\n',
    err: '',
  });
  const again = await own.service(['uninstall', '--json']);
  assert.deepEqual(JSON.parse(again.out), {
    installed: false,
    removed: false,
    file: unitOf(own),
    server: null,
  });
});

/** The package's unit, enabled and started with systemctl, as the README says. Returns its path. */
function enablePackaged(own: Desk, program = own.program): string {
  const packaged = join(own.dir, 'packaged.service');
  writeFileSync(packaged, packagedUnitText([program, 'serve']));
  mkdirSync(dirname(linkOf(own)), { recursive: true });
  symlinkSync(packaged, linkOf(own));
  Object.assign(own.systemd, { enabled: true, active: 'active' });
  return packaged;
}

/** The unit of a package serves the default home. */
const DEFAULT_HOME = { env: { RELAY_HOME: '' } };

test('a service that a package brought is shown once it is enabled, and install and uninstall leave its file', async (context) => {
  const own = desk(context);
  const packaged = enablePackaged(own);
  const rows = `service  installed, starts at login
running  yes, pid ${PID}, not ready yet
file     ${packaged}
command  ${own.program} serve
`;
  assert.deepEqual(await own.service([], DEFAULT_HOME), { code: 0, out: rows, err: '' });
  const { out } = await own.service(['install'], DEFAULT_HOME);
  assert.match(out, new RegExp(`^Already installed: ${packaged}\n`));
  assert.equal(existsSync(unitOf(own)), false);
  assert.deepEqual(await own.service(['uninstall'], DEFAULT_HOME), {
    code: 0,
    out: `Stopped and disabled ${packaged}\n`,
    err: '',
  });
  assert.deepEqual([existsSync(packaged), own.systemd.enabled], [true, false]);
  assert.match((await own.service([], DEFAULT_HOME)).out, /^The service is not installed\.\n/);
});

test('install replaces the service of a package only if that starts another program for the same home', async (context) => {
  const own = desk(context);
  const packaged = enablePackaged(own, '/usr/bin/relay');
  const other = await own.service(['install']);
  assert.match(other.err, /starts relay for another home: the default one\./);
  assert.equal(readlinkSync(linkOf(own)), packaged);
  assert.match((await own.service(['install'], DEFAULT_HOME)).out, /^Installed /);
  assert.equal(readFileSync(unitOf(own), 'utf8'), unitText([own.program, 'serve']));
  assert.equal(readlinkSync(linkOf(own)), unitOf(own));
});

test('if nothing is installed, service says so and names the command', async (context) => {
  const own = desk(context);
  const nothing = { code: 1, out: 'The service is not installed.\n  Run: relay service install\n', err: '' };
  assert.deepEqual(await own.service(), nothing);
  assert.deepEqual(await own.service(['status']), nothing);
});

test('a file where a directory should be is reported, and nothing is left behind', async (context) => {
  const own = desk(context);
  writeFileSync(join(own.dir, '.config'), 'mine');
  const { code, err } = await own.service(['install']);
  assert.equal(code, 1);
  assert.match(
    err,
    /relay\.service cannot be changed: .*\n {2}Check the owner of the file and its directory, then run this again\.\n$/,
  );
  assert.equal(readFileSync(join(own.dir, '.config'), 'utf8'), 'mine');
});

test('install refuses a missing program, sudo, and an unknown system before it writes anything', async (context) => {
  const own = desk(context);
  const sudo = await relay(['service', 'install'], {
    env: { RELAY_HOME: own.state, SUDO_USER: 'ann' },
    machine: { program: [own.program], homeDir: own.dir, uid: 0, run: async () => DONE },
  });
  assert.deepEqual(sudo, {
    code: 1,
    out: '',
    err: 'relay: A service that runs as root cannot reach your keychain.\n  Run this again without sudo.\n',
  });
  const unknown = await own.service(['install'], { platform: 'freebsd' });
  assert.deepEqual(unknown, {
    code: 1,
    out: '',
    err: 'relay: relay cannot start at login on freebsd.\n  Run `relay serve` from your own startup files.\n',
  });
  rmSync(own.program);
  assert.match(
    (await own.service(['install'])).err,
    /^relay: .*\/relay does not exist, so it could not be started at login\./,
  );
  assert.equal(existsSync(join(own.dir, '.config')), false);
});

test('the command of the service names a home that comes from RELAY_HOME or --home, but not the default home', async (context) => {
  const own = desk(context);
  const command = async (env: Record<string, string>, args: string[] = []) =>
    JSON.parse((await own.service(['status', '--json', ...args], { env })).out).expectedCommand;
  assert.equal(await command({ RELAY_HOME: '' }), `${own.program} serve`);
  assert.equal(await command({ RELAY_HOME: '/a b' }), `${own.program} --home "/a b" serve`);
  assert.equal(await command({ RELAY_HOME: '/a b' }, ['--home', '/c']), `${own.program} --home /c serve`);
  assert.equal(
    await command({ RELAY_HOME: '' }, ['--home', 'here']),
    `${own.program} --home ${process.cwd()}/here serve`,
  );
});

test('with --home, the commands shown contain it', async (context) => {
  const own = desk(context);
  own.systemd.reachable = false;
  const named = ['--home', own.state];
  assert.equal(
    (await own.service(named)).out,
    `The service is not installed.\n  Run: relay --home ${own.state} service install\n`,
  );
  const { err } = await own.service(['install', ...named], { env: { RELAY_PORT: '4999' } });
  assert.equal(
    err,
    `The service manager does not answer here: ${NO_BUS}
Until then, start it with: relay --home ${own.state} serve
The service does not get these settings from your environment. To keep them:
  RELAY_PORT  relay --home ${own.state} config set port VALUE
`,
  );
});

test('on macOS install uses launchd, and waits until launchd has ended the old agent', async (context) => {
  let loaded = true;
  let bootstraps = 0;
  const own = desk(context, (at, line) => {
    if (line.includes('print-disabled')) return { ...DONE, out: '{\n}\n' };
    if (line.includes(' print ')) return { ok: loaded, out: loaded ? `\tpid = ${PID}\n` : '', err: '' };
    if (line.includes('bootout')) loaded = false;
    if (!line.includes('bootstrap')) return DONE;
    bootstraps += 1;
    if (bootstraps < 3) return { ok: false, out: '', err: 'Bootstrap failed: 5: Input/output error' };
    loaded = true;
    at.serverRuns();
    return DONE;
  });
  const plist = join(own.dir, 'Library', 'LaunchAgents', 'relay.server.plist');
  const log = join(own.dir, 'Library', 'Logs', 'relay.log');
  const { code, out, err } = await own.service(['install'], { platform: 'darwin' });
  assert.deepEqual([code, out, err], [0, `Installed ${plist}\nRunning: http://127.0.0.1:4980/mcp\n`, '']);
  assert.equal(readFileSync(plist, 'utf8'), plistText([own.program, '--home', own.state, 'serve'], log));
  assert.deepEqual(
    own.asked.filter((line) => !line.includes('print')),
    [
      'launchctl enable gui/501/relay.server',
      'launchctl bootout gui/501/relay.server',
      ...Array(3).fill(`launchctl bootstrap gui/501 ${plist}`),
    ],
  );
  own.asked.length = 0;
  const again = await own.service(['install'], { platform: 'darwin' });
  assert.equal(again.out, `Already installed: ${plist}\nRunning: http://127.0.0.1:4980/mcp\n`);
  assert.equal((await own.service(['status'], { platform: 'darwin' })).code, 0);
  const gone = await own.service(['uninstall', '--json'], { platform: 'darwin' });
  assert.equal(JSON.parse(gone.out).removed, true);
  assert.equal(existsSync(plist), false);
  assert.ok(own.asked.includes('launchctl bootout gui/501/relay.server'));
});

test('over ssh launchd has no session of the person, so the agent starts at the next login', async (context) => {
  const own = desk(context, () => ({ ok: false, out: '', err: 'Could not find domain for: 501' }));
  const { code, out, err } = await own.service(['install'], { platform: 'darwin' });
  assert.equal(code, 0);
  assert.match(out, /^Installed .*\nIt starts at the next login\.\n$/);
  assert.equal(
    err,
    'The service manager does not answer here: Could not find domain for: 501\nUntil then, start it with: relay serve\n',
  );
});

test('on Windows the Run key is written, recognised and removed', async (context) => {
  const registry = new Map<string, string>();
  const own = desk(context, (_own, line) => {
    const [, verb = '', key = ''] = line.split(' ');
    const missing = {
      ok: false,
      out: '',
      err: 'ERROR: The system was unable to find the specified registry key or value.',
    };
    if (verb === 'add') registry.set(key, line.slice(line.indexOf('/d ') + 3, -3));
    if (verb === 'delete' && !registry.delete(key)) return missing;
    if (verb !== 'query') return DONE;
    const data = registry.get(key);
    if (data === undefined) return missing;
    const type = key.includes('Approved') ? 'REG_BINARY' : 'REG_SZ';
    return { ...DONE, out: `\r\nHKEY_CURRENT_USER\\x\r\n    relay    ${type}    ${data}\r\n\r\n` };
  });
  const windows: CliOptions = { platform: 'win32' };
  const key = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
  const approved = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`;
  assert.deepEqual(await own.service(['install'], windows), {
    code: 0,
    out: `Installed ${key}\\relay\nIt starts at the next login.\n`,
    err: 'Until then, start it with: relay serve\n',
  });
  assert.equal(registry.get(key), runValue([own.program, '--home', own.state, 'serve']));
  assert.equal((await own.service(['status'], windows)).code, 0);

  registry.set(approved, '0300000000000000');
  const off = await own.service(['status'], windows);
  assert.equal(off.code, 1);
  assert.match(
    off.out,
    /\nIt is disabled, so it does not start at login\.\n {2}Run: relay service install\n$/,
  );
  await own.service(['install'], windows);
  assert.equal(registry.has(approved), false);

  own.serverRuns();
  assert.match((await own.service(['status'], windows)).out, /^running {2}yes, pid \d+, http:/m);
  const gone = await own.service(['uninstall'], windows);
  assert.equal(gone.out, `Removed ${key}\\relay\n`);
  assert.match(gone.err, /^A server is still running for this home \(pid \d+\)/);
  assert.deepEqual([...registry], []);
  registry.set(key, '"C:\\Other\\relay.exe"');
  assert.equal((await own.service(['uninstall'], windows)).code, 1);
  assert.equal((await own.service(['install'], windows)).code, 1);
  assert.equal(registry.get(key), '"C:\\Other\\relay.exe"');
});
