import assert from 'node:assert/strict';
import test from 'node:test';
import { type ReadyFacts, readyText } from '../../src/cli/serve/serveCommand.ts';
import { shownReport, statusLines } from '../../src/cli/serve/statusCommand.ts';
import { progressText, showsUnicode } from '../../src/cli/terminal/output.ts';
import { durationText, timeText, withTimes } from '../../src/cli/terminal/time.ts';
import { exampleReport } from '../support/reports.ts';

const NO_HOME = { home: undefined, platform: 'linux' } as const;

const READY: ReadyFacts = {
  version: '1.2.3',
  mcpUrl: 'http://127.0.0.1:4980/mcp',
  account: { connected: false, name: null },
  ownerCode: null,
  demoKey: null,
  demo: false,
  registrationOpen: true,
  home: undefined,
  platform: 'linux',
};

test('the ready block of a first start says what to do next', () => {
  assert.equal(
    readyText(READY),
    `relay 1.2.3 is ready

  MCP         http://127.0.0.1:4980/mcp
  Your page   http://127.0.0.1:4980/
  Account     not connected, run: relay login

Connect Claude Code:

  claude mcp add --transport http relay \\
    http://127.0.0.1:4980/mcp
  claude mcp login relay

Other clients: relay connect
Stop with Ctrl-C
`,
  );
  assert.deepEqual(
    readyText(READY)
      .split('\n')
      .filter((line) => line.length > 60),
    [],
  );
});

test('the ready block of the demo is marked and holds its key', () => {
  const text = readyText({
    ...READY,
    account: { connected: true, name: 'Demo' },
    demo: true,
    demoKey: 'demo-key',
    ownerCode: 'brown-fox',
  });
  assert.equal(
    text,
    `relay 1.2.3 is ready (DEMO)
Simulated provider, invented music: no Spotify account.

  MCP         http://127.0.0.1:4980/mcp
  Your page   http://127.0.0.1:4980/
  Account     connected as Demo
  Owner code  brown-fox

Connect Claude Code:

  claude mcp add --transport http relay-demo \\
    http://127.0.0.1:4980/mcp \\
    --header "Authorization: Bearer demo-key"

Other clients: relay --demo connect
Stop with Ctrl-C
`,
  );
});

test('if clients cannot register themselves, the ready block says how to set one up', () => {
  const text = readyText({ ...READY, registrationOpen: false });
  assert.equal(
    text.slice(text.indexOf('Clients cannot')),
    `Clients cannot register themselves (MCP_OAUTH_DCR_ENABLED).
Set up a client: relay clients add
Connect it: relay connect
Stop with Ctrl-C
`,
  );
});

test('commands in the ready block name a home that is not the default', () => {
  const text = readyText({ ...READY, home: '/my home' });
  assert.match(text, /run: relay --home '\/my home' login$/m);
  assert.match(text, /^Other clients: relay --home '\/my home' connect$/m);
});

test('on Windows each command for Claude Code is one line', () => {
  const text = readyText({ ...READY, platform: 'win32' });
  assert.match(text, /^ {2}claude mcp add --transport http relay http:\/\/127\.0\.0\.1:4980\/mcp$/m);
});

test('status wraps to the width, with the remedy below the entry', () => {
  assert.equal(
    statusLines(shownReport(exampleReport({ ownerCode: 'brown-fox' }), NO_HOME), {
      unicode: true,
      columns: 60,
      now: 0,
    }).join('\n'),
    `✓ server    pid 42, http://127.0.0.1:4980, version 1.2.3
✗ account   not connected: no Spotify account has been
            connected with this home so far
            → relay login
! key       in a file
- jobs      none

Owner's page: http://127.0.0.1:4980/
Owner code: brown-fox`,
  );
});

test('status without Unicode says the same in letters, and marks the demo', () => {
  assert.equal(
    statusLines(shownReport(exampleReport({ demo: true }), NO_HOME), {
      unicode: false,
      columns: 100,
      now: 0,
    }).join('\n'),
    `DEMO: simulated provider, invented music

ok   server    pid 42, http://127.0.0.1:4980, version 1.2.3
bad  account   not connected: no Spotify account has been connected with this home so far
               > relay login
warn key       in a file
off  jobs      none

Owner's page: http://127.0.0.1:4980/`,
  );
});

test('marks are shown where the terminal can be expected to support them', () => {
  const cases: Array<[env: NodeJS.ProcessEnv, platform: NodeJS.Platform, shows: boolean]> = [
    [{ LANG: 'en_US.UTF-8' }, 'linux', true],
    [{ LANG: 'C' }, 'linux', false],
    [{ LANG: 'C', LC_ALL: 'C.utf8' }, 'darwin', true],
    [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, 'linux', false],
    [{ LANG: 'en_US.UTF-8' }, 'win32', false],
    [{ WT_SESSION: 'x' }, 'win32', true],
  ];
  for (const [env, platform, shows] of cases) assert.equal(showsUnicode(env, platform), shows);
});

test('times are told as a person tells them, lengths of time too', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const at = (ms: number) => timeText(new Date(now + ms).toISOString(), now);
  assert.deepEqual(
    [at(-3_000), at(-300_000), at(31_920_000), at(-3 * 86_400_000)],
    ['just now', '5 min ago', 'in 8 h 52 min', '3 days ago'],
  );
  assert.match(at(30 * 86_400_000), /^2026-12-2\d \d\d:\d\d$/);
  assert.deepEqual(
    [40_000, 720_000, 3_600_000].map((ms) => durationText(ms)),
    ['40 s', '12 min', '1 h'],
  );
  assert.match(withTimes('Blocked until 2026-11-20T13:30:00.000Z.', now), /^Blocked until \d\d:\d\d\.$/);
});

test('progress shows what is known', () => {
  assert.equal(progressText({ progress: 3 }), '3');
  assert.equal(progressText({ progress: 3, total: 9 }), '3 of 9');
  assert.equal(progressText({ progress: 3, total: 9, message: 'Searching' }), '3 of 9: Searching');
});
