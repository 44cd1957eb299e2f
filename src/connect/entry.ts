/** This server's entry in a client's file, and how it is merged with the user's own settings. Pure. */

import { isLoopback } from '../base/loopback.ts';
import { isObject } from '../base/parsing.ts';

/** A parsed JSON object, TOML table or YAML mapping. */
export type Data = Record<string, unknown>;

/** Keys with which clients say how to reach a server. Those that the new entry does not use are removed; see `OF_A_PROGRAM`. */
const WAYS_TO_REACH = [
  'type',
  'transport',
  'url',
  'uri',
  'httpUrl',
  'serverUrl',
  'command',
  'args',
  'cwd',
  'env',
  'envFile',
  'env_vars',
  'headersHelper',
  'authProviderType',
  'bearer_token',
  'bearer_token_env_var',
];

/** Objects inside an entry in which only the named members are ours; case does not matter. */
export type Shares = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the merged entry: what `wanted` says about reaching the server, and everything of `existing` that does not contradict
 * it. Examples are `disabled`, `timeout`, `tools` and a header for a proxy. Other members of `wanted` are added only if
 * `existing` lacks them.
 */
export function mergedEntry(existing: Data, wanted: Data, shares: Shares): Data {
  const merged: Data = {};
  const isProgram = 'command' in wanted && isRelayCommand(textsIn(existing));
  for (const [key, value] of Object.entries(existing)) {
    const isKept = !WAYS_TO_REACH.includes(key) || (isProgram && OF_A_PROGRAM.includes(key));
    if (isKept || key in wanted) merged[key] = value;
  }
  for (const [key, value] of Object.entries(wanted)) {
    const before = existing[key];
    // One client has the address and the headers together in `transport`.
    if (isData(before) && isData(value) && key === 'transport')
      merged[key] = mergedEntry(before, value, shares);
    else if (WAYS_TO_REACH.includes(key) || !(key in existing)) merged[key] = value;
  }
  for (const [key, ours] of Object.entries(shares)) {
    const members = { ...without(existing[key], ours), ...(wanted[key] as Data | undefined) };
    if (Object.keys(members).length > 0 || key in wanted) merged[key] = members;
    else delete merged[key];
  }
  if (isProgram) merged.args = withOptions(wordsOf(wanted.args), wordsOf(existing.args));
  return merged;
}

/** Keys that say something about a program besides its command. They stay if the entry already started `relay stdio`. */
const OF_A_PROGRAM = ['type', 'cwd', 'env', 'envFile', 'env_vars'];

/** The options of `relay stdio` that narrow the tools, each with the number of its words, in the order in which they are written. */
const NARROWING = [
  ['--toolsets', 2],
  ['--read-only', 1],
] as const;

/** Returns the words of `relay stdio`, with the narrowing options of `former` that `words` lacks. */
function withOptions(words: readonly string[], former: readonly string[]): string[] {
  const isNarrowing = (word: string) => NARROWING.some(([name]) => name === word);
  const first = words.findIndex(isNarrowing);
  const options = NARROWING.flatMap(([name, length]) => {
    const from = words.includes(name) ? words : former;
    const at = from.indexOf(name);
    return at < 0 ? [] : from.slice(at, at + length);
  });
  return [...(first < 0 ? words : words.slice(0, first)), ...options];
}

function wordsOf(args: unknown): string[] {
  return Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
}

/** The two ways to reach this server: by its address, or by starting the program. */
export interface Target {
  /** The MCP endpoint. */
  url: string;
  /** The words of `relay stdio` for the home in question. */
  program: readonly string[];
}

/** True if the entry leads to the server: by one of its addresses, directly or through a bridge, or by starting the program. */
export function leadsTo(entry: unknown, { url, program }: Target): boolean {
  const texts = textsIn(entry);
  if (texts.some((text) => sameAddress(text, url))) return true;
  // The same `--home` and `--demo` suffice. Other differences, such as the path of the program, do not matter.
  return isRelayCommand(texts) && serverOf(entry) === serverOf(program);
}

/** True if the entry starts `relay stdio` for another home, or for the demo instead of the account. */
export function startsAnother(entry: unknown, { program }: Target): boolean {
  return isRelayCommand(textsIn(entry)) && serverOf(entry) !== serverOf(program);
}

/**
 * True if the entry leads to another server, so that it is not relay's although it has the name. False for four kinds, which
 * may be old entries of relay's: the command `relay stdio`, an address of this machine with relay's path, an entry with one of
 * relay's keys, and an entry that names no server.
 */
export function leadsElsewhere(entry: unknown, target: Target): boolean {
  const texts = textsIn(entry);
  if (leadsTo(entry, target) || isRelayCommand(texts) || ownKeysIn(entry, target).length > 0) return false;
  const addresses = texts.filter((text) => /^https?:/i.test(text) && URL.canParse(text));
  if (addresses.some(mayBeRelay)) return false;
  return addresses.length > 0 || (isData(entry) && ('command' in entry || 'cmd' in entry));
}

function mayBeRelay(address: string): boolean {
  const { hostname, pathname } = new URL(address);
  return isLoopback(hostname.replace(/^\[|\]$/g, '')) && /^\/mcp\/*$/.test(pathname);
}

/** The beginning of every key that relay has made. */
const MADE_BY_RELAY = 'relay_';

/** relay's keys that the entry sends: all of its keys if it leads to this server, otherwise those that relay has made. */
export function ownKeysIn(entry: unknown, target: Target): string[] {
  const isOurs = leadsTo(entry, target);
  return keysIn(entry).filter((key) => isOurs || key.startsWith(MADE_BY_RELAY));
}

/** Returns the keys that the entry sends. */
export function keysIn(entry: unknown): string[] {
  return textsIn(entry).flatMap((text) => /^Bearer +(\S+)$/i.exec(text)?.[1] ?? []);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Compares addresses. All names of this machine count as the same, and a slash at the end does not matter. */
function sameAddress(text: string, url: string): boolean {
  return text === url || (/^https?:/i.test(text) && plainAddress(text) === plainAddress(url));
}

function plainAddress(text: string): string {
  if (!URL.canParse(text)) return text;
  const { protocol, hostname, port, pathname } = new URL(text);
  const host = isLoopback(hostname.replace(/^\[|\]$/g, '')) ? 'loopback' : hostname;
  return `${protocol}//${host}:${port}${pathname.replace(/\/+$/, '')}`;
}

/** True if `texts` start `relay stdio`, for any home. */
function isRelayCommand(texts: readonly string[]): boolean {
  const isRelay = texts.some((text) => /(?:^|[\\/])relay(?:\.mjs|\.exe)?$/i.test(text));
  return isRelay && texts.includes('stdio');
}

/** The home that an entry or the words of a command name, and whether they mean the demo. `--home` counts before `RELAY_HOME`. */
function serverOf(entry: unknown): string {
  const words = textsIn(entry);
  const at = words.indexOf('--home');
  const { RELAY_HOME } = isData(entry) && isData(entry.env) ? entry.env : {};
  return JSON.stringify([at < 0 ? RELAY_HOME || null : words[at + 1], words.includes('--demo')]);
}

export function isData(value: unknown): value is Data {
  return isObject(value) && !(value instanceof Date);
}

/** Deep equality of parsed data; the order of keys does not matter. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a instanceof Date && b instanceof Date) return String(a.valueOf()) === String(b.valueOf());
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameData(item, b[index]));
  }
  if (!isData(a) || !isData(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameData(a[key], b[key]))
  );
}

/** `document` with `entry` as its `section.name`. */
export function withEntry(document: Data, section: string, name: string, entry: Data): Data {
  return { ...document, [section]: { ...(document[section] as Data | undefined), [name]: entry } };
}

function without(members: unknown, names: readonly string[]): Data {
  if (!isData(members)) return {};
  const lower = names.map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(members).filter(([key]) => !lower.includes(key.toLowerCase())));
}
