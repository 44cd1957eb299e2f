import assert from 'node:assert/strict';
import test from 'node:test';
import { commandToServe } from '../../src/service/serveCommand.ts';
import {
  execStart,
  isOurUnit,
  unitCommand,
  unitPaths,
  unitState,
  unitText,
} from '../../src/service/systemdUnit.ts';

test('the unit has the form that systemd reads', () => {
  const command = commandToServe(['/usr/local/bin/relay'], null);
  assert.equal(
    unitText(command),
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
LockPersonality=yes
RestrictRealtime=yes
UMask=0077

[Install]
WantedBy=default.target
`,
  );
});

const WORDS: ReadonlyArray<[command: string[], line: string]> = [
  [['/opt/relay', 'serve'], '/opt/relay serve'],
  [
    ['/opt/a b/relay', '--home', '/home/me/my relay', 'serve'],
    '"/opt/a b/relay" --home "/home/me/my relay" serve',
  ],
  [['/opt/relay', '--home', '/h/100%h', 'serve'], '/opt/relay --home /h/100%%h serve'],
  [['/opt/50%/relay', 'serve'], '/opt/50%%/relay serve'],
  [['/opt/relay', '--home', '/h/$HOME', 'serve'], '/opt/relay --home /h/$$HOME serve'],
  [['/opt/relay', '--home', '/h/"q"', 'serve'], String.raw`/opt/relay --home "/h/\"q\"" serve`],
  [['/opt/relay', '--home', "/h/it's", 'serve'], `/opt/relay --home "/h/it's" serve`],
  [['/opt/relay', '--home', String.raw`/h/a\nb`, 'serve'], String.raw`/opt/relay --home "/h/a\\nb" serve`],
  [['/opt/relay', '--home', '/h/;', ';'], '/opt/relay --home "/h/;" ";"'],
  [['/opt/Grüße/relay', '--home', '/h/音楽', 'serve'], '"/opt/Grüße/relay" --home "/h/音楽" serve'],
  [["/opt/it's/relay", 'serve'], `/bin/sh -c "exec \\"$$0\\" \\"$$@\\"" "/opt/it's/relay" serve`],
  [['/opt/$x/relay', 'serve'], '/bin/sh -c "exec \\"$$0\\" \\"$$@\\"" /opt/$$x/relay serve'],
];

for (const [command, line] of WORDS) {
  test(`systemd quoting: ${line}`, () => {
    assert.equal(execStart(command), line);
    assert.equal(unitCommand(unitText(command)), line);
  });
}

test('a path with a line break is refused, since it could add directives to the unit', () => {
  assert.throws(() => commandToServe(['/opt/relay'], '/home/a\nExecStartPre=/bin/evil'), {
    code: 'SERVICE_FAILED',
    message: '"/home/a\\nExecStartPre=/bin/evil" contains a control character.',
  });
});

test('the unit is where systemd looks for it', () => {
  const below = (folder: string) => ({
    unit: `${folder}/systemd/user/relay.service`,
    link: `${folder}/systemd/user/default.target.wants/relay.service`,
  });
  assert.deepEqual(unitPaths({}, '/home/me'), below('/home/me/.config'));
  assert.deepEqual(unitPaths({ XDG_CONFIG_HOME: '/cfg' }, '/home/me'), below('/cfg'));
  assert.deepEqual(unitPaths({ XDG_CONFIG_HOME: 'cfg' }, '/home/me'), below('/home/me/.config'));
  assert.deepEqual(unitPaths({ XDG_CONFIG_HOME: '' }, '/home/me'), below('/home/me/.config'));
});

test('only a unit that starts with our marker is ours', () => {
  const ours = unitText(['/opt/relay', 'serve']);
  assert.deepEqual([ours, `\n${ours}`, '', '[Unit]\n'].map(isOurUnit), [true, false, false, false]);
});

test('the output of systemctl show is read', () => {
  for (const [enabled, active, sub, pid, state] of [
    ['enabled', 'active', 'running', 42, { enabled: true, running: true, failed: false, pid: 42 }],
    ['disabled', 'inactive', 'dead', 0, { enabled: false, running: false, failed: false, pid: null }],
    ['enabled', 'failed', 'failed', 0, { enabled: true, running: false, failed: true, pid: null }],
    ['enabled', 'activating', 'auto-restart', 0, { enabled: true, running: false, failed: true, pid: null }],
    ['', 'inactive', 'dead', 0, { enabled: false, running: false, failed: false, pid: null }],
  ] as const) {
    const shown = `MainPID=${pid}\nActiveState=${active}\nSubState=${sub}\nUnitFileState=${enabled}\n`;
    assert.deepEqual(unitState(shown), state, shown);
  }
});
