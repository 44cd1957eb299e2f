/**
 * With --toolsets or --read-only, `relay connect` writes headers into the client's file. Otherwise it leaves the headers as
 * they are.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { CLIENTS } from '../../src/connect/clientTable.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';

const URL = 'http://127.0.0.1:4980/mcp';
const NARROW = ['--toolsets', 'catalog, Playback', '--read-only'];
const HEADERS = { 'X-MCP-Toolsets': 'catalog,playback', 'X-MCP-Readonly': 'true' };

function desk(context: TestContext) {
  const home = temporaryHome(context);
  const at = (file: string) => join(home, file);
  return {
    run: (...args: string[]) =>
      relay(['connect', ...args], { env: { HOME: home, RELAY_HOME: at('relay-home') } }),
    put(file: string, content: unknown) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), JSON.stringify(content));
    },
    json: (file: string) => JSON.parse(readFileSync(at(file), 'utf8')),
    exists: (file: string) => existsSync(at(file)),
  };
}

/** The entry that each client gets, and a pattern for its own command; null if the client has no command. */
const ENTRIES: Record<string, { entry: object; command: RegExp | null }> = {
  'claude-code': {
    entry: { type: 'http', url: URL, headers: HEADERS },
    command: /mcp --header "X-MCP-Toolsets: catalog,playback" --header "X-MCP-Readonly: true"$/,
  },
  'claude-desktop': {
    entry: { command: '/opt/relay/relay', args: ['stdio', '--toolsets', 'catalog,playback', '--read-only'] },
    command: null,
  },
  cursor: { entry: { url: URL, headers: HEADERS }, command: null },
  vscode: {
    entry: { type: 'http', url: URL, headers: HEADERS },
    command: null,
  },
  codex: { entry: { url: URL, http_headers: HEADERS }, command: null },
  gemini: {
    entry: { url: URL, type: 'http', headers: HEADERS },
    command: /--header "X-MCP-Toolsets: catalog,playback" --header "X-MCP-Readonly: true" relay /,
  },
  windsurf: { entry: { serverUrl: URL, headers: HEADERS }, command: null },
  copilot: { entry: { type: 'http', url: URL, tools: ['*'], headers: HEADERS }, command: null },
  opencode: { entry: { type: 'remote', url: URL, headers: HEADERS }, command: null },
  cline: {
    entry: { transport: { type: 'streamableHttp', url: URL, headers: HEADERS } },
    command: null,
  },
  qwen: { entry: { httpUrl: URL, headers: HEADERS }, command: null },
  zed: { entry: { url: URL, headers: HEADERS }, command: null },
  goose: {
    entry: {
      type: 'streamable_http',
      name: 'relay',
      enabled: true,
      uri: URL,
      headers: HEADERS,
      env_keys: [],
      envs: {},
      timeout: 300,
    },
    command: null,
  },
  antigravity: {
    entry: { command: '/opt/relay/relay', args: ['stdio', '--toolsets', 'catalog,playback', '--read-only'] },
    command: null,
  },
  kilo: { entry: { type: 'remote', url: URL, enabled: true, headers: HEADERS }, command: null },
  qoder: {
    entry: { url: URL, type: 'http', headers: HEADERS },
    command: /mcp --header "X-MCP-Toolsets: catalog,playback" --header "X-MCP-Readonly: true"$/,
  },
};

test('the table above has every client', () => {
  assert.deepEqual(Object.keys(ENTRIES), pluck(CLIENTS, 'id'));
});

for (const [client, { entry, command }] of Object.entries(ENTRIES)) {
  test(`connect ${client} shows the headers in the entry and in the client's own command`, async (context) => {
    const { run } = desk(context);
    const shown = JSON.parse((await run(client, ...NARROW, '--json')).out);
    // The arguments begin with --home, since the client starts the program without this shell's RELAY_HOME.
    const { args } = shown.entry;
    if (args) assert.deepEqual(args.splice(0, 2)[0], '--home');
    assert.deepEqual(shown.entry, entry);
    if (command === null) assert.equal(shown.command, null);
    else assert.match(shown.command, command);
    const text = (await run(client, ...NARROW)).out;
    assert.match(text, / --toolsets catalog,playback --read-only --write$/m);
  });
}

test('--toolsets replaces its own header and leaves others; without the option all headers stay', async (context) => {
  const { run, put, json } = desk(context);
  const file = '.cursor/mcp.json';
  put(file, { mcpServers: { relay: { url: URL, headers: { 'x-mcp-toolsets': 'all', 'X-Other': '1' } } } });
  assert.equal((await run('cursor', '--toolsets', 'jobs', '--write')).code, 0);
  const headers = { 'X-Other': '1', 'X-MCP-Toolsets': 'jobs' };
  assert.deepEqual(json(file), { mcpServers: { relay: { url: URL, headers } } });
  const again = await run('cursor', '--write', '--json');
  assert.equal(JSON.parse(again.out).changed, false);
  assert.deepEqual(json(file).mcpServers.relay.headers, headers);
});

test('a client that starts relay keeps the options and the environment of its entry', async (context) => {
  const { run, put, json } = desk(context);
  const file = '.config/Claude/claude_desktop_config.json';
  assert.equal((await run('claude-desktop', ...NARROW, '--write')).code, 0);
  const { command, args } = json(file).mcpServers.relay;
  const env = { RELAY_KEYCHAIN: 'file' };
  // The program has moved since.
  put(file, { mcpServers: { relay: { command: '/old/relay', args, env } } });
  assert.equal((await run('claude-desktop', '--write')).code, 0);
  assert.deepEqual(json(file), { mcpServers: { relay: { command, args, env } } });
  assert.equal((await run('claude-desktop', '--toolsets', 'jobs', '--write')).code, 0);
  const narrower = [...args.slice(0, args.indexOf('--toolsets')), '--toolsets', 'jobs', '--read-only'];
  assert.deepEqual(json(file), { mcpServers: { relay: { command, args: narrower, env } } });
  // An entry that starts another program has an environment of its own.
  put(file, { mcpServers: { relay: { command: 'npx', args: ['mcp-remote', URL], env } } });
  assert.equal((await run('claude-desktop', '--write')).code, 0);
  assert.deepEqual(json(file).mcpServers.relay, { command, args: args.slice(0, args.indexOf('--toolsets')) });
});

test('an unknown toolset, or a missing client name, is reported before anything is written', async (context) => {
  const { run, exists } = desk(context);
  const wrong = await run('cursor', '--toolsets', 'catalog,playlist', '--write');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--toolsets must name toolsets, separated by commas, not "catalog,playlist"\./);
  assert.match(wrong.err.replaceAll(/\s+/g, ' '), /They are standard, catalog, playlists, library, history,/);
  assert.equal((await run('cursor', '--toolsets', '')).code, 2);
  for (const flags of [['--toolsets', 'jobs'], ['--read-only']]) {
    const { code, err } = await run(...flags);
    assert.deepEqual([code, err.includes(`${flags[0]} needs the name of a client.`)], [2, true]);
  }
  assert.equal(exists('.cursor/mcp.json'), false);
});

test('on a terminal, connect asks once whether to offer the extra tools; yes is the default, and the answer is stored', async (context) => {
  const home = temporaryHome(context);
  const env = { HOME: home, RELAY_HOME: join(home, 'relay-home') };
  const terminal = { stdin: true, stdout: true, stderr: true };
  const connect = (stdin: string, more: object = {}) =>
    relay(['connect', 'cursor'], { env: { ...env, ...more }, terminal, stdin });
  const stored = () => JSON.parse(readFileSync(join(env.RELAY_HOME, 'config.json'), 'utf8'));
  const question = /\nAlso offer undo, the queue, shuffle and albums to AI clients\? \[Y\/n\] /;

  const decided = await connect('', { RELAY_TOOLSETS: 'catalog' });
  assert.doesNotMatch(decided.err, question);
  const yes = await connect('\n');
  assert.deepEqual([yes.code, stored()], [0, { toolsets: ['standard', 'extras'] }]);
  assert.match(yes.err, question);
  assert.match(yes.err, /Saved: toolsets is standard,extras\. relay offers them after its next start\.\n$/);
  assert.doesNotMatch((await connect('')).err, question);

  writeFileSync(join(env.RELAY_HOME, 'config.json'), '{}');
  const no = await connect('n\n');
  assert.deepEqual([no.code, stored()], [0, { toolsets: ['standard'] }]);
  writeFileSync(join(env.RELAY_HOME, 'config.json'), '{}');
  const unanswered = await connect('');
  assert.deepEqual([unanswered.code, stored()], [0, {}]);
  assert.match(unanswered.err, question);
  assert.doesNotMatch(unanswered.err, /Saved/);
  assert.doesNotMatch((await relay(['connect', 'cursor'], { env })).err, question);
});
