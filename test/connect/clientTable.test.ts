/** Each client's documentation as literal values: where the file is, what is in it, and the equivalent command. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { CLIENTS, type Connection, findClient, setupFor } from '../../src/connect/clientTable.ts';
import type { System } from '../../src/connect/configPlaces.ts';
import { planFor } from '../../src/connect/connectClient.ts';
import { snippet } from '../../src/connect/merge.ts';
import { fileWith, URL } from './additions.ts';

const LINUX: System = { platform: 'linux', env: {}, home: '/home/me' };
const MAC: System = { platform: 'darwin', env: {}, home: '/Users/me' };
const WINDOWS: System = {
  platform: 'win32',
  env: { APPDATA: 'C:\\Users\\me\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local' },
  home: 'C:\\Users\\me',
};

function withEnv(system: System, env: NodeJS.ProcessEnv): System {
  return { ...system, env: { ...system.env, ...env } };
}

/** `relay stdio` as clients start it. */
const PROGRAM: Connection['program'] = ['/opt/relay/relay', 'stdio'];

const MSIX = 'C:\\Users\\me\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc';

const FILES: Array<[client: string, system: System, file: string, traces?: string[]]> = [
  ['claude-code', LINUX, '/home/me/.claude.json'],
  ['claude-code', MAC, '/Users/me/.claude.json'],
  ['claude-code', WINDOWS, 'C:\\Users\\me\\.claude.json'],
  ['claude-code', withEnv(LINUX, { CLAUDE_CONFIG_DIR: '/work/claude' }), '/work/claude/.claude.json'],
  ['claude-desktop', LINUX, '/home/me/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', withEnv(LINUX, { XDG_CONFIG_HOME: '/cfg' }), '/cfg/Claude/claude_desktop_config.json'],
  ['claude-desktop', MAC, '/Users/me/Library/Application Support/Claude/claude_desktop_config.json'],
  ['claude-desktop', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
  [
    'claude-desktop',
    WINDOWS,
    `${MSIX}\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`,
    [MSIX, 'C:\\Users\\me\\AppData\\Roaming\\Claude'],
  ],
  ['cursor', LINUX, '/home/me/.cursor/mcp.json'],
  ['cursor', MAC, '/Users/me/.cursor/mcp.json'],
  ['cursor', WINDOWS, 'C:\\Users\\me\\.cursor\\mcp.json'],
  ['vscode', LINUX, '/home/me/.config/Code/User/mcp.json'],
  ['vscode', withEnv(LINUX, { XDG_CONFIG_HOME: '/cfg' }), '/cfg/Code/User/mcp.json'],
  ['vscode', MAC, '/Users/me/Library/Application Support/Code/User/mcp.json'],
  ['vscode', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
  ['vscode', { ...WINDOWS, env: {} }, 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'],
  ['codex', LINUX, '/home/me/.codex/config.toml'],
  ['codex', MAC, '/Users/me/.codex/config.toml'],
  ['codex', WINDOWS, 'C:\\Users\\me\\.codex\\config.toml'],
  ['codex', withEnv(WINDOWS, { CODEX_HOME: 'D:\\codex' }), 'D:\\codex\\config.toml'],
  ['gemini', LINUX, '/home/me/.gemini/settings.json'],
  ['gemini', MAC, '/Users/me/.gemini/settings.json'],
  ['gemini', WINDOWS, 'C:\\Users\\me\\.gemini\\settings.json'],
  ['gemini', withEnv(LINUX, { GEMINI_CLI_HOME: '/work' }), '/work/.gemini/settings.json'],
  ['windsurf', LINUX, '/home/me/.codeium/windsurf/mcp_config.json'],
  ['windsurf', MAC, '/Users/me/.codeium/windsurf/mcp_config.json'],
  ['windsurf', WINDOWS, 'C:\\Users\\me\\.codeium\\windsurf\\mcp_config.json'],
  [
    'windsurf',
    LINUX,
    '/home/me/.config/devin/mcp_config.json',
    ['/home/me/.config/devin', '/home/me/.codeium/windsurf'],
  ],
  ['windsurf', MAC, '/Users/me/.config/devin/mcp_config.json', ['/Users/me/.config/devin']],
  [
    'windsurf',
    WINDOWS,
    'C:\\Users\\me\\AppData\\Roaming\\devin\\mcp_config.json',
    ['C:\\Users\\me\\AppData\\Roaming\\devin'],
  ],
];

const MORE_FILES: typeof FILES = [
  ['copilot', LINUX, '/home/me/.copilot/mcp-config.json'],
  ['copilot', withEnv(WINDOWS, { COPILOT_HOME: 'D:\\copilot' }), 'D:\\copilot\\mcp-config.json'],
  ['opencode', MAC, '/Users/me/.config/opencode/opencode.json'],
  [
    'opencode',
    LINUX,
    '/home/me/.config/opencode/opencode.jsonc',
    ['/home/me/.config/opencode/opencode.jsonc'],
  ],
  ['cline', LINUX, '/home/me/.cline/data/settings/cline_mcp_settings.json'],
  ['qwen', MAC, '/Users/me/.qwen/settings.json'],
  ['zed', LINUX, '/home/me/.config/zed/settings.json'],
  ['zed', MAC, '/Users/me/.config/zed/settings.json'],
  ['zed', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json'],
  ['goose', MAC, '/Users/me/.config/goose/config.yaml'],
  ['goose', WINDOWS, 'C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml'],
  ['antigravity', LINUX, '/home/me/.gemini/config/mcp_config.json'],
  ['antigravity', WINDOWS, 'C:\\Users\\me\\.gemini\\config\\mcp_config.json'],
  [
    'antigravity',
    MAC,
    '/Users/me/.gemini/config/mcp_config.json',
    ['/Users/me/.gemini/config', '/Users/me/.gemini/antigravity/mcp_config.json'],
  ],
  [
    'antigravity',
    LINUX,
    '/home/me/.gemini/antigravity/mcp_config.json',
    ['/home/me/.gemini/antigravity', '/home/me/.gemini/antigravity/mcp_config.json'],
  ],
  ['kilo', LINUX, '/home/me/.config/kilo/kilo.jsonc'],
  ['kilo', LINUX, '/home/me/.config/kilo/kilo.json', ['/home/me/.config/kilo/kilo.json']],
  ['kilo', withEnv(LINUX, { XDG_CONFIG_HOME: '/cfg' }), '/cfg/kilo/kilo.jsonc'],
  ['qoder', WINDOWS, 'C:\\Users\\me\\.qoder\\settings.json'],
];

for (const [id, system, file, traces = []] of [...FILES, ...MORE_FILES]) {
  test(`${id} keeps its servers in ${file}`, () => {
    assert.equal(setupOf(id, system, traces).file, file);
  });
}

function setupOf(id: string, system: System, traces: string[] = []) {
  const client = findClient(id);
  assert.ok(client);
  return setupFor(client, system, (path) => traces.includes(path));
}

function fileOf(id: string, connection: Partial<Connection>, traces?: string[]): string {
  const client = findClient(id);
  assert.ok(client);
  const { format, section } = client;
  const all: Connection = { name: 'relay', url: URL, key: null, program: PROGRAM, ...connection };
  return snippet({ format, section, name: all.name, entry: setupOf(id, LINUX, traces).entry(all) });
}

const headers = { Authorization: 'Bearer relay_k' };

const KEY_FILES: Record<string, string> = {
  'claude-code': fileWith('mcpServers', { type: 'http', url: URL, headers }),
  'claude-desktop': fileWith('mcpServers', {
    command: '/opt/relay/relay',
    args: ['stdio', '--access', 'everything'],
  }),
  cursor: fileWith('mcpServers', { url: URL, headers }),
  vscode: fileWith('servers', { type: 'http', url: URL, headers }),
  codex: `[mcp_servers.relay]
url = "http://127.0.0.1:4980/mcp"

[mcp_servers.relay.http_headers]
Authorization = "Bearer relay_k"
`,
  gemini: fileWith('mcpServers', { url: URL, type: 'http', headers }),
  windsurf: fileWith('mcpServers', { serverUrl: URL, headers }),
  copilot: fileWith('mcpServers', { type: 'http', url: URL, tools: ['*'], headers }),
  opencode: fileWith('mcp', { type: 'remote', url: URL, headers }),
  cline: fileWith('mcpServers', { transport: { type: 'streamableHttp', url: URL, headers } }),
  qwen: fileWith('mcpServers', { httpUrl: URL, headers }),
  zed: fileWith('context_servers', { url: URL, headers }),
  goose: `extensions:
  relay:
    type: streamable_http
    name: relay
    enabled: true
    uri: http://127.0.0.1:4980/mcp
    headers:
      Authorization: Bearer relay_k
    env_keys: []
    envs: {}
    timeout: 300
`,
  antigravity: fileWith('mcpServers', {
    command: '/opt/relay/relay',
    args: ['stdio', '--access', 'everything'],
  }),
  kilo: fileWith('mcp', { type: 'remote', url: URL, enabled: true, headers }),
  qoder: fileWith('mcpServers', { url: URL, type: 'http', headers }),
};

for (const { id } of CLIENTS) {
  test(`the entry of ${id} with a key`, () => {
    assert.equal(fileOf(id, { key: 'relay_k' }), KEY_FILES[id]);
  });
}

test('Devin Desktop, formerly Windsurf, uses url instead of serverUrl', () => {
  assert.equal(fileOf('windsurf', {}, ['/home/me/.config/devin']), fileWith('mcpServers', { url: URL }));
});

test('a client that starts programs gets everything, or what the person has said', () => {
  const { entry } = setupOf('claude-desktop', LINUX);
  const command = '/opt/relay/relay';
  for (const access of [undefined, 'read'] as const)
    assert.deepEqual(entry({ name: 'relay', url: URL, key: null, program: PROGRAM, access }), {
      command,
      args: ['stdio', '--access', access ?? 'everything'],
    });
});

const COMMANDS: Array<[client: string, connection: Partial<Connection>, command: string | null]> = [
  ['claude-code', {}, `claude mcp add --transport http --scope user relay ${URL}`],
  [
    'claude-code',
    { url: 'http://[::1]:1/mcp', name: 'relay-demo' },
    'claude mcp add --transport http --scope user relay-demo "http://[::1]:1/mcp"',
  ],
  ['codex', { access: 'read' }, null],
  ['claude-desktop', {}, null],
  ['cursor', {}, null],
  ['vscode', {}, `code --add-mcp "{\\"name\\":\\"relay\\",\\"type\\":\\"http\\",\\"url\\":\\"${URL}\\"}"`],
  ['codex', {}, `codex mcp add relay --url ${URL}`],
  ['gemini', {}, `gemini mcp add --scope user --transport http relay ${URL}`],
];

for (const [id, connection, command] of COMMANDS) {
  test(`the command of ${id}, ${JSON.stringify(connection)}`, () => {
    const all: Connection = { name: 'relay', url: URL, key: null, program: PROGRAM, ...connection };
    assert.equal(planFor(findClient(id) ?? assert.fail(id), all, LINUX).command, command);
  });
}

test('no command of a client is shown with a key, since every user of the machine can read command lines', () => {
  const connection = { name: 'relay', url: URL, key: 'relay_k', program: PROGRAM };
  for (const client of CLIENTS) assert.equal(planFor(client, connection, LINUX).command, null, client.id);
});

test('clients are found by ID and by alias, ignoring case', () => {
  assert.deepEqual(
    ['Cursor', 'claude', 'VS-Code', 'code', 'codex-cli', 'Gemini-CLI', 'devin', 'agy', 'qwen-code', 'x'].map(
      (name) => findClient(name)?.id,
    ),
    [
      'cursor',
      'claude-code',
      'vscode',
      'vscode',
      'codex',
      'gemini',
      'windsurf',
      'antigravity',
      'qwen',
      undefined,
    ],
  );
});

test('what the user does next is what the newest version of each client asks for', () => {
  const connection = { name: 'relay', url: URL, program: PROGRAM };
  const next = (id: string, key: string | null) =>
    planFor(findClient(id) ?? assert.fail(id), { ...connection, key }, LINUX).next;
  assert.deepEqual(
    ['claude-code', 'copilot', 'cline', 'qwen'].flatMap((id) => [next(id, null), next(id, 'k')]),
    [
      'Run `claude mcp login relay`, or in a new session type /mcp, choose relay, then Authenticate.',
      'In a new Claude Code session, /mcp lists relay as connected. If it still asks you to sign in, as it did without the key, run `claude mcp logout relay`.',
      'A new Copilot CLI session opens the browser. If it does not, type `/mcp auth relay` there.',
      'In a new Copilot CLI session, type `/mcp show relay`.',
      'In Cline, open MCP Servers and find relay; it opens the browser. In a terminal, run `cline mcp` and choose Authorize OAuth.',
      'In Cline, open MCP Servers and find relay.',
      'In a new Qwen Code session, type /mcp, choose relay, then Authenticate.',
      'In a new Qwen Code session, /mcp lists relay.',
    ],
  );
});
