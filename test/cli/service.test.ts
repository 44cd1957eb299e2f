import assert from 'node:assert/strict';
import {
  existsSync,
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
import type { Machine, Ran } from '../../src/service/service.ts';
import { serviceFor } from '../../src/service/service.ts';
import { acquireHome } from '../../src/store/home/lock.ts';
import { type CliOptions, type CliResult, relay, temporaryHome } from '../support/cli.ts';
import { IDLE_DOOR } from '../support/idleDoor.ts';

const DONE: Ran = { ok: true, out: '', err: '' };
const NO_BUS: Ran = { ok: false, out: '', err: 'Failed to connect to bus: No medium found' };
const LOG = 'journalctl --user -u relay -n 20';
const RUNNING = 'Running: http://127.0.0.1:4980/mcp\n';

/** A person's computer: files in a temporary directory, and a service manager that records its calls. */
interface Desk {
  /** The person's home directory. It contains the program, `relay`, and relay's own home, `state`. */
  dir: string;
  program: string;
  state: string;
  unit: string;
  asked: string[];
  service(args?: string[], options?: CliOptions): Promise<CliResult>;
  /** The text that relay writes to start `program` for its home, or with other words. */
  text(words?: string[], platform?: NodeJS.Platform): string;
  /** Writes `server.json` as a running server does, or removes it. */
  serverRuns(isRunning?: boolean): void;
}

/** @param answer what a program answers; undefined for what a systemd answers that starts and stops the server at once */
function desk(
  context: TestContext,
  answer: (own: Desk, line: string) => Ran | undefined = () => undefined,
): Desk {
  const dir = temporaryHome(context);
  const program = join(dir, 'relay');
  const state = join(dir, 'state');
  mkdirSync(state);
  writeFileSync(program, '');
  const machine: Machine = {
    program: [program],
    homeDir: dir,
    uid: 501,
    run: async (command, words) => {
      const line = [command, ...words].join(' ');
      own.asked.push(line);
      const given = answer(own, line);
      if (given) return given;
      if (line.includes(' restart ')) own.serverRuns();
      if (line.includes(' disable ')) own.serverRuns(false);
      return DONE;
    },
  };
  const own: Desk = {
    dir,
    program,
    state,
    unit: join(dir, '.config', 'systemd', 'user', 'relay.service'),
    asked: [],
    service: (args = [], options = {}) =>
      relay(['service', ...args], {
        clock: hurried(),
        machine,
        ...options,
        env: { RELAY_HOME: state, ...options.env },
      }),
    text: (words = [program, '--home', state, 'serve'], platform = 'linux') =>
      serviceFor({ platform, env: {}, machine, command: words }).text,
    serverRuns(isRunning = true) {
      const file = join(state, 'server.json');
      const startedAt = '2026-11-20T12:00:00.000Z';
      const content = { pid: process.pid, startedAt, version: '1.2.3', baseUrl: 'http://127.0.0.1:4980' };
      if (isRunning) writeFileSync(file, JSON.stringify({ ...content, ...IDLE_DOOR }));
      else rmSync(file, { force: true });
    },
  };
  return own;
}

function hurried() {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return { ...systemClock, now: () => now, monotonic: () => now, sleep };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const STOP = 'systemctl --user disable --now relay.service';
const ENABLE = ['systemctl --user reset-failed relay.service', 'systemctl --user enable relay.service'];
const START = 'systemctl --user restart relay.service';

test('install writes the unit, enables it, starts it and says where the server is; again it changes nothing; restart stops it first', async (context) => {
  const own = desk(context);
  const { unit } = own;
  assert.deepEqual(await own.service(['install']), {
    code: 0,
    out: `Installed ${unit}\n${RUNNING}`,
    err: '',
  });
  assert.equal(readFileSync(unit, 'utf8'), own.text());
  assert.deepEqual(own.asked, [STOP, ...ENABLE, START]);
  assert.deepEqual(readdirSync(dirname(unit)), ['relay.service']);
  own.asked.length = 0;
  const again = { code: 0, out: `Already installed: ${unit}\n${RUNNING}`, err: '' };
  assert.deepEqual(await own.service(['install']), again);
  assert.deepEqual(own.asked, ENABLE);
  // A service that was stopped is started.
  own.serverRuns(false);
  const { server, ...answer } = JSON.parse((await own.service(['install', '--json'])).out);
  assert.equal(server.pid, process.pid);
  const url = 'http://127.0.0.1:4980/mcp';
  const done = { installed: true, changed: false, started: 'now', file: unit, url, left: [] };
  assert.deepEqual(answer, done);
  own.asked.length = 0;
  const restarted = await own.service(['restart']);
  assert.deepEqual([restarted.code, restarted.out], [0, RUNNING]);
  assert.deepEqual(own.asked, [STOP, ...ENABLE, START]);
});

test('restart needs an installed service of this relay, and Windows has nothing to restart', async (context) => {
  const own = desk(context);
  const refused = await own.service(['restart']);
  assert.deepEqual(
    [refused.code, refused.err],
    [1, 'relay: The service is not installed.\n  Run: `relay service install`\n'],
  );
  assert.deepEqual([existsSync(own.unit), own.asked], [false, []]);
  const data = own.text(undefined, 'win32');
  const windows = desk(context, () => ({
    ...DONE,
    out: `    relay    REG_SZ    ${data.replaceAll(own.dir, windows.dir)}\r\n`,
  }));
  assert.match(
    (await windows.service(['restart'], { platform: 'win32' })).err,
    /Windows starts it at login only/,
  );
});

test('a program that moved is noticed, and install repairs the service and restarts it', async (context) => {
  const own = desk(context);
  await own.service(['install']);
  writeFileSync(own.unit, own.text(['/old/relay', '--home', own.state, 'serve']));
  assert.deepEqual(await own.service(), {
    code: 1,
    out: `service  installed, ${own.unit}
running  yes, pid ${process.pid}, http://127.0.0.1:4980
log      ${LOG}
to do    It was changed, or is of another relay. Run: relay service install
`,
    err: '',
  });
  own.asked.length = 0;
  assert.equal((await own.service(['install'])).out, `Installed ${own.unit}\n${RUNNING}`);
  assert.deepEqual(own.asked, [STOP, ...ENABLE, START]);
  const { code, out } = await own.service(['status', '--json']);
  const { server, ...status } = JSON.parse(out);
  assert.deepEqual([code, server.baseUrl], [0, 'http://127.0.0.1:4980']);
  assert.deepEqual(status, { installed: true, running: true, file: own.unit, log: LOG, problems: [] });
});

test('the service of another home is neither replaced nor removed', async (context) => {
  const own = desk(context);
  for (const [home, words, removal] of [
    ['/other', ['--home', '/other'], 'relay --home /other service uninstall'],
    ['the default one', [], 'relay service uninstall'],
  ] as const) {
    const text = own.text([own.program, ...words, 'serve']);
    put(own.unit, text);
    const why = `${own.unit} starts relay for another home: ${home}.`;
    const only = `There can be only one service. To remove it: ${removal}`;
    for (const verb of ['install', 'uninstall', 'restart']) {
      const refused = { code: 1, out: '', err: `relay: ${why}\n  Nothing was changed. ${only}\n` };
      assert.deepEqual(await own.service([verb]), refused);
      assert.deepEqual([readFileSync(own.unit, 'utf8'), own.asked], [text, []]);
    }
    const shown = await own.service();
    assert.deepEqual([shown.code, shown.out.endsWith(`to do    ${why} ${only}\n`)], [1, true]);
  }
});

test('a file that another program wrote is never touched', async (context) => {
  const own = desk(context);
  const toDo = 'If you do not need it, rename or remove it, then install again.';
  for (const content of ['[Unit]\nDescription=mine\n', '', '# \uFEFF\r\n']) {
    put(own.unit, content);
    const err = `relay: ${own.unit} was not written by relay.\n  Nothing was changed. ${toDo}\n`;
    for (const verb of ['install', 'uninstall'])
      assert.deepEqual(await own.service([verb]), { code: 1, out: '', err });
    assert.equal(readFileSync(own.unit, 'utf8'), content);
    assert.equal((await own.service()).code, 1);
  }
  // As `systemctl --user mask` does, and on a disk that is away.
  for (const target of ['/dev/null', '/mnt/away/relay.service']) {
    rmSync(own.unit);
    symlinkSync(target, own.unit);
    assert.equal((await own.service(['install'])).code, 1);
    assert.equal(readlinkSync(own.unit), target);
  }
  assert.deepEqual(own.asked, []);
});

// Without a bus, `systemctl enable` makes the link all the same.
for (const refused of [ENABLE[1], START]) {
  test(`if "${refused}" fails, a new service is removed again, and the reason is systemd’s own`, async (context) => {
    const own = desk(context, (_, line) => (line === refused ? NO_BUS : DONE));
    const failed = (nothing: string) => ({
      code: 1,
      out: '',
      err: `relay: The system did not start the service: ${NO_BUS.err}.\n  ${nothing}Run this where you signed in yourself, not through su or ssh. To see why: ${LOG}\n`,
    });
    assert.deepEqual(await own.service(['install']), failed('Nothing was installed. '));
    assert.deepEqual([existsSync(own.unit), own.asked.at(-1)], [false, STOP]);
    put(own.unit, own.text());
    assert.deepEqual(await own.service(['install']), failed(''));
    assert.equal(readFileSync(own.unit, 'utf8'), own.text());
    assert.deepEqual(await own.service(['uninstall']), { code: 0, out: `Removed ${own.unit}\n`, err: '' });
  });
}

test('install does not start the service while a server runs in the foreground', async (context) => {
  const own = desk(context, (_, line) => (line === STOP ? { ...DONE, ok: false } : undefined));
  own.serverRuns();
  assert.deepEqual(await own.service(['install']), {
    code: 0,
    out: `Installed ${own.unit}\nIt starts at the next login.\n`,
    err: `A server is already running for this home (pid ${process.pid}). To let the service take over now, stop that server and run this again.
`,
  });
  assert.deepEqual(own.asked, [STOP, ...ENABLE]);
});

test('a server that does not answer is reported with the command that shows why, unless it is starting', async (context) => {
  const own = desk(context, () => DONE);
  const message = 'relay: The service is installed, but the server that it started does not answer.';
  assert.deepEqual(await own.service(['install']), {
    code: 1,
    out: '',
    err: `${message}\n  To see why: ${LOG}\n`,
  });
  assert.match((await own.service()).out, /^running {2}no$/m);
  const lock = await acquireHome(own.state, 'relay serve');
  const slow = await own.service(['install']);
  await lock.release();
  assert.deepEqual(slow, { code: 0, out: `Already installed: ${own.unit}\nIt is starting.\n`, err: '' });
});

test('settings from the environment are named, with the command that keeps them, but without values', async (context) => {
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
    `The service does not get ${Object.keys(env).join(', ')} from your environment. To keep what is no secret: relay config set KEY VALUE\n`,
  );
  const all = `${out}${err}${readFileSync(own.unit, 'utf8')}`;
  for (const value of Object.values(env)) assert.equal(all.includes(value), false, value);
  writeFileSync(join(own.state, 'config.json'), '{"port": 5123}');
  assert.doesNotMatch((await own.service(['install'], { env })).err, /RELAY_PORT/);
  const named = await own.service(['install', '--home', own.state], { env: { RELAY_PORT: '4999' } });
  assert.match(named.err, new RegExp(`: relay --home ${own.state} config set KEY VALUE\n`));
});

test('uninstall stops, disables and removes the service; a second uninstall says that there is none', async (context) => {
  const own = desk(context);
  await own.service(['install']);
  own.asked.length = 0;
  assert.deepEqual(await own.service(['uninstall']), { code: 0, out: `Removed ${own.unit}\n`, err: '' });
  assert.deepEqual([own.asked, existsSync(own.unit)], [[STOP], false]);
  const none = { code: 0, out: 'The service was not installed.\n', err: '' };
  assert.deepEqual(await own.service(['uninstall']), none);
  const { out } = await own.service(['uninstall', '--json']);
  assert.deepEqual(JSON.parse(out), { installed: false, removed: false, file: own.unit, server: null });
  const shown = await own.service();
  assert.deepEqual(shown, await own.service(['status']));
  assert.match(
    shown.out,
    /^service +not installed\nrunning +no\n.*\nto do +.* Run: relay service install\n$/,
  );
});

test('what could not run is refused before anything is written', async (context) => {
  const own = desk(context);
  const sudo = await relay(['service', 'install'], {
    env: { RELAY_HOME: own.state, SUDO_USER: 'ann' },
    machine: { program: [own.program], homeDir: own.dir, uid: 0, run: async () => DONE },
  });
  const asRoot =
    'relay: A service that runs as root cannot reach your keychain.\n  Run this again without sudo.\n';
  assert.deepEqual(sudo, { code: 1, out: '', err: asRoot });
  assert.deepEqual(await own.service(['install'], { platform: 'freebsd' }), {
    code: 1,
    out: '',
    err: 'relay: relay cannot start at login on freebsd.\n  Run `relay serve` from your own startup files.\n',
  });
  writeFileSync(join(own.state, 'config.json'), '{"port": "x"}');
  const { code, err } = await own.service(['install'], { env: { RELAY_PORT: '5123' } });
  assert.equal(code, 2);
  assert.match(err, /"port" in .*config\.json must be a whole number/);
  assert.equal((await own.service(['status'])).code, 1);
  rmSync(own.program);
  assert.match((await own.service(['install'])).err, /^relay: .*\/relay does not exist\./);
  assert.equal(existsSync(join(own.dir, '.config')), false);
  writeFileSync(own.program, '');
  rmSync(join(own.state, 'config.json'));
  writeFileSync(join(own.dir, '.config'), 'mine');
  const blocked = await own.service(['install']);
  assert.match(
    blocked.err,
    /relay\.service cannot be changed: .*\n {2}Check the disk, and the owner of the file/,
  );
  assert.equal(readFileSync(join(own.dir, '.config'), 'utf8'), 'mine');
});

test('the command of the service names a home that comes from RELAY_HOME or --home, but not the default home', async (context) => {
  const own = desk(context);
  const state = async (words: string[], home: string, args: string[] = []) => {
    put(own.unit, own.text([own.program, ...words, 'serve']));
    return (await own.service(['status', ...args], { env: { RELAY_HOME: home } })).code;
  };
  assert.equal(await state([], ''), 0);
  assert.equal(await state(['--home', '/a b'], '/a b'), 0);
  assert.equal(await state(['--home', '/c'], '/a b', ['--home', '/c']), 0);
  assert.equal(await state(['--home', `${process.cwd()}/here`], '', ['--home', 'here']), 0);
  assert.equal(await state(['--home', '/c'], '/a b'), 1);
});

test('on macOS install uses launchd, and waits until launchd has ended the old agent', async (context) => {
  let refusals = 2;
  const own = desk(context, (at, line) => {
    if (line.includes('bootout')) at.serverRuns(false);
    if (!line.includes('bootstrap')) return DONE;
    if (refusals-- > 0) return { ok: false, out: '', err: 'Bootstrap failed: 5: Input/output error' };
    at.serverRuns();
    return DONE;
  });
  const mac: CliOptions = { platform: 'darwin' };
  const plist = join(own.dir, 'Library', 'LaunchAgents', 'relay.server.plist');
  assert.deepEqual(await own.service(['install'], mac), {
    code: 0,
    out: `Installed ${plist}\n${RUNNING}`,
    err: '',
  });
  assert.equal(readFileSync(plist, 'utf8'), own.text(undefined, 'darwin'));
  assert.deepEqual(own.asked, [
    'launchctl bootout gui/501/relay.server',
    'launchctl enable gui/501/relay.server',
    ...Array(3).fill(`launchctl bootstrap gui/501 ${plist}`),
  ]);
  assert.equal((await own.service(['install'], mac)).out, `Already installed: ${plist}\n${RUNNING}`);
  assert.match((await own.service(['status'], mac)).out, /^log {6}tail ~\/Library\/Logs\/relay\.log$/m);
  assert.equal(JSON.parse((await own.service(['uninstall', '--json'], mac)).out).removed, true);
  assert.equal(existsSync(plist), false);
});

test('on Windows the Run key is written, recognised and removed', async (context) => {
  const registry = new Map<string, string>();
  const own = desk(context, (_own, line) => {
    const [, verb = '', key = ''] = line.split(' ');
    const missing = { ok: false, out: '', err: 'ERROR: The system was unable to find the specified value.' };
    if (verb === 'add') registry.set(key, line.slice(line.indexOf('/d ') + 3, -3));
    if (verb === 'delete' && !registry.delete(key)) return missing;
    const data = registry.get(key);
    if (verb !== 'query') return DONE;
    return data === undefined
      ? missing
      : { ...DONE, out: `\r\nHKEY_CURRENT_USER\\x\r\n    relay    REG_SZ    ${data}\r\n\r\n` };
  });
  const windows: CliOptions = { platform: 'win32' };
  const key = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
  assert.deepEqual(await own.service(['install'], windows), {
    code: 0,
    out: `Installed ${key}\\relay\nIt starts at the next login.\n`,
    err: 'Until then, start it with: relay serve\n',
  });
  assert.equal(registry.get(key), own.text(undefined, 'win32'));
  own.serverRuns();
  assert.match(
    (await own.service([], windows)).out,
    /^running {2}yes, pid \d+, http:.*\nlog {6}relay logs\n$/m,
  );
  const gone = await own.service(['uninstall'], windows);
  assert.equal(gone.out, `Removed ${key}\\relay\n`);
  assert.match(gone.err, /^A server is still running for this home \(pid \d+\)\. To stop it: relay stop\n$/);
  for (const verb of ['install', 'uninstall']) {
    registry.set(key, '"C:\\Other\\relay.exe"');
    assert.equal((await own.service([verb], windows)).code, 1);
    assert.equal(registry.get(key), '"C:\\Other\\relay.exe"');
  }
});
