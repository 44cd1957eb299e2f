/** What relay writes on each system, and which texts it takes for its own. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { installed, type Service, serviceFor, startedAs, systemMachine } from '../../src/service/service.ts';
import { temporaryHome } from '../support/cli.ts';

const DONE = { ok: true, out: '', err: '' };

function service(
  platform: NodeJS.Platform,
  command: string[],
  { env = {}, homeDir = '/home/me' } = {},
): Service {
  const machine = { program: command, homeDir, uid: 501, run: async () => DONE };
  return serviceFor({ platform, env, machine, command });
}

test('the systemd unit has the form that systemd reads, where systemd looks for it', () => {
  const { file, text } = service('linux', ['/usr/local/bin/relay', 'serve']);
  assert.equal(file, '/home/me/.config/systemd/user/relay.service');
  assert.equal(
    text,
    `# Written by \`relay service install\`, which replaces it.
# Your own changes go into \`systemctl --user edit relay\`.
[Unit]
Description=relay, Spotify for AI clients
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=/usr/local/bin/relay serve
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=2 5
TimeoutStopSec=60
KillMode=mixed
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
`,
  );
  const fileWith = (XDG_CONFIG_HOME: string) => service('linux', ['/r'], { env: { XDG_CONFIG_HOME } }).file;
  assert.equal(fileWith('/cfg'), '/cfg/systemd/user/relay.service');
  for (const relative of ['cfg', '']) assert.equal(fileWith(relative), file);
});

const WORDS: ReadonlyArray<[command: string[], line: string]> = [
  [['/opt/a b/relay', '--home', '/me/my relay', 'serve'], '"/opt/a b/relay" --home "/me/my relay" serve'],
  [['/opt/50%/relay', '--home', '/h/100%h', 'serve'], '/opt/50%%/relay --home /h/100%%h serve'],
  [['/opt/relay', '--home', '/h/$HOME', 'serve'], '/opt/relay --home /h/$$HOME serve'],
  [['/opt/relay', '--home', '/h/"q"', 'serve'], String.raw`/opt/relay --home "/h/\"q\"" serve`],
  [['/opt/relay', '--home', "/h/it's", 'serve'], `/opt/relay --home "/h/it's" serve`],
  [['/opt/relay', '--home', String.raw`/h/a\nb`, 'serve'], String.raw`/opt/relay --home "/h/a\\nb" serve`],
  [['/opt/relay', '--home', '/h/;', ';'], '/opt/relay --home "/h/;" ";"'],
  [['/opt/Grüße/relay', '--home', '/h/音楽', 'serve'], '"/opt/Grüße/relay" --home "/h/音楽" serve'],
];

for (const [command, line] of WORDS) {
  test(`systemd quoting: ${line}`, () => {
    assert.ok(service('linux', command).text.includes(`\nExecStart=${line}\n`));
  });
}

test('the property list has the form that launchd reads', () => {
  const command = ['/Users/me/R&D <1>/relay', '--home', `/Users/me/it's "my" $HOME %h \\ Grüße`, 'serve'];
  const { file, text } = service('darwin', command, { homeDir: '/Users/me' });
  assert.equal(file, '/Users/me/Library/LaunchAgents/relay.server.plist');
  assert.equal(
    text,
    `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by \`relay service install\`, which replaces it. -->
<plist version="1.0">
<dict>
  <key>Label</key> <string>relay.server</string>
  <key>ProgramArguments</key>
  <array><string>/Users/me/R&amp;D &lt;1&gt;/relay</string> <string>--home</string> <string>/Users/me/it's "my" $HOME %h \\ Grüße</string> <string>serve</string></array>
  <key>RunAtLoad</key> <true/>
  <key>KeepAlive</key> <dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key> <integer>30</integer>
  <key>ExitTimeOut</key> <integer>60</integer>
  <key>ProcessType</key> <string>Interactive</string>
  <key>StandardErrorPath</key> <string>/Users/me/Library/Logs/relay.log</string>
</dict>
</plist>
`,
  );
});

const VALUES: ReadonlyArray<[command: string[], rest: string]> = [
  [['C:\\relay\\relay.exe', 'serve'], String.raw`C:\relay\relay.exe serve`],
  [['C:\\Program Files\\relay.exe', 'serve'], String.raw`"C:\Program Files\relay.exe" serve`],
  [['C:\\r.exe', '--home', 'D:\\my home\\', 'serve'], String.raw`C:\r.exe --home "D:\my home\\" serve`],
  [['C:\\a & b^\\r.exe', 'serve'], String.raw`"C:\a & b^\r.exe" serve`],
  [['C:\\Jürgen\\音楽\\r.exe', 'serve'], String.raw`"C:\Jürgen\音楽\r.exe" serve`],
  [['C:\\100%\\$x\\r.exe', 'serve'], String.raw`"C:\100%\$x\r.exe" serve`],
];

for (const [command, rest] of VALUES) {
  test(`the Run key value for ${command.join(' ')}`, () => {
    assert.equal(service('win32', command).text, `cmd.exe /d /c start "relay" /min ${rest}`);
  });
}

test('a command that cannot be written down is refused', () => {
  const refused = (platform: NodeJS.Platform, command: string[], message: RegExp | string) =>
    assert.throws(() => service(platform, command), { code: 'SERVICE_FAILED', message });
  const directive = ['/opt/relay', '--home', '/home/a\nExecStartPre=/bin/evil', 'serve'];
  for (const path of ["/opt/it's/relay", '/opt/$x/relay'])
    refused('linux', [path, 'serve'], `systemd cannot start ${path}.`);
  refused('linux', directive, '"/home/a\\nExecStartPre=/bin/evil" contains a control character.');
  for (const path of ['C:\\%PATH%\\r.exe', 'C:\\a" & calc & "b', `C:\\${'a'.repeat(250)}\\r.exe`])
    refused('win32', [path, 'serve'], /^Windows would cut or change the command/);
  refused('freebsd', ['/r'], 'relay cannot start at login on freebsd.');
});

test('Windows programs are started by their full path, never from the working directory', async () => {
  const asked: string[] = [];
  const run = async (command: string) => {
    asked.push(command);
    return { ok: false, out: '', err: '' };
  };
  const machine = { program: ['C:\\r.exe'], homeDir: 'C:\\Users\\me', uid: null, run };
  for (const env of [{ SystemRoot: 'D:\\Windows' }, {}])
    await serviceFor({ platform: 'win32', env, machine, command: ['C:\\r.exe', 'serve'] }).read();
  assert.deepEqual(asked, ['D:\\Windows\\System32\\reg.exe', 'C:\\Windows\\System32\\reg.exe']);
});

const HOMES: ReadonlyArray<[own: string[], other: string[]]> = [
  [[], ['--home', '/other home']],
  [['--home', '/my home'], []],
  [
    ['--home', '/my home'],
    ['--home', '/my home/2'],
  ],
];

for (const platform of ['linux', 'darwin', 'win32'] as const) {
  test(`${platform}: relay's own texts are told from others, by the home too`, async () => {
    const program = platform === 'win32' ? 'C:\\new dir\\r.exe' : '/new dir/relay';
    const own = (home: string[], path = program) => service(platform, [path, ...home, 'serve']);
    const state = async (of: Service, text: string | null) =>
      (await installed({ ...of, read: async () => text })).state;
    for (const [home, other] of HOMES) {
      const wanted = own(home);
      assert.equal(await state(wanted, wanted.text), 'current');
      assert.equal(await state(wanted, own(home, program.replace('new dir', 'old')).text), 'older');
      assert.equal(await state(wanted, own(other).text), 'not ours');
    }
    for (const text of ['', '[Unit]\n', '<plist/>', '"C:\\Other\\relay.exe"'])
      assert.equal(await state(own([]), text), 'not ours', text);
    assert.equal(await state(own([]), null), 'none');
  });
}

test('directories and files of a service are never writable for others, whatever the umask', {
  skip: process.platform === 'win32' ? 'Windows has no such modes' : false,
}, async (context) => {
  const homeDir = temporaryHome(context);
  const umask = process.umask(0);
  const { file, text, write, read } = service('linux', ['/r', 'serve'], { homeDir });
  try {
    await write();
  } finally {
    process.umask(umask);
  }
  assert.deepEqual([readFileSync(file, 'utf8'), await read()], [text, text]);
  const modes = ['.config', '.config/systemd/user', '.config/systemd/user/relay.service'].map((name) =>
    (statSync(join(homeDir, name)).mode & 0o777).toString(8),
  );
  assert.deepEqual(modes, ['700', '700', '644']);
});

test('the program is named as it was started, by a link that leads to it', {
  skip: process.platform === 'win32' ? 'links need a privilege there' : false,
}, (context) => {
  const home = realpathSync(temporaryHome(context));
  const at = (...parts: string[]) => join(home, ...parts);
  for (const folder of ['cellar', 'bin', 'other', 'fnm_multishells']) mkdirSync(at(folder));
  for (const folder of ['cellar', 'other']) writeFileSync(at(folder, 'relay'), '');
  for (const folder of ['bin', 'fnm_multishells']) symlinkSync(at('cellar', 'relay'), at(folder, 'relay'));
  const found = (name: string, ...folders: string[]) =>
    startedAs(name, at('cellar', 'relay'), folders.join(':'));
  assert.equal(found('relay', 'bin', at('other'), at('fnm_multishells'), at('bin')), at('bin', 'relay'));
  assert.equal(found(at('bin', 'relay')), at('bin', 'relay'));
  for (const name of ['relay', at('other', 'relay'), at('gone', 'relay')])
    assert.equal(found(name, at('other')), at('cellar', 'relay'));
});

test('run from source, the program is Node and the script, by paths that resolve to them', () => {
  const [node = '', script = '', ...more] = systemMachine().program;
  assert.equal(realpathSync(node), realpathSync(process.execPath));
  assert.equal(script, new URL('../../bin/relay.mjs', import.meta.url).pathname);
  assert.deepEqual(more, []);
});
