/**
 * What a history is made of. A plan is drawn from its seed alone and is data, so a part of it can be left out while the rest
 * stays as it is.
 */

import { REVIEWS, type Review } from '../../src/work/write/review.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import type { Chance } from '../work/crash/chance.ts';
import { chanceFor } from './world/chance.ts';

/** `alone`: nobody else edits. `person`: a person edits too, while nothing of relay's is on its way. */
export type Subject = 'alone' | 'person';

/** What a person does to the list. Places are parts of its length. */
export type Deed =
  | { do: 'add'; track: number; place: number }
  | { do: 'remove'; place: number }
  | { do: 'move'; place: number; to: number };

/** While a work is under way, the moments at which nothing of relay's is on its way. */
export type Moment = 'doubt' | 'waiting' | 'review' | 'down';

/** What a client asks relay for. Tracks are numbers. */
type Wish =
  | { do: 'add' | 'replace' | 'save' | 'create'; tracks: number[] }
  /** Songs that are there, in `tenths` of the list, and one that is not. */
  | { do: 'remove'; tenths: number; salt: number }
  | { do: 'deduplicate' | 'unsave' | 'rename' }
  | { do: 'reorder'; start: number; length: number; to: number }
  /** @prop cancel after how many milliseconds the job is cancelled; null to let it end */
  | { do: 'job'; type: JobType; tracks: number[]; cancel: number | null }
  | { do: 'undo'; force: boolean };

const JOB_TYPES = [
  'add_to_playlist',
  'add_to_playlist',
  'replace_playlist',
  'create_playlist',
  'save_tracks',
  'remove_saved_tracks',
] as const;
export type JobType = (typeof JOB_TYPES)[number];

export type Ask = Wish & {
  /** Milliseconds since the last ask ended. */
  pause: number;
  /** After how many milliseconds the caller leaves; null if it stays. */
  leaves: number | null;
  /** What a person does before. */
  before: Deed | null;
  /** What a person does once while it is under way. */
  during: { when: Moment; after: number; deed: Deed } | null;
  /** How a review is answered. */
  decision: Review;
};

/** What happens to the computer, at a time and for a while, both in milliseconds. */
export interface Mishap {
  at: number;
  do: 'kill' | 'power' | 'stop' | 'sleep' | 'offline' | 'logout' | 'disk';
  ms: number;
}

export interface Plan {
  seed: number;
  subject: Subject;
  rows: number[];
  saved: number[];
  lag: number;
  latency: [number, number];
  faults: FaultRule[];
  mishaps: Mishap[];
  asks: Ask[];
}

/** The first tracks that only clients add, and that only a person adds. */
const FRESH = 1_000;
const PERSONS = 3_000;

/** @param only the subject; by default half of the seeds have a person */
export function planOf(seed: number, only?: Subject): Plan {
  const subject = only ?? (seed % 2 === 0 ? 'person' : 'alone');
  const chance = chanceFor(seed, 'plan');
  const has = (share: number) => chance.fraction() < share;
  const size = has(0.1) ? chance.pick([51, 101, 160]) : chance.whole(0, 12);
  const rows = range(size, 0).flatMap((track) => (has(0.08) ? [track, chance.whole(0, track)] : [track]));
  const isTroubled = has(0.85);
  const asks = askDrawer(chance, subject === 'person', size);
  return {
    ...{ seed, subject, rows, saved: range(chance.pick([0, 5, 55]), 900) },
    lag: chance.pick([0, 300, 600, 3_000]),
    latency: chance.pick<[number, number]>([
      [5, 20],
      [20, 200],
      [100, 1_500],
    ]),
    faults: isTroubled ? range(chance.whole(0, 3), 0).map(() => faultOf(chance)) : [],
    mishaps: isTroubled && has(0.4) ? mishapsOf(chance) : [],
    asks: range(chance.pick([1, 1, 2, 3]), 0).map(asks),
  };
}

/** As many numbers in a row. */
export function range(length: number, begin: number): number[] {
  return Array.from({ length }, (_, index) => begin + index);
}

function askDrawer(chance: Chance, hasPerson: boolean, size: number): () => Ask {
  const has = (share: number) => chance.fraction() < share;
  let next = FRESH;
  let persons = PERSONS;
  const fresh = () => {
    const count = has(0.15) ? chance.pick([99, 101, 210]) : chance.whole(1, 6);
    next += count;
    return range(count, next - count);
  };
  const known = () => (has(0.2) && size > 0 ? [chance.whole(0, size - 1)] : []);
  const wish = (): Wish =>
    chance.pick<() => Wish>([
      () => ({ do: 'add', tracks: [...fresh(), ...known()] }),
      () => ({ do: 'remove', tenths: chance.whole(0, 10), salt: chance.whole(0, 9) }),
      () => ({ do: 'replace', tracks: has(0.1) ? [] : fresh() }),
      () => ({ do: 'deduplicate' }),
      () => ({
        do: 'reorder',
        ...{ start: chance.fraction(), length: chance.fraction(), to: chance.fraction() },
      }),
      () => jobOf(),
      () => jobOf(),
      () => ({ do: 'save', tracks: fresh().slice(0, 50) }),
      () => ({ do: 'unsave' }),
      () => ({ do: 'rename' }),
      () => ({ do: 'create', tracks: fresh().slice(0, 100) }),
      () => ({ do: 'undo', force: has(0.3) }),
      () => ({ do: 'undo', force: has(0.3) }),
    ])();
  const jobOf = (): Wish => ({
    do: 'job',
    ...{ type: chance.pick(JOB_TYPES), tracks: fresh(), cancel: has(0.15) ? chance.whole(0, 9_000) : null },
  });
  const deed = (): Deed =>
    chance.pick<() => Deed>([
      () => ({ do: 'add', track: persons++, place: chance.fraction() }),
      () => ({ do: 'add', track: persons++, place: chance.fraction() }),
      () => ({ do: 'remove', place: chance.fraction() }),
      () => ({ do: 'move', place: chance.fraction(), to: chance.fraction() }),
    ])();
  return () => ({
    ...wish(),
    pause: chance.pick([0, 300, 4_000, 30_000]),
    leaves: has(0.05) ? chance.whole(0, 6_000) : null,
    before: hasPerson && has(0.3) ? deed() : null,
    during:
      hasPerson && has(0.6)
        ? {
            when: chance.pick<Moment>(['doubt', 'doubt', 'doubt', 'waiting', 'waiting', 'review', 'down']),
            ...{ after: chance.whole(200, 12_000), deed: deed() },
          }
        : null,
    decision: chance.pick(REVIEWS),
  });
}

const WRITES = /\/(items|library|playlists)$|^\/playlists\/[^/]+$/;

/** Trouble with one of the next requests. */
export function faultOf(chance: Chance): FaultRule {
  const ms = chance.whole(100, 15_000);
  const retryAfterSeconds = chance.pick([1, 4, 30, 900, 40_000]);
  const isRead = chance.fraction() < 0.15;
  const match = {
    path: WRITES,
    where: ({ method }: { method: string }) => (method === 'GET') === isRead,
    ...{ skip: chance.whole(0, 4), times: chance.pick([1, 1, 2, 4]) },
  };
  const lost: FaultRule[] = [
    { ...match, kind: 'drop', when: 'after' },
    { ...match, kind: 'drop', when: 'before' },
    { ...match, kind: 'hang', when: 'after' },
    { ...match, kind: 'status_after', status: 502 },
    { ...match, kind: 'status', status: 503 },
    { ...match, kind: 'late', ms, answer: 504 },
    { ...match, kind: 'late', ms, answer: 'drop' },
    { ...match, kind: 'html', effect: true },
    { ...match, kind: 'no_snapshot', effect: true },
    { ...match, kind: 'no_snapshot', effect: false },
    { ...match, kind: 'slow_body' },
  ];
  const refused: FaultRule[] = [
    { ...match, kind: 'status', status: 403 },
    { ...match, kind: 'status', status: 404 },
    { ...match, kind: 'status', status: 500 },
    { ...match, kind: 'rate_limit', retryAfterSeconds },
    { ...match, kind: 'quota', retryAfterSeconds: 3_600 },
  ];
  return chance.pick(chance.fraction() < 0.7 ? lost : refused);
}

function mishapsOf(chance: Chance): Mishap[] {
  const drawn = (kinds: ReadonlyArray<Mishap['do']>): Mishap => ({
    at: chance.whole(100, chance.pick([3_000, 40_000])),
    do: chance.pick(kinds),
    ms: chance.whole(500, 60_000),
  });
  // If the disk is full when a write ends, and relay is then killed, it does that write again: nothing can be done about it.
  if (chance.fraction() < 0.1) return [drawn(['disk'])];
  return range(chance.whole(1, 2), 0).map(() =>
    drawn(['kill', 'kill', 'power', 'stop', 'sleep', 'offline', 'logout']),
  );
}
