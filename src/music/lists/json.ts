/** JSON: arrays of strings or objects, also within objects; one object a line; and Spotify's own data export. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { MAX_JSON_DEPTH, tooDeepAt } from '../../base/boundedJson.ts';
import { LEFT_OUT_PLAYS } from '../../domain/listImport.ts';
import { areOfPlays, type ColumnPlan, columnPlanner, type Fields, fieldsOf, otherThan } from './columns.ts';
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
import { canSplit } from './marks.ts';

/** Keys of the songs of a list, or of lists. Other keys count too, but only if songs are found there. */
const CONTAINERS =
  'tracks items songs entries rows data results list media collection playlists playlist'.split(' ');
/** Keys of the songs of a list if they are an array: JSPF, Subsonic, Last.fm. */
const ARRAYS = ['track', 'song', 'entry'];
/** Keys of things that have a title and an artist but are no songs. */
const NO_SONGS = /^(?:albums?|artists?|releases?|shows?|podcasts?|videos?)$/iu;
/** Keys whose array holds addresses or IDs, in an object without a list of songs. */
const ADDRESS_LISTS = ['uris', 'track_ids', 'ids'];
/** Keys around a song in answers of Spotify, relay, ListenBrainz, Apple, Tidal and YouTube, and in Spotify's export. */
const WRAPPERS = 'track item episode song recording localTrack track_metadata attributes snippet'.split(' ');
/** Keys of what a song says one level down, in `album`, `external_ids` or `additional_info`. */
const INNER = ['isrc', 'spotify', 'spotify_id', 'origin_url', 'release_date', 'uts'];
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
/** Keys of JSPF for addresses of a song with several services. */
const ADDRESSES = ['identifier', 'location'];
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
  isHistory: boolean;
  /** Name of the object around the songs. */
  name: string;
  /** What a file of JSON:API (Tidal) writes once, apart from the songs: tracks, artists and albums, by type and ID. */
  included: ReadonlyMap<string, Node>;
}

function read(text: string, { allPlays }: { allPlays: boolean }): RawList {
  const lineAt = lineFinder(text);
  const root = parsed(text, lineAt);
  const plan = columnPlanner();
  const included = new Map(
    itemsOf(propertiesOf(root).get('included')).map((node) => [resourceKey(node), node] as const),
  );
  const state = { allPlays, isHistory: false, name: '', included };
  const file: File = { text, lineAt, plan, playlistName: playlistNamer(), ...state };
  const rows = rowsOf(root, file, '') ?? rowsByKey(root, file, '') ?? [rowOf(root, file, '')];
  const name = nameOf(root) || (rows.some(({ fields }) => fields?.list) ? '' : file.name);
  return {
    rows: [...rows, ...otherRows(root, file)],
    isHistory: file.isHistory,
    ...(name !== '' && { name }),
  };
}

/** The rows of a value; null if it is not a list of songs. */
function rowsOf(node: Node, file: File, list: string): Row[] | null {
  if (node.type === 'array') return itemsOf(node).flatMap((item) => rowsOfItem(item, file, list));
  const properties = propertiesOf(node);
  file.isHistory ||= areOfPlays([...properties.keys()]);
  let empty: Row[] | null = null;
  let isItself: boolean | undefined;
  for (const [key, inner] of listsIn(properties)) {
    const isKnown = CONTAINERS.includes(key) || ARRAYS.includes(key);
    // A playlist of JSPF has a title and a creator too, so known keys come first.
    if (!isKnown) isItself ??= isSong(songFields(node, file));
    if (isItself) break;
    const rows = rowsOf(inner, file, list) ?? rowsByKey(inner, file, list);
    if (rows?.some(({ fields, text }) => (fields && isSong(fields)) || (isKnown && text !== undefined))) {
      file.name ||= nameOf(node);
      return rows;
    }
    if (isKnown) empty ??= rows;
  }
  // A song may have IDs of its own.
  const addresses = ADDRESS_LISTS.flatMap((key) => properties.get(key) ?? []).find(
    ({ type }) => type === 'array',
  );
  if (empty || !addresses || rowOf(node, file, list).fields?.artist) return empty;
  return itemsOf(addresses).map((item) => rowOf(item, file, list));
}

/** The rows of an object with a song for each key, or with one song where others have an array; null if it is none. */
function rowsByKey(node: Node, file: File, list: string): Row[] | null {
  if (node.type !== 'object' || isSong(songFields(node, file))) return null;
  const rows = [...propertiesOf(node)].flatMap(([key, inner]) =>
    inner.type === 'object' && !NO_SONGS.test(key) ? [rowOf(inner, file, list)] : [],
  );
  const songs = rows.filter(({ why, fields }) => why === undefined && fields && isSong(fields));
  return songs.length > 0 ? songs : null;
}

/** The values that may be lists of songs, those with known keys first. */
function listsIn(properties: ReadonlyMap<string, Node>): [string, Node][] {
  const rank = (key: string) => CONTAINERS.indexOf(key) + 1 || (ARRAYS.includes(key) ? 20 : 30);
  return (
    [...properties]
      .filter(([key, { type }]) => type === 'array' || (type === 'object' && !ARRAYS.includes(key)))
      // Subsonic gives an album with its songs.
      .filter(([key, node]) => !NO_SONGS.test(key) || (key === 'album' && propertiesOf(node).has('song')))
      .sort(([a], [b]) => rank(a) - rank(b))
  );
}

function isSong(fields: Fields): boolean {
  const { title, artist, albumArtist, uri, id, isrc } = fields;
  const isNamed = title && (artist || albumArtist);
  return otherThan(fields) === null && Boolean(isNamed || uri || id || isrc);
}

/** The rows of one value of an array. A list is a playlist of its own if it has a name and is in no other playlist. */
function rowsOfItem(item: Node, file: File, list: string): Row[] {
  const isInner = item.type === 'object' || (item.children?.length ?? 0) > 0;
  const rows = isInner ? rowsOf(item, file, list) : null;
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

function rowOf(given: Node, file: File, list: string): Row {
  const node = file.included.get(resourceKey(given)) ?? given;
  const row = placeOf(node, file);
  const inList = list === '' ? {} : { list };
  if (node.type === 'string') return { ...row, text: textOf(node), fields: inList };
  if (node.type !== 'object') return { ...row, why: 'neither an object nor a string' };
  if ((node.children?.length ?? 0) > MAX_KEYS) return { ...row, why: `more than ${MAX_KEYS} keys` };
  const properties = propertiesOf(node);
  const ms = textOf(properties.get('msPlayed') ?? properties.get('ms_played'));
  const isShort = ms !== '' && !file.allPlays && Number(ms) < SHORT_MS;
  const fields = { ...inList, ...songFields(node, file) };
  // A name alone is that of anything.
  const { title, list: _list, version: _version, ...more } = fields;
  const isAnything =
    title !== undefined && title === textOf(properties.get('name')) && Object.keys(more).length === 0;
  const nothing = isAnything && !canSplit(title) ? 'no artist' : null;
  const why = isShort ? LEFT_OUT_PLAYS.short : (otherThan(fields) ?? nothing);
  return { ...row, fields, ...(why !== null && { why }) };
}

function placeOf({ offset, length }: Node, { text, lineAt }: File): { line: number; raw: string } {
  return { line: lineAt(offset), raw: excerpt(text.slice(offset, offset + length).replace(/\s+/gu, ' ')) };
}

function songFields(node: Node, file: File): Fields {
  const properties = propertiesOf(node);
  const given = [...properties]
    // The IDs of music servers look like Spotify's (https://opensubsonic.netlify.app/docs/responses/child).
    .filter(([key]) => key !== 'id' || !properties.has('isDir'))
    .flatMap(([key, value]) => valuesOf(key, value))
    .filter(([, text]) => text !== '');
  given.push(...linked(properties, file));
  const names = given.map(([key]) => key);
  file.isHistory ||= areOfPlays(names);
  const fields = fieldsOf(
    file.plan(names),
    given.map(([, text]) => text),
  );
  const inner = WRAPPERS.flatMap((key) => properties.get(key) ?? []).find(({ type }) => type === 'object');
  if (!inner) return fields;
  const { type, opinion, artist, album } = fields;
  const outer = { type, opinion, ...(properties.has('relationships') && { artist, album }) };
  return { ...outer, ...songFields(inner, file) };
}

/** The type and the ID of a resource of JSON:API; '' for other values. */
function resourceKey(node: Node): string {
  const [type, id] = ['type', 'id'].map((key) => textOf(propertiesOf(node).get(key)));
  return type && id ? `${type} ${id}` : '';
}

/** The names of artists and albums that a song has only links to. */
function linked(properties: ReadonlyMap<string, Node>, file: File): [string, string][] {
  const links = propertiesOf(properties.get('relationships'));
  return ['artists', 'albums'].flatMap((key): [string, string][] => {
    const names = itemsOf(propertiesOf(links.get(key)).get('data')).map((node) =>
      nameOf(file.included.get(resourceKey(node))),
    );
    const name = joinNames(names);
    return name === '' ? [] : [[key === 'albums' ? 'album' : key, name]];
  });
}

/** Values by key; those of `album`, `artists` and the like are one level down. Of several addresses, Spotify's counts. */
function valuesOf(key: string, value: Node): [string, string][] {
  if (value.type === 'array') {
    const texts = itemsOf(value).map((item) => textOf(item) || nameOf(item));
    const address = ADDRESSES.includes(key) ? texts.find((text) => /spotify[.:]/iu.test(text)) : undefined;
    return [[key, address ?? joinNames(texts)]];
  }
  if (value.type !== 'object') return [[key, textOf(value)]];
  const properties = propertiesOf(value);
  return [
    [key, nameOf(value)],
    ...INNER.map((name): [string, string] => [name, textOf(properties.get(name))]),
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

/** The name of a list, album or artist, as most services, Last.fm, maloja, Apple and JSPF write it. */
function nameOf(node: Node | undefined): string {
  const properties = propertiesOf(node);
  const [name = ''] = ['name', 'title', '#text', 'albumtitle']
    .map((key) => textOf(properties.get(key)))
    .filter((text) => text !== '');
  const inner = properties.get('attributes') ?? properties.get('playlist');
  return name || (inner ? nameOf(inner) : '');
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
