/** The real clients as data: the version to fetch, and the commands to run. To add a client, add an object. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finalText, PROMPT_CAME } from './model.ts';
import type { Keys } from './process.ts';

/** The surroundings of a client: its own home, a relay server with the demo, and a stand-in for a model. */
export interface Desk {
  home: string;
  /** The server's name in the files of clients. */
  server: string;
  mcpUrl: string;
  modelUrl: string;
  /** A tool call, and part of its answer. */
  call: { tool: string; arguments: Readonly<Record<string, string | number>>; answer: string };
  /** A prompt of relay, and the words that the person types after its name. */
  prompt: { name: string; words: string };
  /** The command line with which a client starts `relay stdio`. */
  program: readonly [string, ...string[]];
}

/** One command of the client, and its output on success. */
export interface Ask {
  /** Arguments of a command of the client to run first. */
  first?: readonly string[];
  args: readonly string[];
  says: RegExp;
  env?: NodeJS.ProcessEnv;
  /** What to type, and after which output. */
  keys?: readonly Keys[];
  /** The text for stdin. */
  input?: string;
  /** True if the command runs until somebody quits it. It is then ended after the expected output. */
  staysOpen?: true;
  /** True if the client connects to the server to make its list. */
  connects?: true;
  /** The output of a list that lacks the server. Whatever it is, `says` must not match. */
  without?: RegExp;
}

/** A command, or a short text that says why there is none. */
export type Question = ((desk: Desk) => Ask) | string;

export interface RealClient {
  id: string;
  package: string;
  version: string;
  /** Name of the package's program. */
  bin: string;
  /** Install script that the package cannot do without, as a path in its directory. */
  install?: string;
  /** Name for `relay connect`; null if the client is given the address directly. */
  connect: string | null;
  /** Writes what the client needs besides relay's entry. */
  prepare?(desk: Desk): Promise<void>;
  /** The command that lists the client's servers. It runs with the API key in the client's file, and again after `login`. */
  list: Question;
  login: Question;
  call: Question;
  /** Picks the prompt, and shows what the model gets. */
  prompt: Question;
  /**
   * How the client starts `relay stdio`; null if the client starts no programs, or if `relay connect` already writes that
   * entry.
   */
  stdio: Stdio | null;
  /** A known race in the client after the sign-in. Because of it, a command that fails then is run once more. */
  race?: string;
}

interface Stdio {
  /** Writes the entry into the client's file; left out if the client is given the program directly. */
  enter?(desk: Desk): Promise<void>;
  /** The list command, if it differs from the command for a server with an address. */
  list?: Question;
  call?: Question;
}

/** Returns a function that writes an entry into a section of a JSON file, at a path below the home. */
function entered(
  path: readonly string[],
  section: string,
  entry: (command: string, args: readonly string[]) => object,
): Stdio['enter'] {
  return async ({ home, server, program: [command, ...args] }) => {
    const file = join(home, ...path);
    await mkdir(dirname(file), { recursive: true });
    await writeJson(file, { [section]: { [server]: entry(command, args) } });
  };
}

const NO_PROMPTS = 'only on its screen';

/** Returns messages as lines of JSON-RPC, as a program gets them on stdin. */
function messages(...all: object[]): string {
  return all.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

const PROMPT = 'Search for the tracks.';
const ENTER = '\r';
const DOWN = '\x1b[B';

const listsConnected: RealClient['list'] = ({ server }) => ({
  args: ['mcp', 'list'],
  says: new RegExp(`${server}: .*Connected`),
  connects: true,
});

const claudeCode: RealClient = {
  id: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.330',
  bin: 'claude',
  install: 'install.cjs',
  connect: 'claude-code',
  list: listsConnected,
  login: ({ server }) => ({ args: ['mcp', 'login', server], keys: [], says: /Authenticated with/ }),
  call: ({ server, modelUrl, call }) => ({
    args: ['-p', PROMPT, '--allowedTools', `mcp__${server}__${call.tool}`],
    env: { ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'none' },
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: ({ server, modelUrl, prompt }) => ({
    args: ['-p', `/mcp__${server}__${prompt.name} ${prompt.words}`],
    env: { ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'none' },
    says: new RegExp(PROMPT_CAME),
  }),
  stdio: {
    enter: entered(['.claude.json'], 'mcpServers', (command, args) => ({ type: 'stdio', command, args })),
  },
};

const codex: RealClient = {
  id: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  bin: 'codex',
  connect: 'codex',
  list: ({ server }) => ({
    args: ['mcp', 'list'],
    says: new RegExp(`${server} .*enabled +(Bearer token|OAuth)`),
  }),
  login: ({ server }) => ({ args: ['mcp', 'login', server], says: /Successfully logged in/ }),
  call: ({ modelUrl, call }) => ({
    args: [
      'exec',
      '--skip-git-repo-check',
      '-m',
      'standin',
      '-c',
      'model_provider="standin"',
      '-c',
      `model_providers.standin={name="standin",base_url="${modelUrl}/v1",wire_api="responses"}`,
      PROMPT,
    ],
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: 'it has no prompts',
  stdio: {
    async enter({ home, server, program: [command, ...args] }) {
      await mkdir(join(home, '.codex'), { recursive: true });
      const lines = [
        `[mcp_servers.${server}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
      ];
      await writeFile(join(home, '.codex', 'config.toml'), `${lines.join('\n')}\n`);
    },
    list: ({ server }) => ({ args: ['mcp', 'list'], says: new RegExp(`${server} .*stdio.*enabled`) }),
  },
};

/** Gemini CLI starts no server in a directory that it does not trust, and `/mcp auth` needs a chosen account. */
const gemini: RealClient = {
  id: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  bin: 'gemini',
  connect: 'gemini',
  async prepare({ home }) {
    const folder = join(home, '.gemini');
    const settings = join(folder, 'settings.json');
    const written = JSON.parse(await readFile(settings, 'utf8')) as object;
    await writeJson(settings, { ...written, security: { auth: { selectedType: 'gemini-api-key' } } });
    await writeJson(join(folder, 'trustedFolders.json'), { [home]: 'TRUST_FOLDER' });
  },
  list: listsConnected,
  login: ({ server }) => ({
    args: [],
    env: { GEMINI_API_KEY: 'none' },
    keys: [
      // The space closes the list of suggested names, which would take the next key.
      { once: /Type your message/, type: `/mcp auth ${server} ` },
      { once: new RegExp(`auth ${server}`), type: ENTER },
      { once: /Do you want to continue/, type: ENTER },
    ],
    says: /Successfully authenticated/,
    staysOpen: true,
  }),
  call: ({ modelUrl, call }) => ({
    args: ['-p', PROMPT, '-m', 'gemini-2.5-flash', '--approval-mode', 'yolo'],
    env: { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: 'none' },
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: NO_PROMPTS,
  stdio: {
    enter: entered(['.gemini', 'settings.json'], 'mcpServers', (command, args) => ({ command, args })),
  },
};

const copilot: RealClient = {
  id: 'copilot',
  package: '@github/copilot',
  version: '1.0.102',
  bin: 'copilot',
  connect: 'copilot',
  list: ({ server }) => ({ args: ['mcp', 'list'], says: new RegExp(`${server} \\(http\\)`) }),
  login: ({ server, modelUrl }) => ({
    args: [],
    env: ownModel(modelUrl),
    keys: [
      { once: /Confirm folder trust/, type: ENTER },
      { once: /\/ commands/, type: `/mcp auth ${server}` },
      { once: new RegExp(`auth ${server}`), type: ENTER },
    ],
    says: /Successfully authenticated/,
    staysOpen: true,
  }),
  call: ({ modelUrl, call }) => ({
    args: ['-p', PROMPT, '--allow-all-tools'],
    env: ownModel(modelUrl),
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: NO_PROMPTS,
  stdio: {
    enter: entered(['.copilot', 'mcp-config.json'], 'mcpServers', (command, args) => ({
      type: 'local',
      command,
      args,
      tools: ['*'],
    })),
    list: ({ server }) => ({ args: ['mcp', 'list'], says: new RegExp(`${server} \\(local\\)`) }),
  },
  race: 'After a sign-in Copilot CLI may begin a turn before it has the tools of the server',
};

const opencode: RealClient = {
  id: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  bin: 'opencode',
  install: 'postinstall.mjs',
  connect: 'opencode',
  list: ({ server }) => ({ args: ['mcp', 'list'], says: new RegExp(`${server}.*connected`), connects: true }),
  login: ({ server }) => ({ args: ['mcp', 'auth', server], says: /Authentication successful/ }),
  call: ({ modelUrl, call }) => ({
    args: ['run', '-m', 'standin/standin', PROMPT],
    env: {
      OPENCODE_CONFIG_CONTENT: ownProvider(modelUrl),
    },
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: NO_PROMPTS,
  stdio: {
    enter: entered(['.config', 'opencode', 'opencode.json'], 'mcp', (command, args) => ({
      type: 'local',
      command: [command, ...args],
    })),
  },
};

/** Kilo's command line is built on opencode's. */
const kilo: RealClient = {
  ...opencode,
  id: 'kilo',
  package: '@kilocode/cli',
  version: '7.7.7',
  bin: 'kilo',
  connect: 'kilo',
  call: ({ modelUrl, call }) => ({
    args: ['run', '--auto', '-m', 'standin/standin', PROMPT],
    env: { KILO_CONFIG_CONTENT: ownProvider(modelUrl) },
    says: new RegExp(finalText(call.answer)),
  }),
  stdio: {
    enter: entered(['.config', 'kilo', 'kilo.jsonc'], 'mcp', (command, args) => ({
      type: 'local',
      command: [command, ...args],
    })),
  },
};

/** Everything but the list needs an account at Qoder. */
const qoder: RealClient = {
  id: 'qoder',
  package: '@qoder-ai/qodercli',
  version: '1.1.52',
  bin: 'qodercli',
  connect: 'qoder',
  list: ({ server }) => ({
    args: ['mcp', 'list'],
    says: new RegExp(`${server}: .*- Connected`),
    connects: true,
  }),
  login: 'it needs an account',
  call: 'it needs an account',
  prompt: 'it needs an account',
  stdio: {
    enter: entered(['.qoder', 'settings.json'], 'mcpServers', (command, args) => ({ command, args })),
  },
};

const qwen: RealClient = {
  id: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  bin: 'qwen',
  connect: 'qwen',
  list: listsConnected,
  login: ({ modelUrl }) => ({
    args: ['--auth-type', 'openai'],
    env: openAi(modelUrl),
    keys: [
      { once: /MCP offline/, type: '/mcp' },
      { once: /Open MCP management/, type: ENTER },
      { once: /Manage MCP servers/, type: ENTER },
      { once: /› Reconnect/, type: DOWN },
      { once: /› Disable/, type: DOWN },
      { once: /› Authenticate/, type: ENTER },
    ],
    says: /uccessfully authenticated|uthentication successful/,
    staysOpen: true,
  }),
  call: ({ modelUrl, call }) => ({
    args: ['-p', PROMPT, '--auth-type', 'openai', '--approval-mode', 'yolo'],
    env: openAi(modelUrl),
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: NO_PROMPTS,
  stdio: {
    enter: entered(['.qwen', 'settings.json'], 'mcpServers', (command, args) => ({ command, args })),
  },
};

const cline: RealClient = {
  id: 'cline',
  package: 'cline',
  version: '3.0.65',
  bin: 'cline',
  connect: 'cline',
  list: () => ({
    args: ['mcp'],
    keys: [{ once: /List servers/, type: ENTER }],
    says: /streamableHttp: .*\/mcp\s[\s\S]*auth: (?!oauth error)/,
    without: /No MCP servers/i,
    staysOpen: true,
  }),
  login: ({ server }) => ({
    args: ['mcp'],
    keys: [
      { once: /List servers/, type: DOWN.repeat(4) },
      { once: /● Authorize OAuth/, type: ENTER },
      { once: new RegExp(`● ${server}`), type: ENTER },
    ],
    says: /authorization completed/,
    staysOpen: true,
  }),
  call: ({ modelUrl, call }) => ({
    first: ['auth', '-p', 'openai-compatible', '-k', 'none', '-m', 'standin', '-b', `${modelUrl}/v1`],
    args: [PROMPT],
    says: new RegExp(finalText(call.answer)),
  }),
  prompt: 'it has no prompts',
  stdio: {
    enter: entered(
      ['.cline', 'data', 'settings', 'cline_mcp_settings.json'],
      'mcpServers',
      (command, args) => ({
        transport: { type: 'stdio', command, args },
      }),
    ),
    list: ({ server }) => ({
      args: ['mcp'],
      keys: [{ once: /List servers/, type: ENTER }],
      says: new RegExp(`${server}[\\s\\S]*stdio`),
      staysOpen: true,
    }),
  },
};

/** Claude Desktop's file, read by mcporter: it starts `relay stdio`, which needs no sign-in. */
const desktop: RealClient = {
  id: 'claude-desktop',
  package: 'mcporter',
  version: '0.12.3',
  bin: 'mcporter',
  connect: 'claude-desktop',
  list: ({ home, server }) => ({
    args: ['--config', join(home, '.config', 'Claude', 'claude_desktop_config.json'), 'list', server],
    says: /49 tools/,
    connects: true,
  }),
  login: 'relay stdio needs none',
  call: ({ home, server, call }) => ({
    args: [
      '--config',
      join(home, '.config', 'Claude', 'claude_desktop_config.json'),
      'call',
      `${server}.${call.tool}`,
      ...pairs(call),
    ],
    says: new RegExp(call.answer),
  }),
  prompt: 'mcporter has none',
  stdio: null,
};

/** mcporter also reads the files of Cursor and other clients. */
const mcporter: RealClient = {
  id: 'mcporter',
  package: 'mcporter',
  version: '0.12.3',
  bin: 'mcporter',
  connect: 'cursor',
  list: ({ server }) => ({ args: ['list'], says: new RegExp(`${server} \\(49 tools`), connects: true }),
  login: ({ server }) => ({ args: ['auth', server], says: /uthoriz/ }),
  call: ({ server, call }) => ({
    args: ['call', `${server}.${call.tool}`, ...pairs(call)],
    says: new RegExp(call.answer),
  }),
  prompt: 'it has no prompts',
  stdio: {
    enter: entered(['.cursor', 'mcp.json'], 'mcpServers', (command, args) => ({ command, args })),
  },
};

/** Without a keychain, the inspector forgets the sign-in when it ends. */
const SECRETS = { MCP_INSPECTOR_SECRET_STORE: 'file' };

const inspector: RealClient = {
  id: 'inspector',
  package: '@modelcontextprotocol/inspector',
  version: '2.12.0',
  bin: 'mcp-inspector',
  connect: null,
  list: 'it is given the address',
  login: ({ mcpUrl }) => ({
    args: ['--cli', mcpUrl, '--method', 'tools/list', '--strict'],
    env: { ...SECRETS, MCP_AUTO_OPEN_ENABLED: 'true' },
    says: /0 errors/,
  }),
  call: ({ mcpUrl, call }) => ({
    args: [
      '--cli',
      mcpUrl,
      '--stored-auth-only',
      '--method',
      'tools/call',
      '--tool-name',
      call.tool,
      '--tool-arg',
      ...pairs(call),
    ],
    env: SECRETS,
    says: new RegExp(call.answer),
  }),
  prompt: ({ mcpUrl, prompt }) => ({
    args: [
      '--cli',
      mcpUrl,
      '--stored-auth-only',
      '--method',
      'prompts/get',
      '--prompt-name',
      prompt.name,
      '--prompt-args',
      `about=${prompt.words}`,
    ],
    env: SECRETS,
    says: new RegExp(`playlist for me: ${prompt.words}`),
  }),
  stdio: {
    list: ({ program }) => ({
      args: ['--cli', ...program, '--method', 'tools/list'],
      says: /"search_tracks"/,
    }),
    call: ({ program, call }) => ({
      args: [
        '--cli',
        ...program,
        '--method',
        'tools/call',
        '--tool-name',
        call.tool,
        '--tool-arg',
        ...pairs(call),
      ],
      says: new RegExp(call.answer),
    }),
  },
};

/** mcp-remote connects clients that can only start programs to a server with an address. */
const mcpRemote: RealClient = {
  id: 'mcp-remote',
  package: 'mcp-remote',
  version: '0.15.1',
  bin: 'mcp-remote',
  connect: null,
  list: 'it is given the address',
  login: ({ mcpUrl }) => ({
    args: [mcpUrl],
    input: INITIALIZE,
    says: /"serverInfo":\{"name":"relay"/,
    staysOpen: true,
  }),
  call: ({ mcpUrl, call }) => ({
    args: [mcpUrl],
    input:
      INITIALIZE +
      messages(
        { method: 'notifications/initialized' },
        {
          id: 2,
          method: 'tools/call',
          params: { name: call.tool, arguments: { ...call.arguments, ...EXTRA } },
        },
      ),
    says: new RegExp(`"id":2.*${call.answer}`),
    staysOpen: true,
  }),
  prompt: ({ mcpUrl, prompt }) => ({
    args: [mcpUrl],
    input:
      INITIALIZE +
      messages(
        { method: 'notifications/initialized' },
        { id: 2, method: 'prompts/get', params: { name: prompt.name, arguments: { about: prompt.words } } },
      ),
    says: new RegExp(`"id":2.*playlist for me: ${prompt.words}`),
    staysOpen: true,
  }),
  stdio: null,
};

/** An extra argument, like the one that Gemini CLI adds. */
const EXTRA = { wait_for_previous: false };

const INITIALIZE = messages({
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'desktop', version: '1.0.0' },
  },
});

export const REAL_CLIENTS: readonly RealClient[] = [
  claudeCode,
  codex,
  gemini,
  copilot,
  opencode,
  kilo,
  qwen,
  qoder,
  cline,
  desktop,
  mcporter,
  inspector,
  mcpRemote,
];

/** Environment for Copilot CLI without a GitHub account. */
function ownModel(modelUrl: string): NodeJS.ProcessEnv {
  return {
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_MODEL: 'standin',
  };
}

/** Configuration of opencode, and of clients built on it. */
function ownProvider(modelUrl: string): string {
  return JSON.stringify({
    provider: {
      standin: {
        npm: '@ai-sdk/openai-compatible',
        name: 'standin',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' },
        models: { standin: { name: 'standin' } },
      },
    },
  });
}

function openAi(modelUrl: string): NodeJS.ProcessEnv {
  return { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'standin' };
}

function pairs({ arguments: all }: Desk['call']): string[] {
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
}

async function writeJson(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content));
}
