/** The real clients: the version to fetch, and how each lists relay's tools. To add a client, add an object. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The surroundings of a client: its own home, and a relay server with the demo. */
export interface Desk {
  home: string;
  /** The server's name in the files of clients. */
  server: string;
  mcpUrl: string;
  key: string;
  /** The number of tools. */
  tools: number;
  /** The command line with which a client starts `relay stdio`. */
  program: readonly [string, ...string[]];
}

/** A command of the client, and its output on success. */
export interface Question {
  args(desk: Desk): readonly string[];
  says: RegExp | ((desk: Desk) => RegExp);
  /** Writes the client's file, if it is not given the program directly. */
  write?(desk: Desk): Promise<void>;
  env?: NodeJS.ProcessEnv;
  /** The text for stdin. */
  input?: string;
  /** The command runs until somebody quits it. It is ended after this output. */
  until?: RegExp;
}

export interface RealClient {
  id: string;
  /** Name and version. */
  package: string;
  /** Name of the package's program. */
  bin: string;
  /** Install script that the package cannot do without, as a path in its directory. */
  install?: string;
  /** Name for `relay connect`, which writes the entry with the URL; null if the client is given the URL directly. */
  connect: string | null;
  /** Writes what the client needs besides relay's entry. */
  prepare?(desk: Desk): Promise<void>;
  /** null if the client has no such way. */
  url: Question | null;
  stdio: Question | null;
}

type Entry = (command: string, args: readonly string[]) => object;

/** Writes an entry into a section of a JSON file, at a path below the home. */
function entered(path: readonly string[], section: string, entry: Entry): Question['write'] {
  return ({ home, server, program: [command, ...args] }) =>
    writeJson(join(home, ...path), { [section]: { [server]: entry(command, args) } });
}

async function writeJson(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(content));
}

const plain: Entry = (command, args) => ({ command, args });
const local: Entry = (command, args) => ({ type: 'local', command: [command, ...args] });

/** A client whose `mcp list` says something behind the server's name, mostly that it has connected. */
function lists(
  client: Omit<RealClient, 'url' | 'stdio'>,
  write: Question['write'],
  url: string,
  stdio = url,
): RealClient {
  const question = (after: string): Question => ({
    args: () => ['mcp', 'list'],
    says: ({ server }) => new RegExp(`${server}${after}`),
  });
  return { ...client, url: question(url), stdio: { ...question(stdio), ...(write && { write }) } };
}

const claudeCode = lists(
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code@2.1.330',
    bin: 'claude',
    install: 'install.cjs',
    connect: 'claude-code',
  },
  entered(['.claude.json'], 'mcpServers', (command, args) => ({ type: 'stdio', command, args })),
  ': .*Connected',
);

/** Its list does not connect. */
const codex = lists(
  { id: 'codex', package: '@openai/codex@0.169.0', bin: 'codex', connect: 'codex' },
  async ({ home, server, program: [command, ...args] }) => {
    await mkdir(join(home, '.codex'), { recursive: true });
    const entry = `[mcp_servers.${server}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
    await writeFile(join(home, '.codex', 'config.toml'), entry);
  },
  ' .*enabled +Bearer token',
  ' .*stdio.*enabled',
);

/** It starts no server in a directory that it does not trust. */
const gemini = lists(
  {
    id: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    bin: 'gemini',
    connect: 'gemini',
    async prepare({ home }) {
      const settings = join(home, '.gemini', 'settings.json');
      const written = JSON.parse(await readFile(settings, 'utf8')) as object;
      await writeJson(settings, { ...written, security: { auth: { selectedType: 'gemini-api-key' } } });
      await writeJson(join(home, '.gemini', 'trustedFolders.json'), { [home]: 'TRUST_FOLDER' });
    },
  },
  entered(['.gemini', 'settings.json'], 'mcpServers', plain),
  ': .*Connected',
);

/** Its list does not connect. */
const copilot = lists(
  { id: 'copilot', package: '@github/copilot@1.0.102', bin: 'copilot', connect: 'copilot' },
  entered(['.copilot', 'mcp-config.json'], 'mcpServers', (command, args) => ({
    type: 'local',
    command,
    args,
    tools: ['*'],
  })),
  ' \\(http\\)',
  ' \\(local\\)',
);

const opencode = lists(
  {
    id: 'opencode',
    package: 'opencode-ai@1.18.33',
    bin: 'opencode',
    install: 'postinstall.mjs',
    connect: 'opencode',
  },
  entered(['.config', 'opencode', 'opencode.json'], 'mcp', local),
  '.*connected',
);

const kilo = lists(
  { id: 'kilo', package: '@kilocode/cli@7.7.7', bin: 'kilo', install: 'postinstall.mjs', connect: 'kilo' },
  entered(['.config', 'kilo', 'kilo.jsonc'], 'mcp', local),
  '.*connected',
);

const qwen = lists(
  { id: 'qwen', package: '@qwen-code/qwen-code@0.24.4', bin: 'qwen', connect: 'qwen' },
  entered(['.qwen', 'settings.json'], 'mcpServers', plain),
  ': .*Connected',
);

const qoder = lists(
  { id: 'qoder', package: '@qoder-ai/qodercli@1.1.52', bin: 'qodercli', connect: 'qoder' },
  entered(['.qoder', 'settings.json'], 'mcpServers', plain),
  ': .*- Connected',
);

/** mcporter reads the files of Cursor and other clients. */
const counted: Question = {
  args: () => ['list'],
  says: ({ server, tools }) => new RegExp(`${server} \\(${tools} tools`),
};
const mcporter: RealClient = {
  id: 'mcporter',
  package: 'mcporter@0.12.3',
  bin: 'mcporter',
  connect: 'cursor',
  url: counted,
  stdio: { ...counted, write: entered(['.cursor', 'mcp.json'], 'mcpServers', plain) },
};

/** Claude Desktop's file, read by mcporter. `relay connect` writes an entry that starts `relay stdio`. */
const desktop: RealClient = {
  ...mcporter,
  id: 'claude-desktop',
  connect: 'claude-desktop',
  url: {
    args: ({ home, server }) => [
      '--config',
      join(home, '.config', 'Claude', 'claude_desktop_config.json'),
      'list',
      server,
    ],
    says: ({ tools }) => new RegExp(`${tools} tools`),
  },
  stdio: null,
};

const INSPECT = ['--method', 'tools/list'];

const inspector: RealClient = {
  id: 'inspector',
  package: '@modelcontextprotocol/inspector@2.12.0',
  bin: 'mcp-inspector',
  connect: null,
  url: {
    args: ({ mcpUrl, key }) => ['--cli', mcpUrl, '--header', `Authorization: Bearer ${key}`, ...INSPECT],
    says: /"search_tracks"/,
  },
  stdio: { args: ({ program }) => ['--cli', ...program, ...INSPECT], says: /"search_tracks"/ },
};

/** Connects clients that can only start programs to a server with an address. */
const mcpRemote: RealClient = {
  id: 'mcp-remote',
  package: 'mcp-remote@0.15.1',
  bin: 'mcp-remote',
  connect: null,
  url: {
    args: ({ mcpUrl, key }) => [mcpUrl, '--header', `Authorization: Bearer ${key}`],
    input: [
      {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'desktop', version: '1.0.0' },
        },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ]
      .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      .join(''),
    says: /"id":2.*"search_tracks"/,
    until: /"id":2.*"search_tracks".*\n/,
  },
  stdio: null,
};

const LISTING = [claudeCode, codex, gemini, copilot, opencode, kilo, qwen, qoder];
export const CLIENTS: readonly RealClient[] = [...LISTING, mcporter, desktop, inspector, mcpRemote];
