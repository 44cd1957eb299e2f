import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SKILL_MARK, writeSkill } from '../../src/connect/skillFile.ts';
import { type Machine, serviceFor } from '../../src/service/service.ts';
import { type CliOptions, relay, temporaryHome } from '../support/cli.ts';
import { IDLE_DOOR } from '../support/idleDoor.ts';

const TERMINAL = { stdin: true, stdout: true, stderr: true };
const OWN = { command: '/opt/relay', args: ['stdio'] };
const OTHER = '{"mcpServers":{"other":{"url":"https://x.example/mcp"}}}';

function unitText(command: string[]): string {
  const machine = { program: command, homeDir: '/me', uid: 501, run: () => assert.fail() };
  return serviceFor({ platform: 'linux', env: {}, machine, command }).text;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A person's computer with everything that relay can put there. */
function computer(context: TestContext) {
  const me = temporaryHome(context);
  const state = join(me, 'state');
  const program = join(me, 'bin', 'relay');
  const unit = join(me, '.config', 'systemd', 'user', 'relay.service');
  write(unit, unitText([program, '--home', state, 'serve']));
  for (const name of ['relay.db', 'library.db', 'config.json', 'master.key', 'relay.log']) {
    write(join(state, name), '{}');
    write(join(state, 'demo', name), '{}');
  }
  const url = 'http://127.0.0.1:4980/mcp';
  const cursor = join(me, '.cursor', 'mcp.json');
  write(cursor, JSON.stringify({ mcpServers: { relay: { url }, 'relay-demo': { url }, mine: OWN } }));
  write(`${cursor}.relay-backup-20260101T000000Z`, OTHER);
  write(join(me, '.gemini', 'settings.json'), OTHER);
  const machine: Machine = {
    program: [program],
    homeDir: me,
    uid: 501,
    run: async () => ({ ok: true, out: '', err: '' }),
  };
  const run = async (args: string[], options: CliOptions = {}) => {
    const env = { HOME: me, RELAY_HOME: state, RELAY_KEYCHAIN: 'file' };
    const { code, out, err } = await relay(['uninstall', ...args], { machine, env, ...options });
    return { code, out: out.replaceAll(me, '~'), err: err.replaceAll(me, '~') };
  };
  return { me, state, unit, cursor, machine, run };
}

test('relay uninstall --yes removes everything that relay put on the computer, backups too', async (context) => {
  const { me, state, unit, cursor, run } = computer(context);
  const skill = join(me, '.agents', 'skills', 'relay', 'SKILL.md');
  await writeSkill(join(me, '.agents', 'skills'), SKILL_MARK);
  write(join(me, '.cursor', 'skills', 'relay', 'SKILL.md'), 'written by somebody else');
  const { code, out, err } = await run(['--yes']);
  assert.equal(code, 0, err);
  assert.equal(
    out,
    `Removed: the service ~/.config/systemd/user/relay.service
Removed: relay, relay-demo from Cursor (~/.cursor/mcp.json)
Removed: the backup ~/.cursor/mcp.json.relay-backup-20260101T000000Z
Removed: the skill ~/.agents/skills/relay/SKILL.md
Removed: the login, settings, jobs and history in ~/state
`,
  );
  assert.match(
    err,
    /The program stays: ~\/bin\/relay\n.*remove that line\.\n.*spotify\.com\/account\/apps\/\n$/,
  );
  for (const path of [state, unit, skill]) assert.equal(existsSync(path), false, path);
  assert.deepEqual(readdirSync(join(me, '.cursor')).sort(), ['mcp.json', 'skills'], 'no backup is left');
  assert.deepEqual(JSON.parse(readFileSync(cursor, 'utf8')).mcpServers, { mine: OWN });
  assert.equal(readFileSync(join(me, '.gemini', 'settings.json'), 'utf8'), OTHER);
  assert.match((await run(['--yes'])).out, /^There is nothing to remove\.\n$/);
});

test('uninstall lists what it will remove and asks once, needs --yes without a terminal, and a server that has ended', async (context) => {
  const { state, unit, run } = computer(context);
  const no = await run([], { terminal: TERMINAL, stdin: '\n' });
  assert.deepEqual([no.code, no.out], [130, '']);
  assert.match(no.err, /^This will be removed:\n {2}the service ~.*\n {2}relay.* from Cursor .*\n/);
  assert.equal(no.err.match(/\[y\/N\]/g)?.length, 1);
  assert.equal((await run([])).code, 2);
  for (const home of [state, join(state, 'demo')]) {
    const startedAt = '2026-11-20T12:00:00.000Z';
    const server = { pid: process.pid, startedAt, version: '1.2.3', baseUrl: 'http://127.0.0.1:4980' };
    writeFileSync(join(home, 'server.json'), JSON.stringify({ ...server, ...IDLE_DOOR }));
    const refused = await run(['--yes']);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /^relay: A server is running \(pid \d+\)\. Nothing was removed\.\n/);
    rmSync(join(home, 'server.json'));
  }
  assert.deepEqual([existsSync(join(state, 'relay.db')), existsSync(unit)], [true, true]);
  const yes = await run([], { terminal: TERMINAL, stdin: 'y\n' });
  assert.deepEqual([yes.code, existsSync(state), existsSync(unit)], [0, false, false]);
});

test('a part that cannot be removed is reported, the rest is removed, and files of the person stay', async (context) => {
  const { state, machine, cursor, run } = computer(context);
  for (const name of ['oauth-clients.json', 'notes.txt', 'relay.db.bak']) write(join(state, name), 'mine');
  // The client's file changes after it was read, before relay writes it.
  const breaking: Machine = {
    ...machine,
    run: async (...asked) => {
      writeFileSync(cursor, '{');
      return machine.run(...asked);
    },
  };
  const { code, out, err } = await run(['--yes'], { machine: breaking });
  assert.equal(code, 1);
  assert.match(err, /^Could not remove relay.* from Cursor .*mcp\.json/);
  assert.match(out, /Removed: the login, settings, jobs and history in ~\/state\n$/);
  const kept = ['notes.txt', 'oauth-clients.json', 'relay.db.bak'];
  assert.deepEqual(readdirSync(state).sort(), kept);
  for (const name of kept)
    assert.ok(err.includes(`Kept, because relay did not create it: ~/state/${name}\n`));
});

test("uninstall --demo removes the demo's data and its entries, and nothing else", async (context) => {
  const { state, unit, cursor, run } = computer(context);
  const { code, out } = await run(['--demo', '--yes']);
  assert.equal(code, 0);
  assert.match(out, /^Removed: relay-demo from Cursor .*\nRemoved: .* in ~\/state\/demo\n$/);
  assert.deepEqual([existsSync(join(state, 'relay.db')), existsSync(unit)], [true, true]);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(cursor, 'utf8')).mcpServers), ['relay', 'mine']);
});

test('a directory with files of other programs and no state of relay is left as it is', async (context) => {
  const { state, run } = computer(context);
  rmSync(state, { recursive: true });
  const names = ['config.json', 'index.ts', 'master.key'];
  for (const name of names) write(join(state, name), 'mine');
  const { code, err } = await run(['--yes']);
  const stays = '~/state holds files of other programs and no state of relay, so nothing in it is removed.';
  assert.deepEqual([code, err.includes(stays), readdirSync(state).sort()], [0, true, names]);
});

test('the service and the entries of another home stay', async (context) => {
  const { me, unit, run } = computer(context);
  write(unit, unitText(['/usr/bin/relay', '--home', '/other home', 'serve']));
  const desktop = join(me, '.config', 'Claude', 'claude_desktop_config.json');
  const entry = { command: '/usr/bin/relay', args: ['--home', '/other home', 'stdio'] };
  write(desktop, JSON.stringify({ mcpServers: { relay: entry } }));
  const { code, err } = await run(['--yes']);
  assert.equal(code, 0);
  assert.match(err, /The service stays: .* starts relay for another home: "\/other home"\./);
  assert.equal(existsSync(unit), true);
  assert.deepEqual(JSON.parse(readFileSync(desktop, 'utf8')).mcpServers, { relay: entry });
});

test('the keys in the keychain are removed after the state that needs them', async (context) => {
  const { me, state, run } = computer(context);
  for (const home of [state, join(state, 'demo')]) rmSync(join(home, 'master.key'));
  const env = { HOME: me, RELAY_HOME: state, RELAY_KEYCHAIN: 'os' };
  const { err } = await run([], { env, terminal: TERMINAL, stdin: 'n\n' });
  const [, listed = ''] = /This will be removed:\n((?: {2}.*\n)+)/.exec(err) ?? [];
  assert.deepEqual(
    listed
      .trimEnd()
      .split('\n')
      .slice(-3)
      .map((line) => line.trim().split(' ').slice(0, 2).join(' ')),
    ['the login,', 'the key', 'the key'],
  );
});
