import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SKILL_MARK, writeSkill } from '../../src/connect/skillFile.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { Machine } from '../../src/service/service.ts';
import { serviceFor } from '../../src/service/service.ts';
import { acquireHome } from '../../src/store/home/lock.ts';
import { type CliOptions, relay, temporaryHome } from '../support/cli.ts';
import { assertNone, pluck } from '../support/entries.ts';
import { IDLE_DOOR } from '../support/idleDoor.ts';

const TERMINAL = { stdin: true, stdout: true, stderr: true };
const UNREAD = 'Zed (/me/.zed) cannot be read. If it has an entry for relay, remove the entry by hand.';
function unitText(command: string[]): string {
  const machine = { program: command, homeDir: '/me', uid: 501, run: () => assert.fail() };
  return serviceFor({ platform: 'linux', env: {}, machine, command }).text;
}

const SPOTIFY = "To end relay's access at Spotify too: https://www.spotify.com/account/apps/\n";
const CLIENTS = [
  { id: 'cursor', name: 'Cursor', file: '/me/.cursor/mcp.json', state: 'yes' },
  { id: 'codex', name: 'Codex CLI', file: '/me/.codex/config.toml', state: 'no' },
  { id: 'qwen', name: 'Qwen Code', file: '/me/.qwen/settings.json', state: 'no' },
  { id: 'zed', name: 'Zed', file: '/me/.zed', state: 'unreadable' },
  { id: 'kilo', name: 'Kilo', file: '/me/kilo', state: 'taken' },
  { id: 'vscode', name: 'VS Code', file: '/me/mcp.json', state: 'no', otherNames: ['music'] },
];

/** A person's computer with everything that relay can put there. The commands that relay runs are recorded in `asked`. */
function computer(context: TestContext, { refuses = '' } = {}) {
  const me = temporaryHome(context);
  const state = join(me, 'state');
  const program = join(me, 'bin', 'relay');
  const unit = join(me, '.config', 'systemd', 'user', 'relay.service');
  write(unit, unitText([program, '--home', state, 'serve']));
  write(join(me, '.bashrc'), 'alias ls=ls\nsource <(relay completion bash)\nexport A=1\n');
  write(join(me, '.zshrc'), 'source <(relay completion zsh) # mine\n');
  write(
    join(me, '.config', 'fish', 'completions', 'relay.fish'),
    '# Completion of relay for fish; load it\n',
  );
  for (const name of [
    'relay.db',
    'relay.db.before-restore-20261120T120000Z',
    'memory.db.damaged-1795176000000',
    'library.db',
    'library.db.12-ab-0.tmp',
    'memory.db',
    'config.json',
    'master.key',
    'plays-upload-00ff17a2b3c4d5e6',
  ]) {
    write(join(state, name), '{}');
    write(join(state, 'demo', name), '{}');
  }
  const asked: string[] = [];
  const machine: Machine = {
    program: [program],
    homeDir: me,
    uid: 501,
    run: async (command, words) => {
      const line = [command === program ? 'relay' : command, ...words].join(' ');
      asked.push(line);
      if (line === refuses) {
        return { ok: false, out: '', err: '{"error":{"code":"CONFLICT","message":"The file changed."}}' };
      }
      return {
        ok: true,
        out: / connect( |$)/.test(line) ? JSON.stringify({ clients: isDemo(words) ? [] : CLIENTS }) : '',
        err: '',
      };
    },
  };
  // Shows all paths as on Linux.
  const seen = (text: string) => text.replaceAll(me, '~').replaceAll('\\', '/');
  const run = async (args: string[], options: CliOptions = {}) => {
    const { code, out, err } = await relay(['uninstall', ...args], {
      machine,
      env: { RELAY_HOME: state, RELAY_KEYCHAIN: 'file' },
      ...options,
    });
    return { code, out: seen(out), err: seen(err) };
  };
  return { me, state, unit, asked, machine, run };
}

function isDemo(words: readonly string[]): boolean {
  return words.includes('--demo');
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

test('relay uninstall --yes removes everything that relay put on the computer', async (context) => {
  const { me, state, unit, asked, run } = computer(context);
  const skill = join(me, '.agents', 'skills', 'relay', 'SKILL.md');
  for (const name of ['relay.log', 'relay.log.1', 'config.json.12-ab-0.tmp']) write(join(state, name), 'old');
  await writeSkill(join(me, '.agents', 'skills'), SKILL_MARK);
  write(join(me, '.cursor', 'skills', 'relay', 'SKILL.md'), 'written by somebody else');
  assert.deepEqual(await run(['--yes']), {
    code: 0,
    out: `Removed the service (~/.config/systemd/user/relay.service).
Removed relay from Cursor (/me/.cursor/mcp.json).
Removed relay from VS Code (/me/mcp.json).
Removed the skill ~/.agents/skills/relay/SKILL.md.
Removed the completion in ~/.bashrc.
Removed the completion in ~/.config/fish/completions/relay.fish.
Removed the login, settings, jobs and history in ~/state.
`,
    err: `${UNREAD}\nThe program stays: ~/bin/relay\n${SPOTIFY}`,
  });
  assert.deepEqual(
    asked.filter((line) => line.startsWith('relay')),
    [
      'relay connect --json',
      'relay --demo connect --json',
      'relay connect cursor --remove --json',
      'relay connect vscode --remove --json',
    ],
  );
  assert.deepEqual(
    [state, unit, skill].map((path) => existsSync(path)),
    [false, false, false],
  );
  assert.equal(existsSync(join(me, '.cursor', 'skills', 'relay', 'SKILL.md')), true);
  assert.equal(readFileSync(join(me, '.bashrc'), 'utf8'), 'alias ls=ls\nexport A=1\n');
  assert.equal(readFileSync(join(me, '.zshrc'), 'utf8'), 'source <(relay completion zsh) # mine\n');

  const again = await run(['--yes', '--json']);
  assert.equal(again.code, 0);
  assert.deepEqual(pluck(JSON.parse(again.out).removed, 'part'), ['client', 'client']);
});

test('on a terminal, uninstall asks before each part, and keeps the parts that are not confirmed', async (context) => {
  const { me, state, unit, asked, run } = computer(context);
  const { code, out, err } = await run([], { terminal: TERMINAL, stdin: 'n\n\ny\nno\n' });
  assert.deepEqual([code, out], [0, 'Removed relay from VS Code (/me/mcp.json).\n']);
  assert.deepEqual(
    err.split(' [y/N] ').map((text) => text.trim()),
    [
      `${UNREAD}\nRemove the service (~/.config/systemd/user/relay.service)?`,
      'Remove relay from Cursor (/me/.cursor/mcp.json)?',
      'Remove relay from VS Code (/me/mcp.json)?',
      'Remove the completion in ~/.bashrc?',
      'Remove the completion in ~/.config/fish/completions/relay.fish?',
      'Remove the login, settings, jobs and history in ~/state?',
      `The program stays: ~/bin/relay\n${SPOTIFY}`.trim(),
    ],
  );
  assert.deepEqual(
    asked.filter((line) => line.includes('--remove')),
    ['relay connect vscode --remove --json'],
  );
  assert.deepEqual([existsSync(join(state, 'relay.db')), existsSync(unit)], [true, true]);
  assert.match(readFileSync(join(me, '.bashrc'), 'utf8'), /relay completion/);
});

test('without a terminal, uninstall needs --yes; it removes nothing while a server runs', async (context) => {
  const { state, asked, run } = computer(context);
  assert.deepEqual(await run([]), {
    code: 2,
    out: '',
    err: 'relay: Without a terminal, relay cannot ask what to remove.\n  To remove everything: `relay uninstall --yes`\n',
  });
  for (const home of [state, join(state, 'demo')]) {
    const server = {
      pid: process.pid,
      startedAt: '2026-11-20T12:00:00.000Z',
      version: '1.2.3',
      baseUrl: 'http://127.0.0.1:4980',
      ...IDLE_DOOR,
    };
    writeFileSync(join(home, 'server.json'), JSON.stringify(server));
    const refused = await run(['--yes']);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /^relay: A server is running \(pid \d+\)\. Nothing was removed\.\n/);
    const lock = await acquireHome(home, 'relay stdio');
    const { err } = await run(['--yes']);
    await lock.release();
    assert.match(
      err,
      /pid \d+\)\. An AI client started it: it ends ten minutes after its last client, when no job is left\. Nothing was/,
    );
    writeFileSync(join(home, 'server.json'), '{}');
  }
  assert.equal(existsSync(join(state, 'relay.db')), true);
  assertNone(asked, (line) => line.startsWith('relay'));
});

test('a part that cannot be removed is reported, the rest is removed, and files of the person stay', async (context) => {
  const { state, run } = computer(context, { refuses: 'relay connect cursor --remove --json' });
  writeFileSync(join(state, 'oauth-clients.json'), '[]');
  writeFileSync(join(state, 'notes.txt'), 'mine');
  const { code, err } = await run(['--yes']);
  assert.equal(code, 1);
  assert.equal(
    err,
    `${UNREAD}
/me/.cursor/mcp.json was not changed: The file changed.
Kept, because relay did not create it: ~/state/notes.txt
Kept, because relay did not create it: ~/state/oauth-clients.json
The program stays: ~/bin/relay
${SPOTIFY}`,
  );
  assert.deepEqual(readdirSync(state).sort(), ['notes.txt', 'oauth-clients.json']);
});

test('a startup file that the system does not let relay change stays, and the rest is removed', async (context) => {
  const { me, state, run } = computer(context);
  // No name is left for the file that would replace one with so long a name. Unlike permissions, this also holds for root.
  const target = join(me, 'b'.repeat(250));
  renameSync(join(me, '.bashrc'), target);
  symlinkSync(target, join(me, '.bashrc'));
  const { code, out, err } = await run(['--yes']);
  assert.equal(code, 1);
  assert.match(err, /\nCould not remove the completion in ~\/\.bashrc: ENAMETOOLONG: .*\.\n/);
  assert.match(out, /\nRemoved the login, settings, jobs and history in ~\/state\.\n$/);
  assert.equal(existsSync(state), false);
});

test('if the AI clients cannot be checked, uninstall says what to do, and has failed', async (context) => {
  const { state, machine, run } = computer(context);
  const error = {
    code: 'SETTINGS_INVALID',
    message: '2 problems with the settings:\n  - a is bad.\n  - b is bad.',
  };
  const unchecked: Machine = {
    ...machine,
    run: async (command, words) =>
      words.includes('connect')
        ? { ok: false, out: '', err: JSON.stringify({ error }) }
        : machine.run(command, words),
  };
  const { code, err } = await run(['--yes'], { machine: unchecked });
  assert.equal(code, 1);
  assert.equal(
    err,
    `The AI clients could not be checked: 2 problems with the settings: a is bad. b is bad.
To remove relay from them, correct this, then run \`relay uninstall\` again.
The program stays: ~/bin/relay
${SPOTIFY}`,
  );
  assert.equal(existsSync(state), false);
  const { out } = await run(['--yes', '--json'], { machine: unchecked });
  assert.deepEqual(JSON.parse(out).failed, [
    'The AI clients could not be checked: 2 problems with the settings: a is bad. b is bad.',
  ]);
});

test("uninstall --demo removes the demo's data and its entries, and nothing else", async (context) => {
  const me = temporaryHome(context);
  const home = join(me, 'state');
  for (const name of ['relay.db', 'config.json', 'master.key']) {
    write(join(home, name), '{}');
    write(join(home, 'demo', name), '{}');
  }
  const asked: string[] = [];
  const machine: Machine = {
    program: ['/opt/relay'],
    homeDir: me,
    uid: 501,
    run: async (_, words) => {
      asked.push(words.join(' '));
      return { ok: true, out: JSON.stringify({ clients: CLIENTS.slice(0, 1) }), err: '' };
    },
  };
  const env = { RELAY_HOME: home, RELAY_KEYCHAIN: 'file' };
  const { code, out, err } = await relay(['--demo', 'uninstall', '--yes'], { machine, env });
  assert.deepEqual(
    [code, out.replaceAll(me, '~'), err],
    [
      0,
      'Removed relay-demo from Cursor (/me/.cursor/mcp.json).\nRemoved the login, settings, jobs and history in ~/state/demo.\n',
      "This removes the demo's data only.\n",
    ],
  );
  assert.deepEqual(asked, ['--demo connect --json', '--demo connect cursor --remove --json']);
  assert.deepEqual(readdirSync(home).sort(), ['config.json', 'master.key', 'relay.db']);
});

test('an entry of the demo that goes with the real one is not named twice', async (context) => {
  const { machine, run } = computer(context);
  const [cursor, codex] = CLIENTS;
  const answers = {
    real: [
      { ...cursor, otherNames: ['relay-demo'] },
      { ...codex, state: 'yes' },
    ],
    demo: [cursor, { ...codex, state: 'yes' }],
  };
  const both: Machine = {
    ...machine,
    run: async (command, words) => {
      if (!words.includes('connect')) return machine.run(command, words);
      return {
        ok: true,
        out: JSON.stringify({ clients: isDemo(words) ? answers.demo : answers.real }),
        err: '',
      };
    },
  };
  const { out } = await run(['--yes'], { machine: both });
  assert.deepEqual(
    out.split('\n').filter((line) => line.includes(' from ')),
    [
      'Removed relay from Cursor (/me/.cursor/mcp.json).',
      'Removed relay from Codex CLI (/me/.codex/config.toml).',
      'Removed relay-demo from Codex CLI (/me/.codex/config.toml).',
    ],
  );
});

test('a directory with files of other programs and no state of relay is left as it is', async (context) => {
  const { state, run } = computer(context);
  const files = {
    'config.json': '{"compilerOptions":{}}',
    'master.key': 'mine',
    'server.json': '[]',
    'index.ts': '',
  };
  rmSync(state, { recursive: true });
  const names = Object.keys(files).sort();
  for (const name of names) write(join(state, name), files[name as keyof typeof files]);
  const { code, err } = await run(['--yes']);
  const stays = '~/state holds files of other programs and no state of relay, so nothing in it is removed.';
  assert.deepEqual([code, err.split('\n')[1], readdirSync(state).sort()], [0, stays, names]);
});

test("a person's own copies in the home stay, and are listed", async (context) => {
  const { state, run } = computer(context);
  const own = ['config.json.mine', 'relay.db.bak', 'relay.log.old'];
  for (const name of own) write(join(state, name), '');
  const { err } = await run(['--yes']);
  assert.deepEqual(readdirSync(state).sort(), own);
  for (const name of own)
    assert.ok(err.includes(`Kept, because relay did not create it: ~/state/${name}\n`), err);
});

test('the service and the entries of another home stay', async (context) => {
  const { unit, asked, machine, run } = computer(context);
  write(unit, unitText(['/usr/bin/relay', '--home', '/other home', 'serve']));
  const rows = [
    { id: 'cursor', name: 'Cursor', file: '/me/.cursor/mcp.json', state: 'other_home' },
    { id: 'codex', name: 'Codex CLI', file: '/me/.codex/config.toml', state: 'other', otherAddress: true },
  ];
  const other: Machine = {
    ...machine,
    run: async (command, words) => {
      const ran = await machine.run(command, words);
      const isList = words.includes('connect') && !isDemo(words);
      return isList ? { ...ran, out: JSON.stringify({ clients: rows }) } : ran;
    },
  };
  const { code, err } = await run(['--yes'], { machine: other });
  assert.equal(code, 0);
  assert.deepEqual(err.split('\n').slice(0, 3), [
    'The service stays: ~/.config/systemd/user/relay.service starts relay for another home: "/other home". There can be only one service. To remove it: relay --home "/other home" service uninstall',
    'relay in Cursor (/me/.cursor/mcp.json) stays: it starts relay for another home.',
    'relay in Codex CLI (/me/.codex/config.toml) stays: its address is not that of this home. To remove it: relay connect codex --remove',
  ]);
  assert.equal(existsSync(unit), true);
  assert.equal(
    asked.some((line) => line.includes('--remove')),
    false,
  );
});

test('Ctrl-C stops before the next part', async (context) => {
  const stop = new AbortController();
  const { state, unit, machine, run } = computer(context);
  const stopping: Machine = {
    ...machine,
    run: async (command, words) => {
      if (words.includes('--remove')) stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
      return machine.run(command, words);
    },
  };
  const { code, err } = await run(['--yes'], { machine: stopping, signal: stop.signal });
  assert.deepEqual([code, err], [130, `${UNREAD}\nrelay: Interrupted.\n`]);
  assert.deepEqual([existsSync(unit), existsSync(join(state, 'relay.db'))], [false, true]);
});

test('the keys are removed together with the state, and stay if the state stays', async (context) => {
  const { state, run } = computer(context);
  for (const home of [state, join(state, 'demo')]) rmSync(join(home, 'master.key'));
  const env = { RELAY_HOME: state, RELAY_KEYCHAIN: 'os' };
  const asked = await run([], { env, terminal: TERMINAL, stdin: '\n'.repeat(20) });
  assert.match(
    asked.err,
    /history in ~\/state\? \[y\/N\] The key stays in the keychain too, since the state needs it\.\nThe program/,
  );
  assert.equal(existsSync(join(state, 'relay.db')), true);
  const gone = await run([], { env, terminal: TERMINAL, stdin: `${'\n'.repeat(5)}y\n\n\n` });
  const key = 'key in the keychain (without this key, a backup of the login cannot be read)';
  assert.ok(gone.err.includes(`Remove the ${key}? [y/N] Remove the demo's ${key}? [y/N] `), gone.err);
  assert.equal(existsSync(state), false);
});
