/**
 * The kinds of values that settings take. Each is a zod schema that accepts what the environment and the command line
 * give (text) and what `config.json` gives (JSON), with the one sentence that says what it expects.
 */
import { isIP } from 'node:net';
import * as z from 'zod';
import { lazy } from '../base/lazy.ts';
import { splitToolsets, TOOLSETS, type Toolset } from '../domain/toolsets.ts';
import { isClientScheme } from './redirectSchemes.ts';

export interface ValueType<T> {
  /** Completes "<setting> must be …". */
  expects: string;
  readonly schema: z.ZodType<T>;
}

function valueType<T>(expects: string, make: () => z.ZodType<T>): ValueType<T> {
  const schema = lazy(make);
  return {
    expects,
    get schema() {
      return schema();
    },
  };
}

const TRUE_WORDS = ['true', '1', 'yes', 'on'];
const FALSE_WORDS = ['false', '0', 'no', 'off'];

/** The path that the provider sends the browser back to; the redirect URI must have exactly this one. */
export const CALLBACK_PATH = '/auth/provider/callback';

export const directory = valueType<string>('the path of a directory', () =>
  z.string().refine((path) => !path.includes('\0')),
);

export const filePath = valueType<string>('the path of a file', () =>
  z.string().refine((path) => path !== '' && !path.includes('\0')),
);

/** An address or a host name; brackets around an IPv6 address are taken off, as `listen` wants none. */
export const hostName = valueType<string>('an IP address or a host name, without scheme, port or path', () =>
  z
    .string()
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1').toLowerCase())
    .refine((host) => isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(host)),
);

export const port = valueType<number>('a whole number from 0 to 65535', () =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ])
    .pipe(z.int().min(0).max(65_535)),
);

export const flag = valueType<boolean>('true or false', () =>
  z.union([
    z.boolean(),
    z
      .string()
      .toLowerCase()
      .refine((word) => TRUE_WORDS.includes(word) || FALSE_WORDS.includes(word))
      .transform((word) => TRUE_WORDS.includes(word)),
  ]),
);

/** Where a person meets this server from outside: scheme, host and port only. */
export const origin = valueType<string>(
  'an http or https URL without path, query or fragment, like "https://relay.example.org"',
  () => webUrl((url) => url.pathname === '/').transform((text) => new URL(text).origin),
);

/** The widest network that can be somebody's own proxies; `/0` would be everyone. */
const MIN_PREFIX = 8;

/** Text with commas, or a JSON list. */
export const proxyList = valueType<readonly string[]>(
  `a list of IP addresses or networks like "10.0.0.0/${MIN_PREFIX}", separated by commas`,
  () =>
    z
      .union([
        z.string().transform((text) => text.split(',').map((part) => part.trim())),
        z.array(z.string().trim()),
      ])
      .refine((proxies) => proxies.length > 0 && proxies.every(isAddressOrNetwork)),
);

/** Text with commas, or a JSON list. */
export const toolsetList = valueType<readonly Toolset[]>(
  `a list of toolsets, separated by commas, out of ${TOOLSETS.join(', ')}`,
  () =>
    z
      .union([
        z.string().transform(splitToolsets),
        z.array(z.string()).transform((names) => names.flatMap(splitToolsets)),
      ])
      .pipe(z.array(z.enum(TOOLSETS)).min(1)),
);

function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  if (prefix === undefined) return true;
  return (
    /^\d{1,3}$/.test(prefix) && Number(prefix) >= MIN_PREFIX && Number(prefix) <= (family === 4 ? 32 : 128)
  );
}

/** The root of an API; a slash at its end is taken off, so that paths can be appended. */
export const apiRoot = valueType<string>('an http or https URL without query or fragment', () =>
  webUrl(() => true).transform((text) => text.replace(/\/+$/, '')),
);

/** The provider compares it byte by byte, so it is kept exactly as written. */
export const providerRedirectUri = valueType<string>(
  `an http or https URL whose path is exactly ${CALLBACK_PATH}, without query or fragment`,
  () => webUrl((_url, text) => text.replace(/^\w+:\/\/[^/]*/, '') === CALLBACK_PATH),
);

export const clientId = valueType<string>(
  'the Client ID of a Spotify app: letters, digits, "-" and "_" only',
  () =>
    z
      .string()
      .trim()
      .regex(/^[\w-]{1,128}$/),
);

/** RFC 6750 2.1, `b64token`: what can stand behind `Bearer` in a header. */
export const bearerKey = valueType<string>(
  'at least 32 characters of letters, digits and - . _ ~ + / =',
  () => z.string().regex(/^(?=.{32})[\w.~+/-]+=*$/),
);

/** Short enough to type; at five tries a minute, six characters are out of reach for guessing. */
export const ownerCode = valueType<string>('at least 6 characters', () => z.string().min(6));

export const secretText = valueType<string>('one line of visible characters', () =>
  z.string().regex(/^[\x21-\x7e]{1,512}$/),
);

/** A command line takes what begins with a dash for an option. */
export const oauthClientId = valueType<string>(
  'one line of visible characters that does not begin with "-"',
  () => z.string().regex(/^(?!-)[\x21-\x7e]{1,256}$/),
);

/** Decoding ignores what is not base64, so the text is compared with its own re-encoding. */
export const key32 = valueType<string>(
  'base64 of exactly 32 bytes, as `openssl rand -base64 32` prints it',
  () =>
    z.string().refine((text) => {
      const bytes = Buffer.from(text, 'base64');
      return bytes.length === 32 && bytes.toString('base64').replace('=', '') === text.replace(/=$/, '');
    }),
);

/**
 * Where an OAuth client may be sent back to: https, http on loopback, or a private-use scheme (RFC 8252 7), without
 * fragment (RFC 6749 3.1.2) or user info.
 */
export const oauthRedirectUri = valueType<string>(
  'an https URL, an http URL on localhost, 127.0.0.1 or [::1], or a private-use scheme (of a known client, or with a dot, like com.example.app), without fragment or user info',
  () =>
    z.string().refine((text) => {
      const url = parseUrl(text);
      if (!url || text.includes('#') || url.username !== '' || url.password !== '') return false;
      if (url.protocol === 'http:') return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
      return url.protocol === 'https:' || isClientScheme(url.protocol.slice(0, -1));
    }),
);

/** One word out of a closed list, in any case. */
export function oneOf<const T extends string>(words: readonly [T, ...T[]]): ValueType<T> {
  return valueType<T>(`one of ${words.join(', ')}`, () => z.string().toLowerCase().pipe(z.enum(words)));
}

function webUrl(accept: (url: URL, text: string) => boolean): z.ZodString {
  return z.string().refine((text) => {
    const url = parseUrl(text);
    if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
    if (/[?#\s]/.test(text) || url.username !== '' || url.password !== '') return false;
    return accept(url, text);
  });
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
