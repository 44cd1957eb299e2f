/**
 * Finds with few requests what has changed in a long list of saved tracks since it was read. The list is newest first, so new
 * tracks are at its head. The total tells how many tracks were removed. Every row after a removed one has moved up, so a binary
 * search finds where they were. The caller passes the function that reads pages. Nothing is stored here.
 */
import { placesBy } from '../../base/lists.ts';
import { asSavedKey, type SavedKey, type SavedRow, savedKeyOf } from '../tables/mirror.ts';

export interface SeenPage {
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

/**
 * A stretch of `rest`, the known rows below the head. It lies between two rows that still exist, or reaches to the end of
 * `rest`. `at` is the index in `rest` of the row at either end, and `shift` is the number of rows before that row that are gone.
 */
interface Gap {
  from: { at: number; shift: number };
  to: { at: number; shift: number };
}

/**
 * Finds the rows that the list has now, and reads those that are new.
 * @param known what was read before, newest first
 * @param isWhole true if `known` was the whole list, false if only its first rows
 * @param page reads rows; it may return fewer than `limit`
 * @returns `moving` if the list changed during the search. `unlike` if the list differs by more than removals and additions;
 *   the caller then has to read the whole list
 */
export async function findSavedChanges(
  known: readonly SavedKey[],
  isWhole: boolean,
  page: (offset: number, limit: number) => Promise<SeenPage>,
): Promise<SavedChanges | 'moving' | 'unlike'> {
  const seen: SavedRow[] = [];
  let total = -1;
  const look = async (offset: number, limit: number): Promise<readonly SavedRow[] | null> => {
    const found = await page(offset, limit);
    if (total >= 0 && found.total !== total) return null;
    total = found.total;
    seen.push(...found.rows);
    return found.rows;
  };

  const head: SavedKey[] = [];
  const left = placesBy(known, savedKeyOf);
  const added = new Set<string | null>();
  let last = -1;
  for (;;) {
    const rows = await look(head.length, PAGE);
    if (!rows) return 'moving';
    let isMet = false;
    for (const row of rows.map(asSavedKey)) {
      const index = left.get(savedKeyOf(row))?.shift();
      isMet = index !== undefined;
      if (index === undefined) added.add(row.uri);
      else last = Math.max(last, index);
      head.push(row);
    }
    if (isMet || rows.length === 0 || head.length >= total) break;
  }
  const below = known.slice(last + 1);
  // A track that is saved again moves to the head.
  const others = below.filter(({ uri }) => uri === null || !added.has(uri));
  const found = await search(others);
  if (found === 'moving' || others.length === below.length) return found;
  // If that does not fit, the list has the track twice: Spotify may show a saved track under the ID of another.
  return found === 'unlike' || !(await isShown(found.rows)) ? search(below) : found;

  /** Reads the two rows beside the first row that is taken to have moved: the total alone may fit by chance. */
  async function isShown(rows: readonly SavedKey[]): Promise<boolean> {
    const first = below.findIndex(({ uri }) => uri !== null && added.has(uri));
    const next = new Set(below.slice(first + 1));
    const at = rows.findIndex((row) => next.has(row));
    const from = Math.max(0, (at < 0 ? rows.length : at) - 1);
    const there = await look(from, 2);
    const isSame = there?.every((row, index) => {
      const known = rows[from + index];
      return known === undefined ? !isWhole : savedKeyOf(asSavedKey(row)) === savedKeyOf(known);
    });
    return isSame === true;
  }

  /** Finds which rows of `rest` still follow the head. */
  async function search(rest: readonly SavedKey[]): Promise<SavedChanges | 'moving' | 'unlike'> {
    // Rows that were saved in the same second may have the same key.
    const places = placesBy(rest, savedKeyOf);
    const placeOf = (row: SavedRow, position: number, before: Gap['from']) => {
      const shiftAt = (at: number) => head.length + at - position;
      const at = places
        .get(savedKeyOf(asSavedKey(row)))
        ?.find((one) => one > before.at && shiftAt(one) >= before.shift);
      return at === undefined ? null : { at, shift: shiftAt(at) };
    };
    const end = isWhole
      ? { at: rest.length, shift: rest.length - (total - head.length) }
      : await boundary(rest, placeOf);
    if (end === 'moving' || end === 'unlike') return end;
    if (end.shift < 0 || end.shift > rest.length) return 'unlike';

    const gone = new Set<number>();
    const gaps: Gap[] = [{ from: { at: -1, shift: 0 }, to: end }];
    for (let gap = gaps.pop(); gap; gap = gaps.pop()) {
      const { from, to } = gap;
      const between = to.at - from.at - 1;
      const lost = to.shift - from.shift;
      if (lost === 0) continue;
      if (lost < 0 || lost > between) return 'unlike';
      if (lost === between) {
        for (let at = from.at + 1; at < to.at; at++) gone.add(at);
        continue;
      }
      const count = between - lost;
      const limit = Math.min(PAGE, count);
      const first = head.length + from.at - from.shift + 1 + Math.floor((count - limit) / 2);
      const rows = await look(first, limit);
      if (!rows || rows.length === 0) return 'moving';
      let before = from;
      for (const [index, row] of rows.entries()) {
        const here = placeOf(row, first + index, before);
        if (!here) return 'unlike';
        // If `before` and `here` are neighbours in the list now, all known rows between them are gone.
        gaps.push({ from: before, to: here });
        before = here;
      }
      gaps.push({ from: before, to });
    }
    return { total, rows: [...head, ...rest.filter((_, at) => !gone.has(at))], seen };
  }

  /** Finds where `known`, the first rows of a longer list, now ends. */
  async function boundary(
    rest: readonly SavedKey[],
    placeOf: (row: SavedRow, position: number, before: Gap['from']) => Gap['to'] | null,
  ): Promise<Gap['to'] | 'moving' | 'unlike'> {
    if (rest.length === 0) return { at: 0, shift: 0 };
    const first = head.length + Math.max(0, rest.length - PAGE);
    const rows = await look(first, PAGE);
    if (!rows) return 'moving';
    const start = { at: -1, shift: 0 };
    let found = start;
    for (const [index, row] of rows.entries()) found = placeOf(row, first + index, found) ?? found;
    if (found === start) return 'unlike';
    // Every known row after the last one found is gone.
    return { at: rest.length, shift: found.shift + (rest.length - found.at - 1) };
  }
}
