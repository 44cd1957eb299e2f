/** This server's entry in a client's file, and how it is merged with the user's own settings. Pure. */

/** A parsed JSON object or TOML table. */
export type Data = Record<string, unknown>;

/** Keys with which any of the clients says how to reach a server. Those that the new entry does not use are removed. */
const WAYS_TO_REACH = [
  'type',
  'transport',
  'url',
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
 * The merged entry: `wanted`, plus everything of `existing` that does not contradict it, such as `disabled`, `timeout`
 * or a header for a proxy.
 */
export function mergedEntry(existing: Data, wanted: Data, shares: Shares): Data {
  const merged: Data = {};
  for (const [key, value] of Object.entries(existing)) {
    if (!WAYS_TO_REACH.includes(key) || key in wanted) merged[key] = value;
  }
  Object.assign(merged, wanted);
  for (const [key, ours] of Object.entries(shares)) {
    const members = { ...without(existing[key], ours), ...(wanted[key] as Data | undefined) };
    if (Object.keys(members).length > 0) merged[key] = members;
    else delete merged[key];
  }
  return merged;
}

/** True when the entry contains `url` anywhere. */
export function leadsTo(entry: unknown, url: string): boolean {
  if (typeof entry === 'string') return entry === url;
  return (
    typeof entry === 'object' && entry !== null && Object.values(entry).some((part) => leadsTo(part, url))
  );
}

export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
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
