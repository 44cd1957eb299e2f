/** JSON: arrays of strings or objects, also within objects; one object a line; and Spotify's own data export. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { MAX_JSON_DEPTH, tooDeepAt } from '../../base/boundedJson.ts';
import { LEFT_OUT_PLAYS } from '../../domain/listImport.ts';
import { type ColumnPlan, columnPlanner, type Fields, fieldsOf } from './columns.ts';
import {
  excerpt,
  joinNames,
  lineFinder,
  playlistNamer,
  type RawList,
  type Reader,
  type Row,
  refused,
} from './list.ts';

/** Keys whose array holds the songs of a list, or lists. */
const CONTAINERS = 'tracks items songs entries rows data results list playlists playlist'.split(' ');
/** Keys whose array holds addresses or IDs, in an object without a list of songs. */
const ADDRESS_LISTS = ['uris', 'track_ids', 'ids'];
/** Keys around a song in the answers of Spotify and of relay, and in Spotify's export. */
const WRAPPERS = ['track', 'item', 'episode', 'song', 'localTrack'];
/** Keys of a play in a listening history. */
const PLAY_KEYS = ['msPlayed', 'ms_played', 'master_metadata_track_name'];
/** What YourLibrary.json has besides songs. */
const LIBRARY_OTHERS: Readonly<Record<string, string>> = {
  albums: 'an album',
  shows: 'a podcast',
  episodes: 'an episode',
  artists: 'an artist',
  bannedTracks: 'a song that you have hidden',
  bannedArtists: 'an artist that you have hidden',
  other: 'not a song',
};
/** A shorter play is left out. Spotify does not count it either. */
const SHORT_MS = 30_000;
/** Maximum number of keys of a song. Spotify's own tracks have about 20. */
const MAX_KEYS = 1_000;

/** True for a text that begins like JSON. `[0:31] Artist` and `[x] Artist` do not. */
export function beginsLikeJson(text: string): boolean {
  return /^\s*(?:\[\s*["{[\]]|\{\s*["}])/u.test(text);
}

export const json: Reader = { format: 'json', name: 'JSON', looksLike: beginsLikeJson, read };

export const spotify: Reader = {
  format: 'spotify',
  name: "Spotify's data export",
  looksLike: (text) =>
    beginsLikeJson(text) &&
    /"(?:trackUri|bannedTracks|endTime|msPlayed|ms_played|master_metadata_track_name)"\s*:/u.test(text),
  read,
};

interface File {
  text: string;
  lineAt(offset: number): number;
  plan(names: readonly string[]): ColumnPlan;
  playlistName(name: string): string;
  allPlays: boolean;
}

function read(text: string, { allPlays }: { allPlays: boolean }): RawList {
  const lineAt = lineFinder(text);
  const root = parsed(text, lineAt);
  const file = { text, lineAt, plan: columnPlanner(), playlistName: playlistNamer(), allPlays };
  const rows = rowsOf(root, file, '') ?? [rowOf(root, file, '')];
  const [first] = itemsOf(root);
  const isHistory = PLAY_KEYS.some((key) => propertiesOf(first).has(key));
  const name = nameOf(root);
  return { rows: [...rows, ...otherRows(root, file)], isHistory, ...(name !== '' && { name }) };
}

/** The rows of a value; null if it is not a list of songs. */
function rowsOf(node: Node, file: File, list: string): Row[] | null {
  if (node.type === 'array') return itemsOf(node).flatMap((item) => rowsOfItem(item, file, list));
  const properties = propertiesOf(node);
  for (const inner of CONTAINERS.flatMap((key) => properties.get(key) ?? [])) {
    const rows = inner.type === 'array' || inner.type === 'object' ? rowsOf(inner, file, list) : null;
    if (rows) return rows;
  }
  // A song may have IDs of its own.
  const addresses = ADDRESS_LISTS.flatMap((key) => properties.get(key) ?? []).find(
    ({ type }) => type === 'array',
  );
  return addresses && !rowOf(node, file, list).fields?.artist
    ? itemsOf(addresses).map((item) => rowOf(item, file, list))
    : null;
}

/** The rows of one value of an array. A list is a playlist of its own if it has a name and is in no other playlist. */
function rowsOfItem(item: Node, file: File, list: string): Row[] {
  const rows = item.type === 'object' ? rowsOf(item, file, list) : null;
  if (!rows) return [rowOf(item, file, list)];
  const name = list === '' && rows.length > 0 ? file.playlistName(nameOf(item)) : '';
  return name === '' ? rows : rows.map((row) => ({ ...row, fields: { list: name, ...row.fields } }));
}

function otherRows(root: Node, file: File): Row[] {
  const library = propertiesOf(root);
  if (!library.has('bannedTracks')) return [];
  return Object.entries(LIBRARY_OTHERS).flatMap(([key, why]) =>
    itemsOf(library.get(key)).map((node) => ({ ...placeOf(node, file), why })),
  );
}

function rowOf(node: Node, file: File, list: string): Row {
  const row = placeOf(node, file);
  const inList = list === '' ? {} : { list };
  if (node.type === 'string') return { ...row, text: textOf(node), fields: inList };
  if (node.type !== 'object') return { ...row, why: 'neither an object nor a string' };
  if ((node.children?.length ?? 0) > MAX_KEYS) return { ...row, why: `more than ${MAX_KEYS} keys` };
  const properties = propertiesOf(node);
  const ms = textOf(properties.get('msPlayed') ?? properties.get('ms_played'));
  const isShort = ms !== '' && !file.allPlays && Number(ms) < SHORT_MS;
  const fields = { ...inList, ...songFields(node, file) };
  return { ...row, fields, ...(isShort && { why: LEFT_OUT_PLAYS.short }) };
}

function placeOf({ offset, length }: Node, { text, lineAt }: File): { line: number; raw: string } {
  return { line: lineAt(offset), raw: excerpt(text.slice(offset, offset + length).replace(/\s+/gu, ' ')) };
}

function songFields(node: Node, file: File): Fields {
  const properties = propertiesOf(node);
  const inner = WRAPPERS.flatMap((key) => properties.get(key) ?? []).find(({ type }) => type === 'object');
  if (inner) return songFields(inner, file);
  const given = [...properties]
    .flatMap(([key, value]) => valuesOf(key, value))
    .filter(([, text]) => text !== '');
  const plan = file.plan(given.map(([key]) => key));
  return fieldsOf(
    plan,
    given.map(([, text]) => text),
  );
}

/** Values by key; those of `album`, `artists` and `external_ids` are one level down. */
function valuesOf(key: string, value: Node): [string, string][] {
  if (value.type === 'array')
    return [[key, joinNames(itemsOf(value).map((item) => textOf(item) || nameOf(item)))]];
  if (value.type !== 'object') return [[key, textOf(value)]];
  const properties = propertiesOf(value);
  return [
    [key, nameOf(value)],
    ['isrc', textOf(properties.get('isrc'))],
    ['url', textOf(properties.get('spotify'))],
    ['release_date', textOf(properties.get('release_date'))],
  ];
}

/** Properties by key, so that a key like `__proto__` is a key like any other. If a key is repeated, the last one counts. */
function propertiesOf(node: Node | undefined): ReadonlyMap<string, Node> {
  if (node?.type !== 'object') return new Map();
  return new Map(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), value] as const] : [],
    ),
  );
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

/** A string, or a number as text; '' for everything else. */
function textOf(node: Node | undefined): string {
  return node?.type === 'string' || node?.type === 'number' ? String(node.value) : '';
}

function nameOf(node: Node): string {
  const properties = propertiesOf(node);
  return textOf(properties.get('name')) || textOf(properties.get('title'));
}

/** @throws RelayError `INVALID_ARGUMENT` with the line of the first fault */
function parsed(text: string, lineAt: (offset: number) => number): Node {
  const deep = tooDeepAt(text);
  if (deep !== null) throw fault(lineAt(deep), `more than ${MAX_JSON_DEPTH} levels of brackets`);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root && !error) return root;
  const perLine = oneObjectALine(text);
  if (perLine) return perLine;
  const code = error ? printParseErrorCode(error.error) : 'NoValue';
  throw fault(lineAt(error?.offset ?? 0), code.replace(/(?<=[a-z])[A-Z]/gu, ' $&').toLowerCase());
}

/** JSON Lines as an array of objects with their positions in the whole text; null if any line is not an object. */
function oneObjectALine(text: string): Node | null {
  const children: Node[] = [];
  let offset = 0;
  for (const line of text.split('\n')) {
    const errors: ParseError[] = [];
    const node = line.trim() === '' ? null : parseTree(line, errors, { allowTrailingComma: true });
    if (node !== null && (node?.type !== 'object' || errors.length > 0)) return null;
    if (node) children.push({ ...node, offset: node.offset + offset });
    offset += line.length + 1;
  }
  return { type: 'array', offset: 0, length: offset, children };
}

function fault(line: number, what: string) {
  return refused(`Line ${line} is not valid JSON: ${what}.`, {
    line,
    remedy: 'Correct the file, or export it again.',
  });
}
