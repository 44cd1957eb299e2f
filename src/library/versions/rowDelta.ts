/**
 * Encodes the rows of one version in few bytes. For a run of rows that another version has too, only the place there is stored.
 * All other rows are stored in full. Pure.
 *
 * The bytes are a sequence of variable-length integers. Each run begins with twice its length, plus one if its rows are in
 * full. A copied run then has the position of its first row in the other version. A row in full is the number of its item,
 * and its date. The date is stored as the difference in seconds from the row in full before it, zigzag-encoded.
 */

import { placesBy } from '../../base/lists.ts';

/** One row: the number of its item in `version_items` (0 if the provider named none), and when it was added. */
export interface StoredRow {
  item: number;
  /** When the row was added, in Unix seconds, as `isPossible` allows; 0 if not known. */
  added: number;
}

/** Minimum length of a run; a shorter one saves nothing. */
const MIN_RUN = 2;
/** Far more rows than a playlist can have: damaged bytes could otherwise stand for any number of rows. */
const MAX_ROWS = 100_000;
/** The beginning of year 1 and the end of year 9999, in Unix seconds: other times have no ISO 8601 text of the usual form. */
const [MIN_TIME, MAX_TIME] = [-62_135_596_800, 253_402_300_799];

/** The bytes are not what `encodeRows` has made. SQLite does not notice if the bytes of a value are damaged. */
export class DamagedRows extends Error {}

/** True for a time that a row may have. @param seconds Unix seconds */
export function isPossible(seconds: number): boolean {
  return seconds >= MIN_TIME && seconds <= MAX_TIME;
}

/** Encodes `rows` as their difference from `base`. */
export function encodeRows(base: readonly StoredRow[], rows: readonly StoredRow[]): Uint8Array {
  const bytes: number[] = [];
  const places = placesBy(base, keyOf);
  let full: StoredRow[] = [];
  let last = 0;
  const flush = () => {
    if (full.length === 0) return;
    writeInteger(bytes, full.length * 2 + 1);
    for (const { item, added } of full) {
      writeInteger(bytes, item);
      writeInteger(bytes, zigzag(added - last));
      last = added;
    }
    full = [];
  };
  let expected = 0;
  for (let at = 0; at < rows.length; ) {
    const from = startOf(base, places, rows, at, expected);
    const length = from < 0 ? 0 : runLength(base, from, rows, at);
    if (length >= MIN_RUN) {
      flush();
      writeInteger(bytes, length * 2);
      writeInteger(bytes, from);
      at += length;
      expected = from + length;
    } else {
      full.push(rows[at] as StoredRow);
      at += 1;
    }
  }
  flush();
  return Uint8Array.from(bytes);
}

/** Returns the rows that `bytes` encode as their difference from `base`. @throws DamagedRows */
export function decodeRows(base: readonly StoredRow[], bytes: Uint8Array): StoredRow[] {
  const rows: StoredRow[] = [];
  const next = readerOf(bytes);
  let last = 0;
  const need = () => {
    const value = next();
    if (value === null) throw new DamagedRows('a version ends in the middle of a run');
    return value;
  };
  for (let head = next(); head !== null; head = next()) {
    const length = Math.floor(head / 2);
    if (rows.length + length > MAX_ROWS) throw new DamagedRows('a version has more rows than a playlist');
    if (head % 2 === 0) {
      const from = need();
      const run = base.slice(from, from + length);
      if (run.length !== length) throw new DamagedRows('a version refers to rows that are not there');
      for (const row of run) rows.push(row);
      continue;
    }
    for (let count = 0; count < length; count++) {
      const item = need();
      last += unzigzag(need());
      if (!isPossible(last)) throw new DamagedRows('a version has a row with an impossible date');
      rows.push({ item, added: last });
    }
  }
  return rows;
}

function keyOf({ item, added }: StoredRow): string {
  return `${item} ${added}`;
}

/**
 * Finds the position in `base` of a row that equals `rows[at]`; -1 if there is none. Prefers position `expected`, which
 * continues the last run, then the first equal row after it, then the first of all.
 */
function startOf(
  base: readonly StoredRow[],
  places: ReadonlyMap<string, readonly number[]>,
  rows: readonly StoredRow[],
  at: number,
  expected: number,
): number {
  const row = rows[at] as StoredRow;
  const here = base[expected];
  if (here && isSame(here, row)) return expected;
  const found = places.get(keyOf(row)) ?? [];
  return found.find((place) => place >= expected) ?? found[0] ?? -1;
}

function isSame(a: StoredRow, b: StoredRow): boolean {
  return a.item === b.item && a.added === b.added;
}

function runLength(base: readonly StoredRow[], from: number, rows: readonly StoredRow[], at: number): number {
  let length = 0;
  for (;;) {
    const [one, other] = [base[from + length], rows[at + length]];
    if (!one || !other || !isSame(one, other)) return length;
    length += 1;
  }
}

const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2);
const unzigzag = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

function writeInteger(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** Returns a function that reads the next number; null at the end. It throws `DamagedRows` for a number without an end. */
function readerOf(bytes: Uint8Array): () => number | null {
  let at = 0;
  return () => {
    if (at >= bytes.length) return null;
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at];
      at += 1;
      value += ((byte ?? 0) % 128) * factor;
      if (byte === undefined || value > Number.MAX_SAFE_INTEGER)
        throw new DamagedRows('a version has a number that never ends');
      if (byte < 128) return value;
    }
  };
}
