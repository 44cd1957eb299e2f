/**
 * Every setting, once: loading, `relay config` and the manual's table are all made from this list. Adding a setting is
 * one entry here, and one rule in `rules.ts` if it depends on another.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLSETS, type Toolset } from '../domain/toolsets.ts';
import type { ValueType } from './types.ts';
import * as types from './types.ts';

/** What a default may depend on. */
export interface Surroundings {
  home: string;
  demo: boolean;
  /** True if stderr is a terminal. */
  terminal: boolean;
}

export interface Setting<T> {
  env: string;
  /** True if `config.json` may hold the setting. */
  inFile: boolean;
  /** The command-line flag, with its dashes. */
  flag: string | null;
  /** True if the value is never shown, and neither is its default. */
  secret: boolean;
  type: ValueType<NonNullable<T>>;
  fallback: (at: Surroundings) => T;
  /** The default in words, for the manual and for `relay config list`. */
  fallbackText: string;
  meaning: string;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Root of Spotify's own Web API. */
export const SPOTIFY_API = 'https://api.spotify.com/v1';

/** All settings, by name. Those that may be in `config.json` have this name there. */
export const SETTINGS = {
  home: setting<string>('RELAY_HOME', types.directory, {
    inFile: false,
    flag: '--home',
    fallback: ({ home }) => home,
    fallbackText: "`relay` in the user's config directory",
    meaning: 'Home directory: state, settings and key file',
  }),
  host: setting<string>('RELAY_HOST', types.hostName, {
    flag: '--host',
    fallback: '127.0.0.1',
    meaning: 'Address to listen on; any other than loopback needs `PUBLIC_BASE_URL`',
  }),
  port: setting<number>('RELAY_PORT', types.port, {
    flag: '--port',
    fallback: 4980,
    meaning: 'Port to listen on; 0 picks a free one',
  }),
  publicBaseUrl: setting<string | null>('PUBLIC_BASE_URL', types.origin, {
    fallback: null,
    meaning:
      'URL of the server behind a proxy or tunnel, with https: its host is accepted and all URLs use it',
  }),
  providerClientId: setting<string | null>('PROVIDER_CLIENT_ID', types.clientId, {
    fallback: null,
    meaning: 'Client ID of your own Spotify app; the first `relay login` asks for it',
  }),
  providerClientSecret: setting<string | null>('PROVIDER_CLIENT_SECRET', types.secretText, {
    inFile: false,
    secret: true,
    fallback: null,
    fallbackText: 'the one in the state, if any',
    meaning:
      'Client secret of the app, optional; `relay config set providerClientSecret` stores it encrypted',
  }),
  providerRedirectUri: setting<string | null>('PROVIDER_REDIRECT_URI', types.providerRedirectUri, {
    fallback: null,
    fallbackText: `\`http://127.0.0.1:<port>${types.CALLBACK_PATH}\``,
    meaning: `Redirect URI as entered in the Spotify app; its path must be exactly \`${types.CALLBACK_PATH}\``,
  }),
  providerApiUrl: setting<string>('PROVIDER_API_URL', types.apiRoot, {
    fallback: SPOTIFY_API,
    meaning: 'Root of the Web API',
  }),
  providerAccountsUrl: setting<string>('PROVIDER_ACCOUNTS_URL', types.apiRoot, {
    fallback: 'https://accounts.spotify.com',
    meaning: 'Root of the login service: `/authorize` and `/api/token` are below it',
  }),
  mcpAuthMode: setting<'bearer' | 'oauth'>('MCP_AUTH_MODE', types.oneOf(['bearer', 'oauth']), {
    fallback: 'bearer',
    meaning: '`bearer`: API key and OAuth tokens; `oauth`: OAuth tokens only',
  }),
  mcpApiKey: setting<string | null>('MCP_API_KEY', types.bearerKey, {
    inFile: false,
    secret: true,
    fallback: null,
    fallbackText: 'generated at first start',
    meaning:
      'Key that MCP clients send: at least 32 characters, and random with `PUBLIC_BASE_URL`. By default, relay generates one and keeps it encrypted in the state',
  }),
  mcpOauthOwnerSecret: setting<string | null>('MCP_OAUTH_OWNER_SECRET', types.ownerCode, {
    inFile: false,
    secret: true,
    fallback: null,
    fallbackText: 'generated at each start',
    meaning: 'Owner code that the approval page asks for; with `PUBLIC_BASE_URL` at least 16 characters',
  }),
  dynamicRegistration: setting<boolean>('MCP_OAUTH_DCR_ENABLED', types.flag, {
    fallback: true,
    meaning: 'Whether MCP clients may register themselves',
  }),
  mcpOauthClientId: setting<string | null>('MCP_OAUTH_CLIENT_ID', types.oauthClientId, {
    inFile: false,
    fallback: null,
    meaning:
      'Client ID of a fixed OAuth client; `MCP_OAUTH_CLIENT_SECRET` and `MCP_OAUTH_CLIENT_REDIRECT_URI` are then required',
  }),
  mcpOauthClientSecret: setting<string | null>('MCP_OAUTH_CLIENT_SECRET', types.secretText, {
    inFile: false,
    secret: true,
    fallback: null,
    meaning: 'Secret of the fixed OAuth client',
  }),
  mcpOauthClientRedirectUri: setting<string | null>('MCP_OAUTH_CLIENT_REDIRECT_URI', types.oauthRedirectUri, {
    inFile: false,
    fallback: null,
    meaning: 'Redirect URI of the fixed OAuth client',
  }),
  oauthClientsFile: setting<string | null>('MCP_OAUTH_CLIENTS_FILE', types.filePath, {
    fallback: ({ home }) => existing(join(home, 'oauth-clients.json')),
    fallbackText: '`<home>/oauth-clients.json` if there',
    meaning: 'JSON file of fixed OAuth clients',
  }),
  toolsets: setting<readonly Toolset[]>('RELAY_TOOLSETS', types.toolsetList, {
    flag: '--toolsets',
    fallback: ['standard'],
    meaning: `Which tools AI clients get, separated by commas: ${TOOLSETS.map((name) => `\`${name}\``).join(', ')}`,
  }),
  readOnly: setting<boolean>('RELAY_READ_ONLY', types.flag, {
    flag: '--read-only',
    fallback: false,
    meaning: 'Whether to leave out the tools that change something: playlists, library, playback, jobs',
  }),
  covers: setting<boolean>('RELAY_COVERS', types.flag, {
    fallback: true,
    meaning: 'Whether the owner’s page loads the covers of playlists from Spotify',
  }),
  libraryRequestsPerDay: setting<number>('RELAY_LIBRARY_REQUESTS_PER_DAY', types.wholeNumber(1, 100_000), {
    fallback: 400,
    meaning: 'Requests that reading the library in the background may send in any 24 hours',
  }),
  libraryRequestsPerMinute: setting<number>(
    'RELAY_LIBRARY_REQUESTS_PER_MINUTE',
    types.wholeNumber(1, 10_000),
    {
      fallback: 120,
      meaning: 'Requests that reading the library in the background may send in a minute',
    },
  ),
  encryptionKey: setting<string | null>('RELAY_ENCRYPTION_KEY', types.key32, {
    inFile: false,
    secret: true,
    fallback: null,
    meaning: 'Master key to use instead of the keychain: 32 bytes in base64',
  }),
  keychain: setting<'auto' | 'os' | 'file'>('RELAY_KEYCHAIN', types.oneOf(['auto', 'os', 'file']), {
    fallback: ({ demo }) => (demo ? 'file' : 'auto'),
    fallbackText: '`auto`',
    meaning:
      'Where the master key is: `os` keychain, `file` in the home directory, or `auto`: the first that works',
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>('LOG_LEVEL', types.oneOf(LOG_LEVELS), {
    fallback: 'info',
    meaning: `Level of the log on stderr: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}`,
  }),
  logFormat: setting<'pretty' | 'json'>('LOG_FORMAT', types.oneOf(['pretty', 'json']), {
    fallback: ({ terminal }) => (terminal ? 'pretty' : 'json'),
    fallbackText: '`pretty` on a terminal, else `json`',
    meaning: 'Format of the log',
  }),
};

export type SettingKey = keyof typeof SETTINGS;

export type SettingValues = {
  [K in SettingKey]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** The variables of the environment that hold a secret. */
export const SECRET_VARIABLES: readonly string[] = SETTING_KEYS.filter((key) => SETTINGS[key].secret).map(
  (key) => SETTINGS[key].env,
);

/** Finds a setting by its own name or by its environment variable. */
export function findSetting(name: string): SettingKey | undefined {
  return SETTING_KEYS.find((key) => key === name || SETTINGS[key].env === name);
}

type Rest<T> = Pick<Setting<T>, 'meaning'> &
  Partial<Pick<Setting<T>, 'inFile' | 'flag' | 'secret'>> &
  ({ fallback: T; fallbackText?: string } | { fallback: Setting<T>['fallback']; fallbackText: string });

/** For a fixed default, `fallbackText` may be left out. */
function setting<T extends string | number | boolean | readonly string[] | null>(
  env: string,
  type: ValueType<NonNullable<T>>,
  { fallback, fallbackText, ...rest }: Rest<T>,
): Setting<T> {
  const usual = { inFile: true, flag: null, secret: false };
  const words = fallbackText ?? (fallback === null ? 'none' : `\`${fallback}\``);
  const at = typeof fallback === 'function' ? fallback : () => fallback;
  return { env, type, ...usual, ...rest, fallback: at, fallbackText: words };
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null;
}
