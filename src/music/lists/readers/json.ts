import { type ColumnPlan, columnPlanner, type Fields, fieldsOf } from '../columns.ts';
import { joinNames, playlistNamer } from '../entry.ts';
import { beginsLikeJson, itemsOf, type JsonNode, propertiesOf, textOf } from '../jsonTree.ts';
import type { Row } from '../list.ts';
import type { Source } from '../source.ts';
import type { Reader } from './reader.ts';

/** Keys whose array holds the songs of a list, or lists. */
const CONTAINERS = [
  'tracks',
  'items',
  'songs',
  'entries',
  'rows',
  'data',
  'results',
  'list',
  'playlists',
  'playlist',
];
/** Keys whose array holds the addresses or IDs of songs, in an object without a list of songs. */
const ADDRESS_LISTS = ['uris', 'track_ids', 'ids'];
/** Keys around a song in the answers of Spotify and of relay. */
const WRAPPERS = ['track', 'item', 'episode', 'song'];

/** Maximum number of keys of a song. Spotify's own tracks have about 20. */
const MAX_KEYS = 1_000;

interface File {
  source: Source;
  plan: (names: readonly string[]) => ColumnPlan;
  playlistName: (name: string) => string;
}

/** Reads arrays of strings or objects, also arrays within objects, and files with one object a line. */
export const json: Reader = {
  format: 'json',
  name: 'JSON',
  looksLike: ({ text }) => beginsLikeJson(text),
  read(source) {
    const root = source.json();
    const name = nameOf(root);
    const file = { source, plan: columnPlanner(), playlistName: playlistNamer() };
    const rows = rowsOf(root, file, '') ?? [rowOf(root, file, '')];
    return { rows, ...(name !== '' && { name }) };
  },
};

function nameOf(node: JsonNode): string {
  const properties = propertiesOf(node);
  return textOf(properties.get('name')) || textOf(properties.get('title'));
}

/** The rows of a value; null if it is not a list of songs. */
function rowsOf(node: JsonNode, file: File, list: string): Row[] | null {
  if (node.type === 'array') {
    return itemsOf(node).flatMap((item) => rowsOfItem(item, file, list) ?? [rowOf(item, file, list)]);
  }
  return rowsOfInner(node, file, list);
}

/** The rows of one list of several. It is a playlist of its own if it has a name and is in no other playlist. */
function rowsOfItem(item: JsonNode, file: File, list: string): Row[] | null {
  const rows = rowsOfInner(item, file, list);
  const name = rows !== null && list === '' ? file.playlistName(nameOf(item)) : '';
  if (rows === null || name === '') return rows;
  return rows.map((row) => ({ ...row, fields: { list: name, ...row.fields } }));
}

/** The rows of an object that holds a list. `tracks: {items: […]}` is one list, `playlists: […]` are several. */
function rowsOfInner(node: JsonNode, file: File, list: string): Row[] | null {
  const properties = propertiesOf(node);
  for (const key of CONTAINERS) {
    const inner = properties.get(key);
    if (inner?.type === 'array') {
      const isLists = key === 'playlists';
      return itemsOf(inner).flatMap((item) => {
        const name = isLists ? file.playlistName(nameOf(item)) : list;
        return (isLists ? rowsOf(item, file, name) : null) ?? [rowOf(item, file, name)];
      });
    }
    const deeper = inner?.type === 'object' ? rowsOfInner(inner, file, list) : null;
    if (deeper) return deeper;
  }
  return rowsOfAddresses(node, file, list);
}

/** The rows of an object that has only addresses or IDs; null for a song, which may have its own. */
function rowsOfAddresses(node: JsonNode, file: File, list: string): Row[] | null {
  const properties = propertiesOf(node);
  const addresses = ADDRESS_LISTS.map((key) => properties.get(key)).find((inner) => inner?.type === 'array');
  if (!addresses || rowOf(node, file, list).fields?.artist) return null;
  return itemsOf(addresses).map((item) => rowOf(item, file, list));
}

function rowOf(node: JsonNode, { source, plan }: File, list: string): Row {
  const row = source.placeOf(node.offset, node.offset + node.length);
  if (node.type === 'string') return { ...row, text: textOf(node), ...(list !== '' && { fields: { list } }) };
  if (node.type !== 'object') return { ...row, why: 'neither an object nor a string' };
  if ((node.children?.length ?? 0) > MAX_KEYS) return { ...row, why: `more than ${MAX_KEYS} keys` };
  const fields = songFields(node, plan);
  return { ...row, fields: { ...fields, ...(list !== '' && !fields.list && { list }) } };
}

function songFields(node: JsonNode, plan: File['plan']): Fields {
  const properties = propertiesOf(node);
  for (const key of WRAPPERS) {
    const inner = properties.get(key);
    if (inner?.type === 'object') return songFields(inner, plan);
  }
  const flat = [...properties].flatMap(([key, value]) => valuesOf(key, value));
  const names = flat.map(([key]) => key);
  return fieldsOf(
    plan(names),
    flat.map(([, value]) => value),
  );
}

/** Values by key; the values of `album`, `artists` and `external_ids` are one level down. */
function valuesOf(key: string, value: JsonNode): [string, string][] {
  if (value.type === 'array')
    return [[key, joinNames(itemsOf(value).map((item) => textOf(item) || nameOf(item)))]];
  if (value.type !== 'object') return [[key, textOf(value)]];
  const properties = propertiesOf(value);
  const inner: [string, string][] = ['isrc', 'spotify', 'release_date'].flatMap((name) => {
    const text = textOf(properties.get(name));
    return text === '' ? [] : [[name === 'spotify' ? 'url' : name, text]];
  });
  const name = nameOf(value);
  return name === '' ? inner : [[key, name], ...inner];
}
