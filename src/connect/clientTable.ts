/**
 * The clients that `relay connect` supports, as data: where each keeps its servers, what an entry looks like, and what
 * the user does next. To add a client, add an object. Pure: no file is read or written here.
 */

import { ACCESS_HEADER, type Level } from '../domain/access.ts';
import {
  appData,
  ifThere,
  inHome,
  inNamed,
  localAppData,
  type Place,
  placeBelow,
  type System,
  xdgConfig,
} from './configPlaces.ts';
import type { Data } from './entry.ts';
import type { Format } from './formats.ts';

/** What a client needs to know about this server. */
export interface Connection {
  /** The server's name in the client. */
  name: string;
  /** The MCP endpoint. */
  url: string;
  /** The API key; null if the client asks for approval in the browser (OAuth) or starts the program. */
  key: string | null;
  /**
   * What the person wants the client to get. By default `relay stdio` gets everything, and any other client what is chosen at its
   * approval, or what the API key has.
   */
  access?: Level | undefined;
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
  aliases?: readonly string[];
  format: Format;
  /** True if the client takes no comments and no trailing commas in its JSON. */
  strict?: true;
  /** The key under which the file lists the client's servers. */
  section: string;
  /** The members of an entry that hold headers. The user's own headers in them stay. */
  headerKeys: readonly string[];
  /** True if the client starts `relay stdio`, which needs neither key nor approval. */
  starts?: true;
  /** Possible installations. relay uses the first one whose `trace` exists, or else the last one. */
  places(system: System): Installation[];
  entry(connection: Connection): Data;
  /** What the user does in the client; NAME stands for the server's name. */
  next: string;
  /** The same without a key, where the client then asks for approval in another way. */
  approve?: string;
  /**
   * The client's own command that adds the server. It is shown only without a key, since every user of the machine can read
   * command lines.
   * @param parts `word`: the address as a word for a shell; `headers`: the options for headers, '' for none
   */
  command?(parts: { name: string; url: string; word: string; headers: string }): string;
}

/** The place of the file, and what is special about this installation of the client. */
type Installation = Place & Partial<Pick<Client, 'entry' | 'next' | 'approve'>>;

const USUAL = {
  format: 'json',
  section: 'mcpServers',
  headerKeys: ['headers'],
} as const;

export const CLIENTS: readonly Client[] = [
  /**
   * https://code.claude.com/docs/en/mcp: servers of the user scope; `CLAUDE_CONFIG_DIR` moves the file.
   * https://github.com/anthropics/claude-code/issues/12007: strict JSON.
   */
  {
    ...USUAL,
    id: 'claude-code',
    name: 'Claude Code',
    strict: true,
    aliases: ['claude'],
    places: (system) =>
      system.env.CLAUDE_CONFIG_DIR
        ? [placeBelow(system, system.env.CLAUDE_CONFIG_DIR, '.claude.json')]
        : [ifThere(placeBelow(system, system.home, '.claude.json'))],
    entry: (server) => ({ type: 'http', url: server.url, ...headersFor(server) }),
    next: 'In a new Claude Code session, /mcp lists NAME as connected. If it still asks you to sign in, as it did without the key, run `claude mcp logout NAME`.',
    approve: 'Run `claude mcp login NAME`, or in a new session type /mcp, choose NAME, then Authenticate.',
    command: ({ name, word, headers }) =>
      `claude mcp add --transport http --scope user ${name} ${word}${headers}`,
  },
  /**
   * https://modelcontextprotocol.io/docs/develop/connect-local-servers: the file, which lists programs to start.
   * https://github.com/anthropics/claude-code/issues/81355: the app reads settings with `JSON.parse`.
   */
  {
    ...USUAL,
    id: 'claude-desktop',
    name: 'Claude Desktop',
    strict: true,
    headerKeys: [],
    starts: true,
    places(system) {
      const file = ['Claude', 'claude_desktop_config.json'];
      const usual = placeBelow(system, appData(system), ...file);
      if (system.platform !== 'win32') return [usual];
      // https://github.com/anthropics/claude-code/issues/26073: the packaged app (MSIX, since 2026) reads only this copy.
      const packaged = placeBelow(system, localAppData(system), 'Packages', 'Claude_pzs8sxrjxfjjc').file;
      const copy = placeBelow(system, packaged, 'LocalCache', 'Roaming', ...file);
      return [{ ...copy, trace: packaged }, usual];
    },
    entry: programEntry,
    next: 'Quit Claude Desktop and start it again.',
  },
  /** https://cursor.com/docs/mcp: the global file. */
  {
    ...USUAL,
    id: 'cursor',
    name: 'Cursor',
    places: inHome('.cursor', 'mcp.json'),
    entry: (server) => ({ url: server.url, ...headersFor(server) }),
    next: 'Restart Cursor, then find NAME in Customize under MCPs.',
    approve: 'Restart Cursor, then find NAME in Customize under MCPs; Connect opens the browser.',
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
    places: (system) => [placeBelow(system, appData(system), 'Code', 'User', 'mcp.json')],
    entry: (server) => ({ type: 'http', url: server.url, ...headersFor(server) }),
    next: 'In the Command Palette, run MCP: List Servers, choose NAME, then Start Server.',
    approve:
      'In the Command Palette, run MCP: List Servers, choose NAME, then Start Server; it opens the browser.',
    // The only quotes that the shells of all systems read alike.
    command: ({ name, url }) =>
      String.raw`code --add-mcp "{\"name\":\"${name}\",\"type\":\"http\",\"url\":\"${url}\"}"`,
  },
  /** https://developers.openai.com/codex/mcp: a server with `url` is Streamable HTTP; `http_headers` are sent unchanged. */
  {
    id: 'codex',
    name: 'Codex CLI',
    aliases: ['codex-cli'],
    format: 'toml',
    section: 'mcp_servers',
    headerKeys: ['http_headers', 'env_http_headers'],
    places: inNamed('CODEX_HOME', '.codex', 'config.toml'),
    entry: (server) => {
      const { headers } = headersFor(server);
      return { url: server.url, ...(headers && { http_headers: headers }) };
    },
    next: 'In a new Codex session, /mcp lists NAME.',
    approve: 'Run `codex mcp login NAME`.',
    command: ({ name, word }) => `codex mcp add ${name} --url ${word}`,
  },
  /**
   * https://geminicli.com/docs/tools/mcp-server: its own command writes `url` with `type: "http"` now. `httpUrl`, which means
   * the same, is the older form, and a `url` alone may be taken for SSE.
   * https://geminicli.com/docs/reference/configuration: `GEMINI_CLI_HOME` replaces the home directory.
   */
  {
    ...USUAL,
    id: 'gemini',
    name: 'Gemini CLI',
    aliases: ['gemini-cli'],
    places: (system) => [
      placeBelow(system, system.env.GEMINI_CLI_HOME || system.home, '.gemini', 'settings.json'),
    ],
    entry: (server) => ({ url: server.url, type: 'http', ...headersFor(server) }),
    next: 'In a new Gemini CLI session, /mcp lists NAME. In a directory that it does not trust it shows NAME as disabled.',
    approve:
      'In a new Gemini CLI session, type `/mcp auth NAME`. In a directory that it does not trust it shows NAME as disabled.',
    command: ({ name, word, headers }) =>
      `gemini mcp add --scope user --transport http${headers} ${name} ${word}`,
  },
  /**
   * https://docs.windsurf.com/windsurf/cascade/mcp; since June 2026 the program is called Devin Desktop and its agents
   * read a different file: https://docs.devin.ai/cli/extensibility/mcp/configuration.
   */
  {
    ...USUAL,
    id: 'windsurf',
    name: 'Windsurf',
    aliases: ['devin'],
    places: (system) => [
      system.platform === 'win32'
        ? placeBelow(system, appData(system), 'devin', 'mcp_config.json')
        : placeBelow(system, system.home, '.config', 'devin', 'mcp_config.json'),
      {
        ...placeBelow(system, system.home, '.codeium', 'windsurf', 'mcp_config.json'),
        entry: (server) => ({ serverUrl: server.url, ...headersFor(server) }),
        next: 'In Cascade, open MCPs, refresh the list, then find NAME.',
        approve: 'In Cascade, open MCPs, refresh the list, then find NAME; it opens the browser.',
      },
    ],
    entry: (server) => ({ url: server.url, ...headersFor(server) }),
    next: 'In the MCP list of Devin Desktop (formerly Windsurf), find NAME.',
    approve: 'In the MCP list of Devin Desktop (formerly Windsurf), find NAME and choose Authenticate.',
  },
  /** https://docs.github.com/en/copilot/how-tos/copilot-cli/add-mcp-servers: `tools` lists the tools to offer; `*` is all. */
  {
    ...USUAL,
    id: 'copilot',
    name: 'Copilot CLI',
    aliases: ['copilot-cli'],
    places: inNamed('COPILOT_HOME', '.copilot', 'mcp-config.json'),
    entry: (server) => ({ type: 'http', url: server.url, tools: ['*'], ...headersFor(server) }),
    next: 'In a new Copilot CLI session, type `/mcp show NAME`.',
    approve: 'A new Copilot CLI session opens the browser. If it does not, type `/mcp auth NAME` there.',
  },
  /** https://opencode.ai/docs/mcp-servers: the global file, which may end in `.json` or `.jsonc`. */
  {
    ...USUAL,
    id: 'opencode',
    name: 'opencode',
    section: 'mcp',
    places: (system) => [
      ifThere(placeBelow(system, xdgConfig(system), 'opencode', 'opencode.jsonc')),
      placeBelow(system, xdgConfig(system), 'opencode', 'opencode.json'),
    ],
    entry: (server) => ({ type: 'remote', url: server.url, ...headersFor(server) }),
    next: '`opencode mcp list` shows NAME as connected.',
    approve: 'Run `opencode mcp auth NAME`.',
  },
  /**
   * https://docs.cline.bot/mcp/configuring-mcp-servers: the file that its command line and its editors share.
   * https://github.com/cline/cline/pull/12199: it is read with `JSON.parse`.
   */
  {
    ...USUAL,
    id: 'cline',
    name: 'Cline',
    strict: true,
    places: inHome('.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    entry: (server) => ({ transport: { type: 'streamableHttp', url: server.url, ...headersFor(server) } }),
    next: 'In Cline, open MCP Servers and find NAME.',
    approve:
      'In Cline, open MCP Servers and find NAME; it opens the browser. In a terminal, run `cline mcp` and choose Authorize OAuth.',
  },
  /** https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp: `httpUrl` is Streamable HTTP (`url` is SSE). */
  {
    ...USUAL,
    id: 'qwen',
    name: 'Qwen Code',
    aliases: ['qwen-code'],
    places: inHome('.qwen', 'settings.json'),
    entry: (server) => ({ httpUrl: server.url, ...headersFor(server) }),
    next: 'In a new Qwen Code session, /mcp lists NAME.',
    approve: 'In a new Qwen Code session, type /mcp, choose NAME, then Authenticate.',
  },
  /** https://zed.dev/docs/ai/mcp: `url` and `headers`; without headers, Zed signs in by OAuth. */
  {
    ...USUAL,
    id: 'zed',
    name: 'Zed',
    section: 'context_servers',
    places(system) {
      const { platform, home } = system;
      if (platform === 'win32') return [placeBelow(system, appData(system), 'Zed', 'settings.json')];
      // https://zed.dev/docs/configuring-zed
      if (platform === 'darwin') return [placeBelow(system, home, '.config', 'zed', 'settings.json')];
      return [placeBelow(system, xdgConfig(system), 'zed', 'settings.json')];
    },
    entry: (server) => ({ url: server.url, ...headersFor(server) }),
    next: 'In Zed, open Settings, AI, MCP Servers, and find NAME.',
    approve: 'In Zed, open Settings, AI, MCP Servers, and find NAME; it opens the browser.',
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
        ? placeBelow(system, appData(system), 'Block', 'goose', 'config', 'config.yaml')
        : placeBelow(system, system.home, '.config', 'goose', 'config.yaml'),
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
    next: 'Start a new Goose session; it uses NAME.',
    approve: 'Start a new Goose session; it uses NAME and opens the browser.',
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
      const present = placeBelow(system, system.home, '.gemini', 'config', 'mcp_config.json');
      const older = placeBelow(system, system.home, '.gemini', 'antigravity', 'mcp_config.json');
      return [present, ifThere(older), present];
    },
    entry: programEntry,
    next: 'In Antigravity, open MCP Servers, Manage MCP Servers, refresh, then find NAME.',
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
      const jsonc = placeBelow(system, xdgConfig(system), 'kilo', 'kilo.jsonc');
      const json = placeBelow(system, xdgConfig(system), 'kilo', 'kilo.json');
      return [ifThere(jsonc), ifThere(json), jsonc];
    },
    entry: (server) => ({ type: 'remote', url: server.url, enabled: true, ...headersFor(server) }),
    next: '`kilo mcp list` shows NAME as connected.',
    approve:
      'Run `kilo mcp auth NAME`. In an editor, open Settings, Agent Behaviour, MCP Servers, and find NAME.',
  },
  /** https://docs.qoder.com/cli/mcp-servers: the user's settings; its own command writes `type: "http"`. */
  {
    ...USUAL,
    id: 'qoder',
    name: 'Qoder CLI',
    aliases: ['qodercli', 'qoder-cli'],
    places: inHome('.qoder', 'settings.json'),
    entry: (server) => ({ url: server.url, type: 'http', ...headersFor(server) }),
    next: '`qodercli mcp list` shows NAME as connected.',
    approve: 'In a new Qoder CLI session, type /mcp, choose NAME, then Authenticate.',
    command: ({ name, word, headers }) =>
      `qodercli mcp add --scope user --transport http ${name} ${word}${headers}`,
  },
];

export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}

/** Returns the installation of the client on this machine. `exists` tells whether a path exists. */
export function setupFor(client: Client, system: System, exists: (path: string) => boolean): Client & Place {
  const places = client.places(system);
  const place = places.find(({ trace }) => exists(trace)) ?? (places.at(-1) as Installation);
  return { ...client, ...place };
}

/** Returns the headers that each request to the server needs, as a member to spread into an entry; `{}` if it needs none. */
export function headersFor({ key, access }: Pick<Connection, 'key' | 'access'>): {
  headers?: Record<string, string>;
} {
  const headers = {
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(access === undefined ? {} : { [ACCESS_HEADER]: access }),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function programEntry({ program: [command, ...args], access = 'everything' }: Connection): Data {
  return { command, args: [...args, '--access', access] };
}
