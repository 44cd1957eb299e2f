/**
 * The types of values that settings take. Each reads text, from the environment and the command line, and JSON, from
 * `config.json`. Each says in one phrase what it expects. No zod here: every command reads settings, and loading zod
 * takes longer than the rest of a short command.
 */
import { isIP } from 'node:net';

export interface ValueType<T> {
  /** Completes "<setting> must be …". */
  expects: string;
  /** Reads a value; null for anything that is not of this type. */
  read(value: unknown): T | null;
}

function textType<T = string>(expects: string, read: (text: string) => T | null): ValueType<T> {
  return { expects, read: (value) => (typeof value === 'string' ? read(value) : null) };
}

/** Makes a type for text that is kept as it is. */
function textThat(expects: string, fits: (text: string) => boolean): ValueType<string> {
  return textType(expects, (text) => (fits(text) ? text : null));
}

/** The path that the provider sends the browser back to. The redirect URI must have exactly this path. */
export const CALLBACK_PATH = '/auth/provider/callback';

export const filePath = textThat('the path of a file or directory', (path) => !path.includes('\0'));

/** An address or a host name. Brackets around an IPv6 address are removed, since `listen` accepts none. */
export const hostName = textType('an IP address or a host name, without scheme, port or path', (text) => {
  const host = text.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(host) ? host : null;
});

export function wholeNumber(min: number, max: number): ValueType<number> {
  return {
    expects: `a whole number from ${min} to ${max}`,
    read: (value) => {
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number)) return null;
      return number >= min && number <= max ? number : null;
    },
  };
}

export const port = wholeNumber(0, 65_535);

export const flag: ValueType<boolean> = {
  expects: 'true or false',
  read: (value) => {
    if (typeof value === 'boolean') return value;
    const word = typeof value === 'string' ? value.toLowerCase() : '';
    if (['true', '1', 'yes', 'on'].includes(word)) return true;
    return ['false', '0', 'no', 'off'].includes(word) ? false : null;
  },
};

/** The URL of this server from outside: scheme, host and port only. */
export const origin = textType(
  'an http or https URL without path, query or fragment, like "https://relay.example.org"',
  (text) => (isWebUrl(text) && new URL(text).pathname === '/' ? new URL(text).origin : null),
);

/** The root of an API. A slash at its end is removed, so that paths can be appended. */
export const apiRoot = textType('an http or https URL without query or fragment', (text) =>
  isWebUrl(text) ? text.replace(/\/+$/, '') : null,
);

/** The provider compares the redirect URI byte by byte, so it is kept exactly as written. */
export const providerRedirectUri = textThat(
  `an http or https URL whose path is exactly ${CALLBACK_PATH}, without query or fragment`,
  (text) => isWebUrl(text) && text.replace(/^\w+:\/\/[^/]*/, '') === CALLBACK_PATH,
);

export const clientId = textType(
  'the Client ID of a Spotify app: letters, digits, "-" and "_" only',
  (text) => (/^[\w-]{1,128}$/.test(text.trim()) ? text.trim() : null),
);

/** RFC 6750 2.1, `b64token`: what may follow `Bearer` in a header. */
export const bearerKey = textThat('at least 32 characters of letters, digits and - . _ ~ + / =', (text) =>
  /^(?=.{32})[\w.~+/-]+=*$/.test(text),
);

/**
 * Six characters are short enough to type, and relay slows down guesses (`server/access/owner.ts`). Space around the code is
 * removed, as it is from what a person types: an environment file may end its lines with CR LF.
 */
export const ownerCode = textType('at least 6 characters', (text) =>
  text.trim().length >= 6 ? text.trim() : null,
);

export const secretText = textThat('one line of visible characters', (text) =>
  /^[\x21-\x7e]{1,512}$/.test(text),
);

/** The ID must not begin with a dash, since a command line would take it for an option. */
export const oauthClientId = textThat('one line of visible characters that does not begin with "-"', (text) =>
  /^(?!-)[\x21-\x7e]{1,256}$/.test(text),
);

/** Decoding ignores what is not base64. So the decoded bytes are encoded again and compared with the text. */
export const key32 = textThat(
  'base64 of exactly 32 bytes, as `openssl rand -base64 32` prints it',
  (text) => {
    const bytes = Buffer.from(text, 'base64');
    return bytes.length === 32 && bytes.toString('base64').replace('=', '') === text.replace(/=$/, '');
  },
);

/**
 * The redirect URI of an OAuth client: https, http on loopback, or a private-use scheme (RFC 8252 7), without fragment
 * (RFC 6749 3.1.2) or user info.
 */
export const oauthRedirectUri = textThat(
  'an https URL, an http URL on localhost, 127.0.0.1 or [::1], or a private-use scheme (of a known client, or with a dot, like com.example.app), without fragment or user info',
  (text) => {
    const url = parseUrl(text);
    // `URL` does not show user info that is empty.
    if (!url || text.includes('#') || url.username || url.password || /^[^/?]*:\/\/:?@/.test(text))
      return false;
    if (url.protocol === 'http:') return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
    return url.protocol === 'https:' || isClientScheme(url.protocol.slice(0, -1));
  },
);

/** Makes a type for one word of a closed list, in upper or lower case. */
export function oneOf<const T extends string>(words: readonly [T, ...T[]]): ValueType<T> {
  return textType(
    `one of ${words.join(', ')}`,
    (text) => words.find((word) => word === text.toLowerCase()) ?? null,
  );
}

/** True for an http or https URL without query, fragment and user info. */
function isWebUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  return !/[?#\s]/.test(text) && url.username === '' && url.password === '';
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/**
 * Clients that register a scheme without a dot; other clients use https or loopback. Add a scheme only for a client that
 * signs in through it, since the app may also act on other addresses of its scheme.
 */
const CLIENT_SCHEMES =
  /^(claude|cursor|goose|kiro|lmstudio|raycast|vscode|vscode-insiders|warp|windsurf|zed)$/;
/** A reversed domain name, which only its owner should use (RFC 8252 7.1, 8.4). */
const REVERSE_DOMAIN = /^[a-z]{2,}(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;
/** Parts of operating systems have schemes of that form too (`microsoft.windows.camera:`, `com.apple.…:`). */
const SYSTEM_SCHEMES =
  /^(apple|microsoft|windows|android|com\.(apple|microsoft|android|google\.android)|org\.(freedesktop|gnome|kde))\./;

/**
 * True for the scheme of an app that a browser may be redirected to, without colon and in lower case. Every scheme that the
 * system knows opens a program, and many of these programs do what the address says (`ms-msdt:`, `search-ms:`, `shell:`).
 */
function isClientScheme(scheme: string): boolean {
  return CLIENT_SCHEMES.test(scheme) || (REVERSE_DOMAIN.test(scheme) && !SYSTEM_SCHEMES.test(scheme));
}
