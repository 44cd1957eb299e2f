/** Shows changes to a person. Pure: records in, lines out. */
import { isObject } from '../../base/parsing.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { ShownState } from '../../domain/change.ts';
import { SHORT_ID } from '../../domain/job.ts';
import type { ChangeEntry, UndoAnswer } from '../../domain/localApi.ts';
import { type Table, tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time.ts';

/** @param now Unix milliseconds */
export function changeTable(changes: readonly ChangeEntry[], now: number): Table {
  const short = shortener(changes.map(({ change_id }) => change_id));
  return {
    heads: ['WHAT', 'ID', 'WHEN', 'STATE', 'ASKED BY'],
    rows: changes.map((change) => [
      visibleText(change.what, 200),
      short(change.change_id),
      timeText(change.at, now),
      change.undone_by === undefined
        ? STATES[change.state]
        : `${change.being_undone ? 'being undone' : 'undone'} by ${short(change.undone_by)}`,
      visibleText(change.who, 60),
    ]),
  };
}

/** Shortens IDs to eight characters, or to as many more as keep them unique. */
function shortener(ids: readonly string[]): (id: string) => string {
  let length = SHORT_ID;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length += 1;
  return (id) => id.slice(0, length);
}

const STATES: Readonly<Record<ShownState, string>> = {
  writing: 'being written',
  rolling_back: 'being rolled back',
  cancelling: 'being cancelled',
  waiting: 'waiting',
  stopped: 'stopped',
  review: 'under review',
  done: 'done',
  partial: 'partly written',
  rolled_back: 'rolled back',
  unchanged: 'nothing written',
};

/** Says what an undo does or would do: a summary, the songs by name, and what cannot be restored. */
export function effectLines({ summary, added, taken, notes }: UndoAnswer): string[] {
  return [
    visibleText(summary, 500),
    ...songLines(added, '+'),
    ...songLines(taken, '-'),
    ...notes.map((one) => visibleText(one, 500)),
  ];
}

function songLines({ count, first }: UndoAnswer['added'], mark: string): string[] {
  const more = count - first.length;
  return [
    ...first.map((song) => `  ${mark} ${visibleText(song, 120)}`),
    ...(more > 0 ? [`  ${mark} and ${more} more`] : []),
  ];
}

/**
 * Returns the differences between what a change left and what is there now. They come from the details of a `CONFLICT` error.
 * Empty if the error has no such details.
 */
export function differenceLines(details: Record<string, unknown>): string[] {
  const { missing, missing_count, extra, extra_count, expected, present } = details;
  if (Array.isArray(missing) && Array.isArray(extra)) {
    return [
      ...namedLines('Missing', '-', missing, Number(missing_count)),
      ...namedLines('More than relay left there', '+', extra, Number(extra_count)),
    ];
  }
  if (isObject(expected) && isObject(present)) return detailLines(expected, present);
  return [];
}

function namedLines(what: string, mark: string, first: readonly unknown[], all: number): string[] {
  if (all === 0) return [];
  return [`${what}:`, ...songLines({ count: all, first: first.map(String) }, mark)];
}

function detailLines(expected: Record<string, unknown>, present: Record<string, unknown>): string[] {
  const names = Object.keys(expected).filter((name) => expected[name] !== present[name]);
  const cell = (value: unknown) => (value === undefined ? '-' : visibleText(String(value), 60));
  return tableLines({
    heads: ['DETAIL', 'RELAY LEFT', 'IS THERE NOW'],
    rows: names.map((name) => [name, cell(expected[name]), cell(present[name])]),
  });
}
