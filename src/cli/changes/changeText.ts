/** Changes for a person. Pure: records in, lines out. */
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { ChangeState } from '../../domain/change.ts';
import { SHORT_ID, shortId } from '../../domain/job.ts';
import type { ChangeEntry, UndoAnswer } from '../../domain/localApi.ts';
import { columns } from '../terminal/output.ts';
import { minute } from '../terminal/time.ts';

export function changeTable(changes: readonly ChangeEntry[]): string[] {
  const short = shortener(changes.map(({ change_id }) => change_id));
  const rows = changes.map((change) => [
    short(change.change_id),
    minute(change.at),
    whatText(change, short),
    askerText(change.asked_by),
    stateText(change, short),
  ]);
  return columns([['ID', 'WHEN', 'WHAT', 'ASKED BY', 'STATE'], ...rows]);
}

/** IDs as short as they can be told apart, and no shorter than eight characters. */
function shortener(ids: readonly string[]): (id: string) => string {
  let length = SHORT_ID;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length += 1;
  return (id) => id.slice(0, length);
}

/** `added 12 songs to Evening`. @param short how an ID in it is shown */
export function whatText(change: ChangeEntry, short: (id: string) => string = shortId): string {
  const { kind, state, requested, written, undoes } = change;
  const songs = counted(state === 'done' ? requested : written, 'song');
  const playlist = playlistText(change);
  switch (kind) {
    case 'add':
      return `added ${songs} to ${playlist}`;
    case 'remove':
      return `removed ${songs} from ${playlist}`;
    case 'reorder':
      return `moved songs in ${playlist}`;
    case 'replace':
      if (requested === 0) return `emptied ${playlist}`;
      return `replaced the content of ${playlist} with ${songs}`;
    case 'deduplicate':
      return `removed duplicates from ${playlist}`;
    case 'create':
      return `created ${playlist}`;
    case 'delete':
      return `deleted ${playlist}`;
    case 'details':
      return `changed the details of ${playlist}`;
    case 'save':
      return `saved ${songs}`;
    case 'unsave':
      return `removed ${songs} from Liked Songs`;
    case 'undo':
      return undoes === undefined ? 'undid an older change' : `undid ${short(undoes)}`;
  }
}

function playlistText({ playlist_id, playlist_name }: ChangeEntry): string {
  if (playlist_name !== undefined) return `"${visibleText(playlist_name, 60)}"`;
  return playlist_id === null ? 'a playlist' : `playlist ${visibleText(playlist_id, 60)}`;
}

/** `job 1f0c2b3a`, `tool save_tracks`, `relay undo`. */
function askerText(askedBy: string): string {
  return visibleText(askedBy.replace(/^(job [\w-]{8})[\w-]*$/, '$1'), 60);
}

const STATES: Readonly<Record<ChangeState, string>> = {
  writing: 'being written',
  outcome_unknown: 'being checked',
  looking: 'being checked',
  rolling_back: 'being rolled back',
  cancelling: 'being cancelled',
  waiting: 'waiting',
  review: 'under review',
  done: 'done',
  partial: 'partly written',
  rolled_back: 'rolled back',
  unchanged: 'nothing written',
};

function stateText({ state, undone_by }: ChangeEntry, short: (id: string) => string): string {
  return undone_by === undefined ? STATES[state] : `undone by ${short(undone_by)}`;
}

/** What an undo takes away and does not bring back, one line each; in a dry run, what it would. */
export function effectLines({ rows, removed, notes, requests }: UndoAnswer, isAhead: boolean): string[] {
  const verb = isAhead ? 'will have' : 'has';
  const gone =
    removed === null || removed === 0 ? '' : ` ${counted(removed, 'row')} ${goes(removed, isAhead)}.`;
  return [
    ...(requests === 0 ? ['There is nothing to write: everything is as it was before.'] : []),
    ...(rows === null ? [] : [`The playlist ${verb} ${counted(rows, 'row')}.${gone}`]),
    ...notes,
  ];
}

function goes(count: number, isAhead: boolean): string {
  if (isAhead) return 'will go';
  return count === 1 ? 'is gone' : 'are gone';
}

/** Rows of each list that are shown. */
const MAX_SHOWN = 10;

/** What differs between what a change left and what is there now, from the details of `CONFLICT`; empty without them. */
export function differenceLines(details: Record<string, unknown>): string[] {
  const { expected_uris, present_uris, shown_from = 0, expected, present } = details;
  if (isList(expected_uris) && isList(present_uris))
    return rowLines(expected_uris, present_uris, Number(shown_from));
  if (isRecord(expected) && isRecord(present)) return detailLines(expected, present);
  return [];
}

function rowLines(expected: readonly unknown[], present: readonly unknown[], from: number): string[] {
  const longest = Math.max(expected.length, present.length);
  let first = 0;
  while (first < longest && expected[first] === present[first]) first += 1;
  const numbers = Array.from({ length: Math.min(MAX_SHOWN, longest - first) }, (_, index) => first + index);
  const rows = numbers.map((at) => [String(from + at + 1), rowText(expected[at]), rowText(present[at])]);
  const more = longest - first - numbers.length;
  return [
    `The lists differ from row ${from + first + 1} on:`,
    ...columns([['ROW', 'RELAY LEFT', 'IS THERE NOW'], ...rows]),
    ...(more > 0 ? [`and ${counted(more, 'more row')}`] : []),
  ];
}

function rowText(uri: unknown): string {
  if (uri === undefined) return '-';
  return uri === '' ? '(not offered any more)' : visibleText(String(uri), 60);
}

function detailLines(expected: Record<string, unknown>, present: Record<string, unknown>): string[] {
  const names = Object.keys(expected).filter((name) => expected[name] !== present[name]);
  const cell = (value: unknown) => (value === undefined ? '-' : visibleText(String(value), 60));
  return columns([
    ['DETAIL', 'RELAY LEFT', 'IS THERE NOW'],
    ...names.map((name) => [name, cell(expected[name]), cell(present[name])]),
  ]);
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
