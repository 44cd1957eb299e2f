/**
 * What a history of kept playlists is made of: days in which playlists follow rules and earlier versions are restored, while
 * others act too. A plan is drawn from the seed alone, and is data like other plans.
 */
import type { Chance } from '../../changes/crash/chance.ts';
import type { FaultRule } from '../../support/simulator/faults.ts';
import { chanceFor } from '../chance.ts';
import { weighted } from '../plan.ts';
import { type Lags, NO_LAG } from '../spotify.ts';

/** What a rule says. Playlists that it reads are named by their index. */
export type RuleText =
  | { is: 'saved' }
  | { is: 'head'; limit: number }
  | { is: 'union'; of: number[] }
  | { is: 'unsorted' }
  /** The rows of the playlist of that name in reverse order. */
  | { is: 'turned'; of: string };

export interface PlannedRule {
  /** Name of the kept playlist. The playlist is made unless the account has one of that name. */
  name: string;
  text: RuleText;
}

/** A playlist of the account, or the playlist that a rule keeps. */
export type Target = { list: number } | { rule: number };

export type KeepEvent = { at: number } /** What a person does in Spotify. */ & (
  | { do: 'save'; tracks: number[] }
  | { do: 'unsave'; share: number }
  | { do: 'lose saved'; left: number; backAfter: number | null }
  | { do: 'edit'; target: Target; how: 'append' | 'drop first' | 'turn' | 'double' | 'thin'; track: number }
  | { do: 'grey'; list: number; place: number }
  | { do: 'relink'; list: number; place: number }
  /** What another client asks relay for. */
  | { do: 'tool'; target: Target; tool: 'add' | 'remove' | 'replace' | 'deduplicate'; tracks: number[] }
  /** What the person who keeps playlists asks for. */
  | { do: 'act'; rule: number; action: 'run' | 'pause' | 'resume' | 'accept' }
  | { do: 'rewrite'; rule: number; text: RuleText }
  | { do: 'undo run'; rule: number }
  /** What the person who restores versions asks for; `back`: how many versions before the newest. */
  | { do: 'restore'; target: Target; back: number; skips: boolean }
  /** What happens to the computer, the network and the home. */
  | { do: 'kill' | 'power' | 'stop'; down: number }
  | { do: 'offline'; ms: number }
  | { do: 'sleep'; ms: number }
  | { do: 'fault'; rule: FaultRule }
  | { do: 'copy'; ms: number }
);

export interface KeepPlan {
  seed: number;
  kind: 'keeps';
  every: 'hour' | 'day';
  /** Milliseconds in which things happen, then those in which everything comes to rest. */
  busy: number;
  quiet: number;
  /** Rows by number; from `EPISODES` on they are episodes, from `LOCALS` on local files. */
  lists: { name: string; rows: number[] }[];
  saved: number;
  lags: Lags;
  latency: [number, number];
  rules: PlannedRule[];
  events: KeepEvent[];
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The first numbers of rows that are episodes, and of rows that are local files. */
export const EPISODES = 100_000;
export const LOCALS = 200_000;

export function keepPlanOf(seed: number): KeepPlan {
  const chance = chanceFor(seed, 'keeps');
  const isDaily = chance.fraction() < 0.1;
  const every = isDaily ? 'day' : 'hour';
  const busy = isDaily ? 3 * DAY : chance.whole(3, 8) * HOUR;
  const lists = [0, 1, 2].map((index) => ({ name: `List ${index}`, rows: rowsOf(chance, index) }));
  const rules = rulesOf(chance);
  const count = chance.whole(2, 12);
  const events = Array.from({ length: count }, () => eventOf(chance, busy, rules)).sort(
    (a, b) => a.at - b.at,
  );
  return {
    ...{ seed, kind: 'keeps', every, busy, quiet: isDaily ? 2 * DAY : 4 * HOUR, lists },
    saved: chance.whole(0, 50),
    lags: lagsOf(chance),
    latency: [5, chance.pick([20, 200, 2_000])],
    rules,
    events,
  };
}

function rowsOf(chance: Chance, index: number): number[] {
  const size = chance.fraction() < 0.08 ? chance.whole(50, 110) : chance.whole(0, 22);
  const rows = Array.from({ length: size }, (_, row) => index * 20 + row);
  return rows.flatMap((row) => {
    const drawn = chance.fraction();
    if (drawn < 0.06) return [row, EPISODES + chance.whole(0, 9)];
    if (drawn < 0.09) return [row, LOCALS + row];
    return drawn < 0.15 ? [row, chance.pick(rows)] : [row];
  });
}

function rulesOf(chance: Chance): PlannedRule[] {
  const head: PlannedRule = { name: 'Head', text: { is: 'head', limit: chance.whole(3, 40) } };
  const saved: PlannedRule = { name: 'Saved', text: { is: 'saved' } };
  const union: PlannedRule = { name: 'Union', text: { is: 'union', of: [0, 1] } };
  return chance.pick<PlannedRule[]>([
    [saved],
    [union],
    [saved, head],
    [union, { name: 'Unsorted', text: { is: 'unsorted' } }, head],
    [head, { name: 'Turned', text: { is: 'turned', of: 'Head' } }],
    [
      saved,
      { name: 'List 0', text: { is: 'turned', of: 'Circle' } },
      { name: 'Circle', text: { is: 'turned', of: 'List 0' } },
    ],
    [{ name: 'List 2', text: { is: 'saved' } }, head],
    [{ name: 'List 2', text: { is: 'union', of: [0, 1] } }],
  ]);
}

function lagsOf(chance: Chance): Lags {
  if (chance.fraction() < 0.5) return NO_LAG;
  const some = (most: number) => chance.whole(0, most);
  return {
    ...NO_LAG,
    lists: some(1_500),
    totals: some(1_500),
    versions: some(15_000),
    mine: some(2_000),
    created: chance.pick([0, 0, 500]),
  };
}

function eventOf(chance: Chance, busy: number, rules: readonly PlannedRule[]): KeepEvent {
  const at = chance.whole(0, busy);
  const fresh = () => chance.whole(500, 3_900);
  const rule = chance.whole(0, rules.length - 1);
  const list = chance.whole(0, 2);
  const target: Target = chance.fraction() < 0.5 ? { rule } : { list };
  const place = chance.fraction();
  const down = chance.pick([1_000, MINUTE, 90 * MINUTE]);
  const choices: Array<readonly [() => KeepEvent, number]> = [
    [() => ({ at, do: 'save', tracks: Array.from({ length: chance.whole(1, 8) }, fresh) }), 10],
    [() => ({ at, do: 'unsave', share: chance.pick([0.05, 0.15, 0.5]) }), 5],
    [
      () => ({
        at,
        do: 'lose saved',
        left: chance.pick([0, 0, 3]),
        backAfter: chance.fraction() < 0.3 ? null : chance.whole(10, 300) * MINUTE,
      }),
      5,
    ],
    [
      () => ({
        at,
        do: 'edit',
        target: { list },
        how: chance.pick(['append', 'thin', 'append', 'double']),
        track: fresh(),
      }),
      10,
    ],
    [
      () => ({
        at,
        do: 'edit',
        target,
        how: chance.pick(['append', 'drop first', 'turn', 'double', 'thin']),
        track: fresh(),
      }),
      8,
    ],
    [() => ({ at, do: 'grey', list, place }), 3],
    [() => ({ at, do: 'relink', list, place }), 3],
    [
      () => ({
        at,
        do: 'tool',
        target,
        tool: chance.pick(['add', 'remove', 'replace', 'deduplicate']),
        tracks: Array.from({ length: chance.whole(1, 9) }, fresh),
      }),
      6,
    ],
    [
      () => ({
        at,
        do: 'act',
        rule,
        action: chance.pick(['run', 'run', 'pause', 'resume', 'accept', 'accept', 'accept']),
      }),
      12,
    ],
    [
      () => ({
        at,
        do: 'rewrite',
        rule,
        text: chance.pick<RuleText>([
          { is: 'head', limit: chance.whole(1, 30) },
          { is: 'union', of: [0, 1] },
          { is: 'saved' },
        ]),
      }),
      3,
    ],
    [() => ({ at, do: 'undo run', rule }), 4],
    [
      () => ({
        at,
        do: 'restore',
        target,
        back: chance.pick([0, 1, 1, 2, 3]),
        skips: chance.fraction() < 0.3,
      }),
      14,
    ],
    [() => ({ at, do: chance.pick(['kill', 'kill', 'power', 'stop']), down }), 8],
    [() => ({ at, do: 'offline', ms: chance.whole(1, 150) * MINUTE }), 2],
    [() => ({ at, do: 'sleep', ms: chance.whole(10, 200) * MINUTE }), 2],
    [() => ({ at, do: 'fault', rule: faultOf(chance) }), 14],
    [() => ({ at, do: 'copy', ms: chance.whole(2, 120) * MINUTE }), 1],
  ];
  return weighted(chance, choices)();
}

function faultOf(chance: Chance): FaultRule {
  const match = {
    path: chance.pick([/^\/playlists\//, /^\/me\//]),
    times: chance.whole(1, 4),
    skip: chance.whole(0, 3),
  };
  const writes = {
    path: /^\/(?:playlists|me\/playlists)/,
    where: ({ method }: { method: string }) => method !== 'GET',
    times: chance.whole(1, 2),
  };
  const ms = chance.whole(100, 17_000);
  return chance.pick<FaultRule>([
    { ...match, kind: 'status', status: 503 },
    { ...match, kind: 'drop', when: 'before' },
    { ...match, kind: 'rate_limit', retryAfterSeconds: chance.pick([2, 90, 3_600]) },
    { ...match, kind: 'malformed' },
    { ...match, method: 'GET', path: /^\/playlists\//, kind: 'status', status: chance.pick([403, 404]) },
    { ...writes, kind: 'drop', when: 'after' },
    { ...writes, kind: 'drop', when: 'before' },
    { ...writes, kind: 'hang', when: 'after' },
    { ...writes, kind: 'late', ms, answer: 504 },
    { ...writes, kind: 'status', status: 500 },
    { ...writes, kind: 'status_after', status: 502 },
    { ...writes, kind: 'no_snapshot', effect: chance.fraction() < 0.5 },
    { ...writes, kind: 'rate_limit', retryAfterSeconds: 120 },
  ]);
}
