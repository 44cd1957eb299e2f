/** The values of a tool's answer as text, and the order in which its members are shown. Pure. */
import { capital } from '../../base/lists.ts';
import { isObject } from '../../base/parsing.ts';
import { visibleText } from '../../base/visibleText.ts';

export type Fields = Record<string, unknown>;

/** Maximum number of code units of a value in a table, more than any terminal shows. */
const MAX_CELL = 300;

/** Members that a person looks for first. */
const FIRST: readonly string[] = [
  'ok',
  'position',
  'index',
  'disc',
  'track',
  'input',
  'name',
  'title',
  'artists',
  'artist',
  'played_at',
  'score',
  'album',
  'show',
  'duration',
  'year',
  'flags',
  'type',
  'kind',
  'status',
  'state',
  'is_active',
  'volume_percent',
  'items',
  'tracks',
  'owner',
  'added',
];
/** Members that a person looks for last, apart from IDs. */
const LAST: readonly string[] = ['description', 'reasons', 'context', 'url', 'uri'];

/** Returns the members in the order in which they are shown: names first, IDs last. */
export function ordered(keys: Iterable<string>): string[] {
  return [...keys].sort((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(key: string): number {
  if (FIRST.includes(key)) return FIRST.indexOf(key) - FIRST.length;
  if (key === 'id') return LAST.length + 2;
  if (isId(key)) return LAST.length + 1;
  return LAST.indexOf(key) + 1;
}

export function isId(key: string): boolean {
  return key === 'id' || key.endsWith('_id');
}

/** Returns the label of a member: `playlist id` for `playlist_id`, `active` for `is_active`. */
export function labelOf(key: string): string {
  return visibleText(key.replace(/^is_/, '').replaceAll('_', ' '), 40);
}

/** Returns the heading of a member: `Top artists` for `top_artists`. */
export function headingOf(key: string): string {
  return capital(labelOf(key));
}

/** Returns any value in one line; '' for null. An object with a name is shown by its name. */
export function cellText(value: unknown, max = MAX_CELL): string {
  return visibleText(wordsOf(value), max);
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(wordsOf).join(', ');
  if (!isObject(value)) return String(value);
  const { name, artists } = value;
  if (typeof name === 'string') return artists ? `${name} by ${wordsOf(artists)}` : name;
  const parts = Object.entries(value).map(([key, inner]) => `${labelOf(key)} ${wordsOf(inner)}`.trim());
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/**
 * Returns the row with the members of its named object, such as the track of a candidate, merged in. The object stays as it is
 * if it and the row both have an ID, a name or a title.
 */
export function flattened(row: Fields): Fields {
  let flat: Fields = {};
  for (const [key, value] of Object.entries(row)) {
    const isMerged = isThing(value) && !clash(row, value) && !clash(flat, value);
    flat = isMerged ? { ...value, ...flat } : { ...flat, [key]: value };
  }
  return flat;
}

/** True if both have an ID, both a name, or both a title. */
function clash(one: Fields, other: Fields): boolean {
  return ['id', 'name', 'title'].some((key) => key in one && key in other);
}

function isThing(value: unknown): value is Fields {
  return isObject(value) && (typeof value.name === 'string' || typeof value.title === 'string');
}

/** True if a value is a list of objects, and not empty. */
export function isRows(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
