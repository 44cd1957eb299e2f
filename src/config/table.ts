/**
 * Every setting, once: loading, `relay config` and the tests of the manual, which says what each means, are made from this list.
 * Adding a setting is one entry here, and one rule in `rules.ts` if it depends on another.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LEVELS } from '../domain/access.ts';
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
  type: ValueType<NonNullable<T>>;
  fallback: (at: Surroundings) => T;
  /** The default in words, for the manual and for `relay config list`. */
  fallbackText: string;
  /** True if `config.json` may hold the setting. */
  inFile: boolean;
  /** The command-line flag, with its dashes. */
  flag: string | null;
  /** True if the value is never shown, and neither is its default. */
  secret: boolean;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const SPOTIFY_API = 'https://api.spotify.com/v1';

const SECRET = { secret: true, inFile: false };
const NOT_IN_FILE = { inFile: false };

/** All settings, by name. Those that may be in `config.json` have this name there. */
export const SETTINGS = {
  home: setting('RELAY_HOME', types.filePath, ({ home }) => home, {
    ...NOT_IN_FILE,
    flag: '--home',
    fallbackText: "`relay` in the user's config directory",
  }),
  host: setting('RELAY_HOST', types.hostName, '127.0.0.1', { flag: '--host' }),
  port: setting('RELAY_PORT', types.port, 4980, { flag: '--port' }),
  publicBaseUrl: optional('PUBLIC_BASE_URL', types.origin),
  providerClientId: optional('PROVIDER_CLIENT_ID', types.clientId),
  providerClientSecret: optional('PROVIDER_CLIENT_SECRET', types.secretText, SECRET),
  providerRedirectUri: optional('PROVIDER_REDIRECT_URI', types.providerRedirectUri, {
    fallbackText: `\`http://127.0.0.1:<port>${types.CALLBACK_PATH}\``,
  }),
  providerApiUrl: setting('PROVIDER_API_URL', types.apiRoot, SPOTIFY_API),
  providerAccountsUrl: setting('PROVIDER_ACCOUNTS_URL', types.apiRoot, 'https://accounts.spotify.com'),
  mcpAuthMode: setting('MCP_AUTH_MODE', types.oneOf(['bearer', 'oauth']), 'bearer'),
  mcpApiKey: optional('MCP_API_KEY', types.bearerKey, {
    ...SECRET,
    fallbackText: 'generated at first start',
  }),
  mcpOauthOwnerSecret: optional('MCP_OAUTH_OWNER_SECRET', types.ownerCode, {
    ...SECRET,
    fallbackText: 'generated at each start',
  }),
  dynamicRegistration: setting('MCP_OAUTH_DCR_ENABLED', types.flag, true),
  mcpOauthClientId: optional('MCP_OAUTH_CLIENT_ID', types.oauthClientId, NOT_IN_FILE),
  mcpOauthClientSecret: optional('MCP_OAUTH_CLIENT_SECRET', types.secretText, SECRET),
  mcpOauthClientRedirectUri: optional('MCP_OAUTH_CLIENT_REDIRECT_URI', types.oauthRedirectUri, NOT_IN_FILE),
  oauthClientsFile: optional('MCP_OAUTH_CLIENTS_FILE', types.filePath, {
    fallback: ({ home }) => existing(join(home, 'oauth-clients.json')),
    fallbackText: '`<home>/oauth-clients.json` if there',
  }),
  access: setting('RELAY_ACCESS', types.oneOf(LEVELS), 'standard', { flag: '--access' }),
  covers: setting('RELAY_COVERS', types.flag, true),
  libraryRequestsPerDay: setting('RELAY_LIBRARY_REQUESTS_PER_DAY', types.wholeNumber(1, 100_000), 400),
  libraryRequestsPerMinute: setting('RELAY_LIBRARY_REQUESTS_PER_MINUTE', types.wholeNumber(1, 10_000), 120),
  encryptionKey: optional('RELAY_ENCRYPTION_KEY', types.key32, SECRET),
  keychain: setting(
    'RELAY_KEYCHAIN',
    types.oneOf(['auto', 'os', 'file']),
    ({ demo }) => (demo ? 'file' : 'auto'),
    { fallbackText: '`auto`' },
  ),
  logLevel: setting('LOG_LEVEL', types.oneOf(LOG_LEVELS), 'info'),
  logFormat: setting(
    'LOG_FORMAT',
    types.oneOf(['pretty', 'json']),
    ({ terminal }) => (terminal ? 'pretty' : 'json'),
    { fallbackText: '`pretty` on a terminal, else `json`' },
  ),
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

export function findSetting(name: string): SettingKey | undefined {
  return SETTING_KEYS.find((key) => key === name || SETTINGS[key].env === name);
}

type More<T> = Partial<Omit<Setting<T>, 'env' | 'type'>>;

/** A setting that always has a value. A default that is not the same everywhere needs a `fallbackText`. */
function setting<T>(
  env: string,
  type: ValueType<NonNullable<T>>,
  fallback: NoInfer<T> | Setting<NoInfer<T>>['fallback'],
  more: More<T> = {},
): Setting<T> {
  const at = typeof fallback === 'function' ? (fallback as Setting<T>['fallback']) : () => fallback;
  const usual = { inFile: true, flag: null, secret: false, fallbackText: `\`${fallback}\`` };
  return { env, type, fallback: at, ...usual, ...more };
}

/** A setting that need not have a value. */
function optional<T>(
  env: string,
  type: ValueType<NonNullable<T>>,
  more: More<T | null> = {},
): Setting<T | null> {
  return { ...setting<T | null>(env, type, null), fallbackText: 'none', ...more };
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null;
}
