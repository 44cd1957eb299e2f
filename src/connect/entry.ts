/** This server's entry in a client's file: how it is told from others, and merged with the user's own settings. Pure. */

import { isLoopback } from '../base/loopback.ts';
import { isObject } from '../base/parsing.ts';

/** A parsed JSON object, TOML table or YAML mapping. */
export type Data = Record<string, unknown>;

export function isData(value: unknown): value is Data {
  return isObject(value) && !(value instanceof Date);
}

/** Deep equality of parsed data, whatever the order of keys and the prototypes that the parsers give. */
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

/** Keys with which clients say how to reach a server. */
const WAYS_TO_REACH =
  /^(type|transport|url|uri|httpUrl|serverUrl|command|args|cwd|env|envFile|env_vars|headersHelper|authProviderType|bearer_token|bearer_token_env_var)$/;

/** Objects inside an entry in which only the named members are ours; case does not matter. */
export type Shares = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the merged entry: what `wanted` says about reaching the server, and everything of `existing` that does not contradict
 * it. Examples are `disabled`, `timeout`, `tools` and a header for a proxy; `cwd` and `env` too, if `existing` starts relay
 * already. Other members of `wanted` are added only if `existing` lacks them.
 * @param keepsAccess false if the person has said which access `relay stdio` gets
 */
export function mergedEntry(existing: Data, wanted: Data, shares: Shares, keepsAccess = true): Data {
  const isProgram = 'command' in wanted && isRelayCommand(textsIn(existing));
  const merged: Data = {};
  for (const [key, value] of Object.entries(existing)) {
    if (isProgram || key in wanted || !WAYS_TO_REACH.test(key)) merged[key] = value;
  }
  for (const [key, value] of Object.entries(wanted)) {
    const before = existing[key];
    // One client has the address and the headers together in `transport`.
    if (key === 'transport' && isData(before) && isData(value))
      merged[key] = mergedEntry(before, value, shares);
    else if (WAYS_TO_REACH.test(key) || !(key in existing)) merged[key] = value;
  }
  for (const [key, ours] of Object.entries(shares)) {
    const members = { ...without(existing[key], ours), ...(wanted[key] as Data | undefined) };
    if (Object.keys(members).length > 0 || key in wanted) merged[key] = members;
    else delete merged[key];
  }
  if (isProgram && keepsAccess) merged.args = withFormerAccess(wordsOf(wanted), wordsOf(existing));
  return merged;
}

function without(members: unknown, names: readonly string[]): Data {
  if (!isData(members)) return {};
  const lower = names.map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(members).filter(([key]) => !lower.includes(key.toLowerCase())));
}

/** Returns the words of `relay stdio`, with the access that `former` gives. */
function withFormerAccess(words: readonly string[], former: readonly string[]): string[] {
  const at = former.indexOf('--access');
  if (at < 0 || former[at + 1] === undefined) return [...words];
  return [...words.slice(0, words.indexOf('--access')), ...former.slice(at, at + 2)];
}

export function wordsOf({ args }: Data): string[] {
  return Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
}

/** The two ways to reach this server: by its address, or by starting the program. */
export interface Target {
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
 * the keys that relay makes, and an entry that names no server.
 */
export function leadsElsewhere(entry: Data, target: Target): boolean {
  const texts = textsIn(entry);
  if (leadsTo(entry, target) || isRelayCommand(texts)) return false;
  if (keysIn(entry).some((key) => key.startsWith('relay_'))) return false;
  const addresses = texts.filter((text) => /^https?:/i.test(text) && URL.canParse(text));
  const mayBeRelay = addresses.some((address) => /^http:\/\/loopback:\d*\/mcp$/.test(plainAddress(address)));
  return !mayBeRelay && (addresses.length > 0 || 'command' in entry || 'cmd' in entry);
}

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
