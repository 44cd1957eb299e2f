/**
 * Holds the plays of an export in few bytes each until the whole export has been read. If the end of the export is faulty,
 * nothing may be written. Each item is kept once, however often it was played.
 */
import type { Play, PlayedItem } from './play.ts';

/** Maximum number of plays, which is about thirty years of songs without a pause. */
export const MAX_PLAYS = 5_000_000;
/** Number of bytes of one play: three four-byte numbers and a single byte. */
const BYTES = 13;
/** Separates fields; `play.ts` removes it from names. */
const BETWEEN = '\0';

/** A part of the plays, as the importing thread sends it to the server. */
export interface PlayBatch {
  /** Items that are new in this batch. Their numbers follow those of earlier batches. */
  items: PlayedItem[];
  /** The item number of each play. */
  item: Uint32Array;
  /** The end of each play, in seconds since 1970. */
  endedAt: Uint32Array;
  msPlayed: Uint32Array;
  /** Whether each play was skipped: 0 for no, 1 for yes, 2 if not known. */
  skipped: Uint8Array;
}

export interface StagedPlays {
  /** Adds a play; may be called at most `MAX_PLAYS` times. */
  add(play: Play): void;
  readonly count: number;
  /** Ends of the first and the last play, in seconds since 1970; null if there are no plays. */
  readonly range: { from: number; to: number } | null;
  /** Returns the plays in parts: first those of the extended history, which replace those of the short one. */
  batches(size: number): Generator<PlayBatch>;
}

/**
 * Reserves room for `MAX_PLAYS`. The system provides memory only for the part that is used, and gets it back afterwards.
 */
export function stagedPlays(): StagedPlays {
  const numbers = new Map<string, number>();
  const keys: string[] = [];
  const room = new ArrayBuffer(MAX_PLAYS * BYTES);
  const [item, endedAt, msPlayed] = [0, 1, 2].map(
    (column) => new Uint32Array(room, column * 4 * MAX_PLAYS, MAX_PLAYS),
  ) as [Uint32Array, Uint32Array, Uint32Array];
  const skipped = new Uint8Array(room, 12 * MAX_PLAYS);
  let count = 0;
  let from = Number.POSITIVE_INFINITY;
  let to = 0;

  function numberOf(played: PlayedItem): number {
    const key = keyOf(played);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, keys.length);
    return keys.push(key) - 1;
  }

  function* ofKind(short: boolean, size: number, sent: Map<number, number>): Generator<PlayBatch> {
    let batch: number[] = [];
    let items: PlayedItem[] = [];
    const shortOnes = keys.map(isShort);
    const made = (): PlayBatch => ({
      items,
      item: Uint32Array.from(batch, (at) => sent.get(item[at] as number) as number),
      endedAt: Uint32Array.from(batch, (at) => endedAt[at] as number),
      msPlayed: Uint32Array.from(batch, (at) => msPlayed[at] as number),
      skipped: Uint8Array.from(batch, (at) => skipped[at] as number),
    });
    for (let at = 0; at < count; at += 1) {
      const number = item[at] as number;
      if (shortOnes[number] !== short) continue;
      if (!sent.has(number)) {
        sent.set(number, sent.size);
        items.push(itemOf(keys[number] as string));
      }
      batch.push(at);
      if (batch.length < size) continue;
      yield made();
      batch = [];
      items = [];
    }
    if (batch.length > 0) yield made();
  }

  return {
    add(play) {
      item[count] = numberOf(play.item);
      endedAt[count] = play.endedAt;
      msPlayed[count] = play.msPlayed;
      skipped[count] = play.skipped === null ? 2 : Number(play.skipped);
      count += 1;
      from = Math.min(from, play.endedAt);
      to = Math.max(to, play.endedAt);
    },
    get count() {
      return count;
    },
    get range() {
      return count === 0 ? null : { from, to };
    },
    *batches(size) {
      const sent = new Map<number, number>();
      yield* ofKind(false, size, sent);
      yield* ofKind(true, size, sent);
    },
  };
}

function keyOf({ short, kind, uri, name, artist, album }: PlayedItem): string {
  return [short ? 's' : 'e', kind, uri, name, artist, album].join(BETWEEN);
}

function isShort(key: string): boolean {
  return key.startsWith('s');
}

function itemOf(key: string): PlayedItem {
  const [, kind, ...fields] = key.split(BETWEEN);
  // A field that the export does not name becomes null, never an empty text.
  const [uri = null, name = null, artist = null, album = null] = fields.map((field) => field || null);
  return { kind: kind as PlayedItem['kind'], uri, name, artist, album, short: isShort(key) };
}
