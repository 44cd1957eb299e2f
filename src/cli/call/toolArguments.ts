/**
 * Turns `key=value` words into the arguments of a tool. Pure. Each value is read as the tool's input schema says. Unknown
 * arguments and values that do not fit are sent as text, so that the server explains what is wrong.
 */

import { didYouMean } from '../../base/nearest.ts';
import { isObject } from '../../base/parsing.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import { quotedWord } from '../commandLine.ts';

/** The part of JSON Schema that the tools use. */
export interface ValueSchema {
  type?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
  items?: unknown;
  properties?: unknown;
}

interface Typed {
  platform: NodeJS.Platform;
  /** True if `json` came from stdin, where no shell reads quotation marks. */
  piped: boolean;
}

/**
 * Returns the arguments of a call. `words` override the members of `json`, which is the text of a JSON object.
 * @throws RelayError `USAGE` for a word without `=`, for bad JSON, and for an empty list: `track_ids=$IDS` with an unset
 * variable would empty a playlist
 */
export function toolArguments(
  words: readonly string[],
  json: string | undefined,
  inputSchema: ValueSchema,
  { platform, piped }: Typed,
): Record<string, unknown> {
  const given = parseJson(json ?? (piped ? '' : '{}'), piped ? CORRECT : QUOTING);
  if (!isObject(given)) {
    const example = '{"query": "carousel"}';
    const typed = piped ? example : `--args ${quotedWord(example, platform)}`;
    throw usage('--args must be one JSON object.', `For example: ${typed}`);
  }
  const args = { ...given };
  const properties = asRecord(inputSchema.properties);
  const placed = words.map((word) => {
    const [key, text] = splitWord(word);
    return { word, key, text, ...placeOf(key, properties) };
  });
  const twice = placed.find(({ key }, at) => placed.findIndex((one) => one.key === key) < at);
  if (twice) throw usage(`The argument ${twice.key} is given twice.`, `Give a list as ${twice.key}=a,b.`);
  // A whole object must not replace a member that is named in front of it.
  const wholeFirst = placed.toSorted((a, b) => Number(a.inner !== null) - Number(b.inner !== null));
  for (const { word, key, text, outer, inner, schema } of wholeFirst) {
    const value = convert(text, schema);
    if (Array.isArray(value) && value.length === 0 && !text.trimStart().startsWith('[')) {
      const list = quotedWord(JSON.stringify({ [key]: [] }), platform);
      throw usage(
        `${word} has no values. Is a variable of the shell not set?`,
        `To really pass an empty list: --args ${list}`,
      );
    }
    args[outer] = inner === null ? value : { ...asRecord(args[outer]), [inner]: value };
  }
  return args;
}

/** What `key` names. `offset.position`, as `relay tools` lists it, names the member `position` of the object `offset`. */
function placeOf(key: string, properties: Record<string, unknown>) {
  const dot = key.indexOf('.');
  const outer = key.slice(0, Math.max(0, dot));
  const members = asRecord(properties[outer]).properties;
  if (!isObject(members)) return { outer: key, inner: null, schema: asRecord(properties[key]) };
  const inner = key.slice(dot + 1);
  return { outer, inner, schema: asRecord(members[inner]) };
}

/** How to keep the shell from changing JSON. */
const QUOTING = 'Put it in quotes as your shell needs them, in sh and PowerShell in single ones.';
const CORRECT = 'Correct what goes to stdin, then run this again.';

function convert(text: string, schema: ValueSchema): unknown {
  const types = typesOf(schema);
  if (types.has('array')) return toArray(text, schema);
  if (types.has('object') && text.trimStart().startsWith('{')) return parseJson(text, QUOTING);
  if (types.has('string')) return text;
  if (types.has('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if ((types.has('integer') || types.has('number')) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

function toArray(text: string, schema: ValueSchema): unknown {
  if (text.trimStart().startsWith('[')) return parseJson(text, QUOTING);
  const items = asRecord(asRecord([schema, ...branchesOf(schema)].find((branch) => branch.items))?.items);
  // A comma inside an object separates its members, so an object is one value.
  const parts = text.trimStart().startsWith('{') ? [text] : text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map((part) => convert(part, items));
}

/** Returns every type that the value may have, in all alternatives of the schema. */
function typesOf(schema: ValueSchema): Set<unknown> {
  const own = Array.isArray(schema.type) ? schema.type : [schema.type];
  return new Set([...own, ...branchesOf(schema).flatMap((branch) => [...typesOf(branch)])]);
}

function branchesOf({ anyOf, oneOf }: ValueSchema): ValueSchema[] {
  return [anyOf, oneOf].flatMap((branches) => (Array.isArray(branches) ? branches.map(asRecord) : []));
}

function splitWord(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw usage(
    `"${word}" is not in the form key=value.`,
    'Put values with spaces in quotes: query="old carousel".',
  );
}

function parseJson(text: string, remedy: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`This is not JSON: ${text.slice(0, 80)} (${messageOf(error)}).`, remedy);
  }
}

function usage(message: string, remedy: string): RelayError {
  return new RelayError('USAGE', message, { remedy });
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function unknownTool(name: string, known: readonly { name: string }[]): RelayError {
  const similar = didYouMean(
    name,
    known.map((tool) => tool.name),
  );
  return new RelayError('USAGE', `There is no tool "${name}".`, {
    remedy: { text: `${similar ?? ''} {command} lists them.`.trim(), command: ['tools'] },
  });
}
