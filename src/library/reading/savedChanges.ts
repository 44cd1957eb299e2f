/**
 * Finds with few requests what has changed in a long list of saved tracks since it was read. The list is newest first, so new
 * tracks are at its head. The total tells how many tracks were removed. Every row after a removed one has moved up, so a binary
 * search finds where they were. The caller passes the function that reads pages. Nothing is stored here.
 */
import type { SavedKey, SavedRow } from '../tables/mirror.ts';

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
  const indexOf = new Map<string, number>();
  for (const [index, row] of known.entries()) indexOf.set(keyOf(row), index);
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
  let last = -1;
  for (;;) {
    const rows = await look(head.length, PAGE);
    if (!rows) return 'moving';
    head.push(...rows.map(asKnown));
    last = Math.max(last, ...rows.map((row) => indexOf.get(keyOf(asKnown(row))) ?? -1));
    const end = head.at(-1);
    const isMet = end !== undefined && indexOf.has(keyOf(end));
    if (isMet || rows.length === 0 || head.length >= total) break;
  }
  // A track that is saved again moves to the head.
  const moved = new Set(head.map(({ uri }) => uri));
  const rest: number[] = [];
  for (let index = last + 1; index < known.length; index++) {
    const uri = known[index]?.uri ?? null;
    if (uri === null || !moved.has(uri)) rest.push(index);
  }

  const placeOf = new Map(rest.map((index, at) => [index, at]));
  const atOf = (row: SavedRow) => placeOf.get(indexOf.get(keyOf(asKnown(row))) ?? -1);
  const gone = new Set<number>();
  const end = isWhole ? { at: rest.length, shift: rest.length - (total - head.length) } : await boundary();
  if (end === 'moving' || end === 'unlike') return end;
  if (end.shift < 0 || end.shift > rest.length) return 'unlike';

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
      const at = atOf(row);
      if (at === undefined) return 'unlike';
      const shift = head.length + at - (first + index);
      if (at <= before.at || shift < before.shift) return 'unlike';
      const here = { at, shift };
      // If `before` and `here` are neighbours in the list now, all known rows between them are gone.
      gaps.push({ from: before, to: here });
      before = here;
    }
    gaps.push({ from: before, to });
  }

  const rows = [...head, ...rest.filter((_, at) => !gone.has(at)).map((index) => known[index] as SavedKey)];
  return { total, rows, seen };

  /** Finds where `known`, the first rows of a longer list, now ends. */
  async function boundary(): Promise<Gap['to'] | 'moving' | 'unlike'> {
    if (rest.length === 0) return { at: 0, shift: 0 };
    const first = head.length + Math.max(0, rest.length - PAGE);
    const rows = await look(first, PAGE);
    if (!rows) return 'moving';
    let found: Gap['to'] | null = null;
    for (const [index, row] of rows.entries()) {
      const at = atOf(row);
      if (at !== undefined) found = { at, shift: head.length + at - (first + index) };
    }
    if (!found) return 'unlike';
    // Every known row after the last one found is gone.
    return { at: rest.length, shift: found.shift + (rest.length - found.at - 1) };
  }
}

function asKnown({ media, added_at }: SavedRow): SavedKey {
  return { uri: media?.uri ?? null, added_at };
}

function keyOf({ uri, added_at }: SavedKey): string {
  return `${uri ?? ''} ${added_at ?? ''}`;
}
