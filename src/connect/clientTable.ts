/**
 * The clients that `relay connect` supports, as data: where each keeps its servers, what an entry looks like, and what
 * the user does next. To add a client, add an object. Pure: no file is read or written here.
 */

import { choiceHeaders, type ToolChoice } from '../domain/toolsets.ts';
import {
  appData,
  localAppData,
  type Place,
  placeBelow,
  placeIn,
  type System,
  xdgConfig,
} from './configPlaces.ts';
import type { Data } from './entry.ts';
import type { Format, Refused } from './formats.ts';

/** What a client needs to know about this server. */
export interface Connection {
  /** The server's name in the client. */
  name: string;
  /** The MCP endpoint. */
  url: string;
  /** The API key; null if the client asks for approval in the browser (OAuth) or starts the program. */
  key: string | null;
  /** The tools that the client asks for, among those that the server offers; by default all of them. */
  choice?: Partial<ToolChoice>;
  /** The command `relay stdio` for this home, for clients that start programs. */
  program: readonly [string, ...string[]];
}

/**
 * Returns the command with which a client starts `relay stdio`.
 * @param program the command that starts relay
 * @param home null for the default home
 */
export function stdioWords(
  [command = 'relay', ...script]: readonly string[],
  home: string | null,
  demo: boolean,
): [string, ...string[]] {
  const named = home === null ? [] : ['--home', home];
  return [command, ...script, ...named, 'stdio', ...(demo ? ['--demo'] : [])];
}

export interface Client {
  /** The name that the user types. */
  id: string;
  name: string;
  /** Other names that the command line accepts. */
  aliases?: readonly string[];
  format: Format;
  /** What the client's parser refuses although relay's own takes it; by default nothing. Sources stand at the clients. */
  refuses?: Refused;
  /** The key under which the file lists the client's servers. */
  section: string;
  /** The members of an entry that hold headers. The user's own headers in them stay. */
  headerKeys: readonly string[];
  /** True if the client starts `relay stdio`, which needs neither key nor approval. */
  starts?: true;
  /** Possible installations. relay uses the first one whose `trace` exists, or else the last one. */
  places(system: System): Installation[];
  entry(connection: Connection): Data;
  /** What the user does in the client to approve the connection or, with a key, to connect. */
  next(connection: Connection): string;
  /**
   * The client's own command that adds the server; null if there is none. It is shown only without a key, since every user of
   * the machine can read command lines.
   */
  command?(connection: Connection, system: System): string | null;
}

/** The place of the file, and what is special about this installation of the client. */
type Installation = Place & Partial<Pick<Client, 'entry' | 'next'>>;

/** The values that most clients have in common. */
const USUAL = {
  format: 'json',
  section: 'mcpServers',
  headerKeys: ['headers'],
} as const;

/** All clients, in the order in which they are listed. */
export const CLIENTS: readonly Client[] = [
  /**
   * https://code.claude.com/docs/en/mcp: servers of the user scope; `CLAUDE_CONFIG_DIR` moves the file.
   * https://github.com/anthropics/claude-code/issues/9906 and 12007: strict JSON, without a byte order mark.
   */
  {
    ...USUAL,
    id: 'claude-code',
    name: 'Claude Code',
    refuses: 'mark and comments',
    aliases: ['claude'],
    places: (system) => [
      system.env.CLAUDE_CONFIG_DIR
        ? placeIn(system, system.env.CLAUDE_CONFIG_DIR, '.claude.json')
        : placeBelow(system, system.home, ['.claude.json'], ['.claude.json']),
    ],
    entry: (server) => ({ type: 'http', url: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `Run \`claude mcp login ${name}\`, or in a new session type /mcp, choose ${name}, then Authenticate.`
        : `In a new Claude Code session, /mcp lists ${name} as connected. If it still asks you to sign in, as it did without the key, run \`claude mcp logout ${name}\`.`,
    command: ({ name, url, choice }, system) =>
      [
        `claude mcp add --transport http --scope user ${name} ${word(url, system)}`,
        ...headerFlags(choice),
      ].join(' '),
  },
  /**
   * https://modelcontextprotocol.io/docs/develop/connect-local-servers: the file, which lists programs to start.
   * https://github.com/anthropics/claude-code/issues/81355: the app reads settings with `JSON.parse`.
   */
  {
    ...USUAL,
    id: 'claude-desktop',
    name: 'Claude Desktop',
    refuses: 'mark and comments',
    headerKeys: [],
    starts: true,
    places(system) {
      const file = 'claude_desktop_config.json';
      const usual = placeBelow(system, appData(system), ['Claude', file]);
      if (system.platform !== 'win32') return [usual];
      // https://github.com/anthropics/claude-code/issues/26073: the packaged app (MSIX, since 2026) reads only this copy.
      const packaged = ['Packages', 'Claude_pzs8sxrjxfjjc'];
      const copy = [...packaged, 'LocalCache', 'Roaming', 'Claude', file];
      return [placeBelow(system, localAppData(system), copy, packaged), usual];
    },
    entry: programEntry,
    next: () => 'Quit Claude Desktop and start it again.',
  },
  /** https://cursor.com/docs/mcp: the global file. */
  {
    ...USUAL,
    id: 'cursor',
    name: 'Cursor',
    places: (system) => [placeBelow(system, system.home, ['.cursor', 'mcp.json'])],
    entry: (server) => ({ url: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      `Restart Cursor, then find ${name} in Customize under MCPs${key === null ? '; Connect opens the browser' : ''}.`,
  },
  /**
   * https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: the file of the user's profile;
   * https://code.visualstudio.com/docs/copilot/customization/mcp-servers: `--add-mcp`.
   */
  {
    ...USUAL,
    id: 'vscode',
    name: 'VS Code',
    aliases: ['vs-code', 'code'],
    section: 'servers',
    places: (system) => [placeBelow(system, appData(system), ['Code', 'User', 'mcp.json'])],
    entry: (server) => ({ type: 'http', url: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      `In the Command Palette, run MCP: List Servers, choose ${name}, then Start Server${key === null ? '; it opens the browser' : ''}.`,
    command: (server, { platform }) => {
      const { name, url } = server;
      const json = JSON.stringify({ name, type: 'http', url, ...headersFor(server) });
      return platform === 'win32'
        ? `code --add-mcp "${json.replaceAll('"', String.raw`\"`)}"`
        : `code --add-mcp '${json}'`;
    },
  },
  /** https://developers.openai.com/codex/mcp: a server with `url` is Streamable HTTP; `http_headers` are sent unchanged. */
  {
    id: 'codex',
    name: 'Codex CLI',
    aliases: ['codex-cli'],
    format: 'toml',
    section: 'mcp_servers',
    headerKeys: ['http_headers', 'env_http_headers'],
    places: (system) => [
      system.env.CODEX_HOME
        ? placeIn(system, system.env.CODEX_HOME, 'config.toml')
        : placeBelow(system, system.home, ['.codex', 'config.toml']),
    ],
    entry: (server) => {
      const { headers } = headersFor(server);
      return { url: server.url, ...(headers ? { http_headers: headers } : {}) };
    },
    next: ({ name, key }) =>
      key === null ? `Run \`codex mcp login ${name}\`.` : `In a new Codex session, /mcp lists ${name}.`,
    command: ({ name, url, choice = {} }, system) =>
      Object.keys(choiceHeaders(choice)).length === 0
        ? `codex mcp add ${name} --url ${word(url, system)}`
        : null,
  },
  /**
   * https://geminicli.com/docs/tools/mcp-server: its own command writes `url` with `type: "http"` now. `httpUrl`, which means
   * the same, is the older form, and a `url` alone may be taken for SSE.
   * https://geminicli.com/docs/reference/configuration: `GEMINI_CLI_HOME` replaces the home directory.
   * https://github.com/google-gemini/gemini-cli/issues/28206 and 25675: comments are taken, a byte order mark is not.
   */
  {
    ...USUAL,
    id: 'gemini',
    name: 'Gemini CLI',
    refuses: 'mark',
    aliases: ['gemini-cli'],
    places: (system) => [
      placeBelow(system, system.env.GEMINI_CLI_HOME || system.home, ['.gemini', 'settings.json']),
    ],
    entry: (server) => ({ url: server.url, type: 'http', ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `In a new Gemini CLI session, type \`/mcp auth ${name}\`. In a directory that it does not trust it shows ${name} as disabled.`
        : `In a new Gemini CLI session, /mcp lists ${name}. In a directory that it does not trust it shows ${name} as disabled.`,
    command: ({ name, url, choice }, system) =>
      [
        'gemini mcp add --scope user --transport http',
        ...headerFlags(choice),
        `${name} ${word(url, system)}`,
      ].join(' '),
  },
  /**
   * https://docs.windsurf.com/windsurf/cascade/mcp; since June 2026 the program is called Devin Desktop and its agents
   * read a different file: https://docs.devin.ai/cli/extensibility/mcp/configuration.
   * https://github.com/CoplayDev/unity-mcp/pull/231: a byte order mark in the file is refused.
   */
  {
    ...USUAL,
    id: 'windsurf',
    name: 'Windsurf',
    refuses: 'mark',
    aliases: ['devin'],
    places: (system) => [
      system.platform === 'win32'
        ? placeBelow(system, appData(system), ['devin', 'mcp_config.json'])
        : placeBelow(system, system.home, ['.config', 'devin', 'mcp_config.json']),
      {
        ...placeBelow(system, system.home, ['.codeium', 'windsurf', 'mcp_config.json']),
        entry: (server) => ({ serverUrl: server.url, ...headersFor(server) }),
        next: ({ name, key }) =>
          `In Cascade, open MCPs, refresh the list, then find ${name}${key === null ? '; it opens the browser' : ''}.`,
      },
    ],
    entry: (server) => ({ url: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      `In the MCP list of Devin Desktop (formerly Windsurf), find ${name}${key === null ? ' and choose Authenticate' : ''}.`,
  },
  /** https://docs.github.com/en/copilot/how-tos/copilot-cli/add-mcp-servers: `tools` lists the tools to offer; `*` is all. */
  {
    ...USUAL,
    id: 'copilot',
    name: 'Copilot CLI',
    aliases: ['copilot-cli'],
    places: (system) => [
      system.env.COPILOT_HOME
        ? placeIn(system, system.env.COPILOT_HOME, 'mcp-config.json')
        : placeBelow(system, system.home, ['.copilot', 'mcp-config.json']),
    ],
    entry: (server) => ({ type: 'http', url: server.url, tools: ['*'], ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `A new Copilot CLI session opens the browser. If it does not, type \`/mcp auth ${name}\` there.`
        : `In a new Copilot CLI session, type \`/mcp show ${name}\`.`,
  },
  /** https://opencode.ai/docs/mcp-servers: the global file, which may end in `.json` or `.jsonc`. */
  {
    ...USUAL,
    id: 'opencode',
    name: 'opencode',
    section: 'mcp',
    places(system) {
      const folder = xdgConfig(system);
      const jsonc = ['opencode', 'opencode.jsonc'];
      return [
        placeBelow(system, folder, jsonc, jsonc),
        placeBelow(system, folder, ['opencode', 'opencode.json']),
      ];
    },
    entry: (server) => ({ type: 'remote', url: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `Run \`opencode mcp auth ${name}\`.`
        : `\`opencode mcp list\` shows ${name} as connected.`,
  },
  /**
   * https://docs.cline.bot/mcp/configuring-mcp-servers: the file that its command line and its editors share.
   * https://github.com/cline/cline/pull/12199: it is read with `JSON.parse`.
   */
  {
    ...USUAL,
    id: 'cline',
    name: 'Cline',
    refuses: 'mark and comments',
    places: (system) => [
      placeBelow(system, system.home, ['.cline', 'data', 'settings', 'cline_mcp_settings.json']),
    ],
    entry: (server) => ({ transport: { type: 'streamableHttp', url: server.url, ...headersFor(server) } }),
    next: ({ name, key }) =>
      key === null
        ? `In Cline, open MCP Servers and find ${name}; it opens the browser. In a terminal, run \`cline mcp\` and choose Authorize OAuth.`
        : `In Cline, open MCP Servers and find ${name}.`,
  },
  /**
   * https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp: `httpUrl` is Streamable HTTP (`url` is SSE).
   * https://github.com/QwenLM/qwen-code/issues/11803: comments are taken; a file with a byte order mark is reset to `{}`.
   */
  {
    ...USUAL,
    id: 'qwen',
    name: 'Qwen Code',
    refuses: 'mark',
    aliases: ['qwen-code'],
    places: (system) => [placeBelow(system, system.home, ['.qwen', 'settings.json'])],
    entry: (server) => ({ httpUrl: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `In a new Qwen Code session, type /mcp, choose ${name}, then Authenticate.`
        : `In a new Qwen Code session, /mcp lists ${name}.`,
  },
  /** https://zed.dev/docs/ai/mcp: `url` and `headers`; without headers, Zed signs in by OAuth. */
  {
    ...USUAL,
    id: 'zed',
    name: 'Zed',
    section: 'context_servers',
    places(system) {
      const { platform, home } = system;
      if (platform === 'win32') return [placeBelow(system, appData(system), ['Zed', 'settings.json'])];
      // https://zed.dev/docs/configuring-zed
      if (platform === 'darwin') return [placeBelow(system, home, ['.config', 'zed', 'settings.json'])];
      return [placeBelow(system, xdgConfig(system), ['zed', 'settings.json'])];
    },
    entry: (server) => ({ url: server.url, ...headersFor(server) }),
    next: ({ name, key }) =>
      `In Zed, open Settings, AI, MCP Servers, and find ${name}${key === null ? '; it opens the browser' : ''}.`,
  },
  /** https://goose-docs.ai/docs/guides/config-files: `streamable_http`, and the file's places. */
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    section: 'extensions',
    headerKeys: USUAL.headerKeys,
    places: (system) => [
      system.platform === 'win32'
        ? placeBelow(system, appData(system), ['Block', 'goose', 'config', 'config.yaml'])
        : placeBelow(system, system.home, ['.config', 'goose', 'config.yaml']),
    ],
    entry: (server) => ({
      type: 'streamable_http',
      name: server.name,
      enabled: true,
      uri: server.url,
      headers: headersFor(server).headers ?? {},
      env_keys: [],
      envs: {},
      timeout: 300,
    }),
    next: ({ name, key }) =>
      `Start a new Goose session; it uses ${name}${key === null ? ' and opens the browser' : ''}.`,
  },
  /**
   * https://antigravity.google/docs/mcp: the file. The editor and the command line share it since May 2026; older editors have
   * it in another place (https://github.com/colbymchenry/codegraph/issues/399). The entry starts the program, since the client's
   * own sign-in may end without sending the token: https://github.com/google-antigravity/antigravity-cli/issues/25.
   */
  {
    ...USUAL,
    id: 'antigravity',
    name: 'Antigravity',
    aliases: ['agy'],
    headerKeys: [],
    starts: true,
    places(system) {
      const present = placeBelow(system, system.home, ['.gemini', 'config', 'mcp_config.json']);
      const older = ['.gemini', 'antigravity', 'mcp_config.json'];
      return [present, placeBelow(system, system.home, older, older), present];
    },
    entry: programEntry,
    next: ({ name }) => `In Antigravity, open MCP Servers, Manage MCP Servers, refresh, then find ${name}.`,
  },
  /**
   * https://kilo.ai/docs/automate/mcp/using-in-kilo-code: the file that its command line and its editors share, which may end in
   * `.json` or `.jsonc`; a new file is `kilo.jsonc`.
   */
  {
    ...USUAL,
    id: 'kilo',
    name: 'Kilo',
    aliases: ['kilocode', 'kilo-code'],
    section: 'mcp',
    places(system) {
      const folder = xdgConfig(system);
      const jsonc = ['kilo', 'kilo.jsonc'];
      const json = ['kilo', 'kilo.json'];
      return [
        placeBelow(system, folder, jsonc, jsonc),
        placeBelow(system, folder, json, json),
        placeBelow(system, folder, jsonc),
      ];
    },
    entry: (server) => ({ type: 'remote', url: server.url, enabled: true, ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `Run \`kilo mcp auth ${name}\`. In an editor, open Settings, Agent Behaviour, MCP Servers, and find ${name}.`
        : `\`kilo mcp list\` shows ${name} as connected.`,
  },
  /** https://docs.qoder.com/cli/mcp-servers: the user's settings; its own command writes `type: "http"`. */
  {
    ...USUAL,
    id: 'qoder',
    name: 'Qoder CLI',
    aliases: ['qodercli', 'qoder-cli'],
    places: (system) => [placeBelow(system, system.home, ['.qoder', 'settings.json'])],
    entry: (server) => ({ url: server.url, type: 'http', ...headersFor(server) }),
    next: ({ name, key }) =>
      key === null
        ? `In a new Qoder CLI session, type /mcp, choose ${name}, then Authenticate.`
        : `\`qodercli mcp list\` shows ${name} as connected.`,
    command: ({ name, url, choice }, system) =>
      [
        `qodercli mcp add --scope user --transport http ${name} ${word(url, system)}`,
        ...headerFlags(choice),
      ].join(' '),
  },
];

/** Finds a client by ID or alias; case does not matter. */
export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}

interface Setup extends Pick<Client, 'entry' | 'next'> {
  place: Place;
}

/** Returns the installation of the client on this machine. `exists` tells whether a path exists. */
export function setupFor(client: Client, system: System, exists: (path: string) => boolean): Setup {
  const places = client.places(system);
  const place = places.find(({ trace }) => exists(trace)) ?? (places.at(-1) as Installation);
  return { place, entry: place.entry ?? client.entry, next: place.next ?? client.next };
}

/** Returns the headers that each request to the server needs, as a member to spread into an entry; `{}` if it needs none. */
export function headersFor({ key, choice = {} }: Pick<Connection, 'key' | 'choice'>): {
  headers?: Record<string, string>;
} {
  const headers = {
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...choiceHeaders(choice),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function headerFlags(choice: Partial<ToolChoice> = {}): string[] {
  return Object.entries(choiceHeaders(choice)).map(([name, value]) => `--header "${name}: ${value}"`);
}

function programEntry({ program: [command, ...args], choice = {} }: Connection): Data {
  const flags = [
    ...(choice.toolsets === undefined ? [] : ['--toolsets', choice.toolsets.join(',')]),
    ...(choice.readOnly === true ? ['--read-only'] : []),
  ];
  return { command, args: [...args, ...flags] };
}

/** Quotes the address when needed: some shells read the brackets of an IPv6 address as a pattern. */
function word(url: string, { platform }: System): string {
  if (!url.includes('[')) return url;
  return platform === 'win32' ? `"${url}"` : `'${url}'`;
}
