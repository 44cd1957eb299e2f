/**
 * Finds with few requests what has changed in a long list of saved tracks since it was read. The list is newest first, so new
 * tracks are at its head. The total tells how many tracks were removed. Every row after a removed one has moved up, so a binary
 * search finds where they were. The caller passes the function that reads pages. Nothing is stored here.
 */
import { placesBy } from '../base/lists.ts';
import { asSavedKey, type SavedKey, type SavedRow, savedKeyOf } from './tables/mirror.ts';

export interface SavedPage {
  total: number;
  rows: readonly SavedRow[];
}

export interface SavedChanges {
  total: number;
  /** The rows of the list as they are now, in order. Rows further down than the last known one are not included. */
  rows: SavedKey[];
  /** The rows that this search read, with their tracks. */
  seen: SavedRow[];
}

const PAGE = 50;

/** A known row that still exists: its index in the known rows, and its position now. */
interface Place {
  at: number;
  now: number;
}

/**
 * @param known what was read before, newest first
 * @param isWhole true if `known` was the whole list, false if only its first rows
 * @param readPage reads rows; it may return fewer than `limit`
 * @returns `moving` if the list changed during the search. `unlike` if the list differs by more than removals and additions;
 *   the caller then has to read the whole list
 */
export async function findSavedChanges(
  known: readonly SavedKey[],
  isWhole: boolean,
  readPage: (offset: number, limit: number) => Promise<SavedPage>,
): Promise<SavedChanges | 'moving' | 'unlike'> {
  const seen: SavedRow[] = [];
  const places = placesBy(known, savedKeyOf);
  let total = -1;
  /** Reads rows from position `offset` on; null if the list has changed since the first page. */
  const look = async (offset: number, limit: number) => {
    const page = await readPage(offset, limit);
    if (total >= 0 && page.total !== total) return null;
    total = page.total;
    seen.push(...page.rows);
    return page.rows.map((row, index) => {
      const at = places.get(savedKeyOf(asSavedKey(row))) ?? [];
      return { row, at, now: offset + index };
    });
  };

  const head: SavedKey[] = [];
  /** The last known row that was found from the head on. */
  let first: Place = { at: -1, now: -1 };
  while (first.at < 0) {
    const rows = await look(head.length, PAGE);
    if (!rows) return 'moving';
    for (const { row, at, now } of rows) {
      head.push(asSavedKey(row));
      const [only = -1] = at;
      if (at.length === 1 && only > first.at) first = { at: only, now };
    }
    if (first.at < 0 && (rows.length === 0 || head.length >= total)) return { total, rows: head, seen };
  }

  const last = isWhole ? { at: known.length, now: total } : await lastKnown();
  if (typeof last === 'string') return last;
  const gone = new Set<number>();
  const gaps: Array<[from: Place, to: Place]> = [[first, last]];
  for (let gap = gaps.pop(); gap; gap = gaps.pop()) {
    const [from, to] = gap;
    const [were, are] = [to.at - from.at - 1, to.now - from.now - 1];
    if (were === are) continue;
    if (are < 0 || are > were) return 'unlike';
    if (are === 0) {
      for (let at = from.at + 1; at < to.at; at++) gone.add(at);
      continue;
    }
    const limit = Math.min(PAGE, are);
    const rows = await look(from.now + 1 + Math.floor((are - limit) / 2), limit);
    if (!rows) return 'moving';
    let before = from;
    for (const { at, now } of rows) {
      const [only = -1] = at;
      // Rows that were saved in the same second may have the same key. Nothing tells which of them this is.
      if (at.length > 1) continue;
      if (only <= before.at || only >= to.at) return 'unlike';
      gaps.push([before, { at: only, now }]);
      before = { at: only, now };
    }
    if (before === from) return 'unlike';
    gaps.push([before, to]);
  }
  const below = known.slice(first.at + 1, last.at + 1);
  return {
    total,
    rows: [...head.slice(0, first.now + 1), ...below.filter((_, index) => !gone.has(first.at + 1 + index))],
    seen,
  };

  /** Finds the last row of `known`, the first rows of a longer list, that still exists. */
  async function lastKnown(): Promise<Place | 'moving' | 'unlike'> {
    const left = known.length - 1 - first.at;
    if (left === 0) return first;
    const rows = await look(first.now + 1 + Math.max(0, left - PAGE), PAGE);
    if (!rows) return 'moving';
    const found = rows.findLast(({ at: [only = -1, ...others] }) => only > first.at && others.length === 0);
    return found ? { at: found.at[0] ?? -1, now: found.now } : 'unlike';
  }
}
