/** The troubles of a bad day, besides the kills. They are drawn from everything that the simulated provider can do. */

import { at } from '../../support/entries.ts';
import type { FastClock } from '../../support/fastClock.ts';
import type { FaultAction, FaultMatch, FaultRule } from '../../support/simulator/faults.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import type { Chance } from './chance.ts';
import type { Scene } from './scenes.ts';

/** The troubles of one batch of changes. */
export interface BadDay {
  /** The troubles as text, for the report of a run that ended badly. */
  readonly told: string[];
  /** Starts the troubles. Resolves when the outage, if there is one, is over. */
  begin(): Promise<void>;
  /** Ends all troubles except the lags. */
  end(): Promise<void>;
}

const LISTS = [0, 0, 300, 600, 600, 1_500, 3_000] as const;

/** Draws a bad day for these scenes. */
export function badDayOf(
  provider: Simulator,
  clock: FastClock,
  chance: Chance,
  scenes: readonly Scene[],
): BadDay {
  const lags = {
    lists: chance.pick(LISTS),
    totals: chance.pick(LISTS),
    snapshots: chance.pick(LISTS),
    created: chance.pick([0, 0, 500]),
  };
  const rules = Array.from({ length: chance.whole(0, 3) }, () => ruleOf(chance, scenes));
  const outage = chance.fraction() < 0.12 ? [chance.whole(0, 4_000), chance.whole(1_000, 60_000)] : null;
  const expires = chance.fraction() < 0.1;
  const rows = rowsThatShowOtherwise(provider, chance, scenes);
  return {
    told: [
      JSON.stringify({ lags, outage, expires, ...rows }),
      ...rules.map((rule) =>
        JSON.stringify(rule, (_key, value) => (value instanceof RegExp ? `${value}` : value)),
      ),
    ],
    async begin() {
      provider.lag.set(lags);
      provider.faults.add(...rules);
      if (expires) provider.expireAccessTokens();
      for (const uri of rows.vanished) provider.lag.vanish(uri);
      for (const uri of rows.relinked) provider.lag.relink(uri, at(provider.catalogue.tracks, 0).uri);
      if (!outage) return;
      await clock.sleep(outage[0] ?? 0);
      await provider.offline(true);
      await clock.sleep(outage[1] ?? 0);
      await provider.offline(false);
    },
    async end() {
      provider.faults.clear();
      provider.lag.showAll();
      await provider.offline(false);
    },
  };
}

/**
 * Rows that lists show as empty or under another ID. They are drawn only for scenes of appends: a change that replaces or removes
 * rows has to refuse rows that it could not restore.
 */
function rowsThatShowOtherwise(provider: Simulator, chance: Chance, scenes: readonly Scene[]) {
  const none = { vanished: [] as string[], relinked: [] as string[] };
  if (chance.fraction() > 0.15) return none;
  const appends = scenes.filter(
    ({ kind }) => kind === 'add' || kind === 'bulk' || kind === 'job add_to_playlist',
  );
  const others = new Set(
    scenes
      .filter((scene) => !appends.includes(scene))
      .flatMap(({ uris, playlist }) => [...uris, ...(playlist?.rows.map(({ uri }) => uri) ?? [])]),
  );
  others.add(at(provider.catalogue.tracks, 0).uri);
  const free = appends.flatMap(({ uris, playlist }) => [
    ...(playlist?.rows.slice(0, 3).map(({ uri }) => uri) ?? []),
    ...uris.slice(-2),
  ]);
  const chosen = free.filter((uri) => !others.has(uri) && chance.fraction() < 0.3);
  const half = chosen.length >> 1;
  return { vanished: chosen.slice(0, half), relinked: chosen.slice(half) };
}

function ruleOf(chance: Chance, scenes: readonly Scene[]): FaultRule {
  const dice = chance.fraction();
  if (dice < 0.08) return { path: '/api/token', kind: 'html', effect: false, status: 403 };
  if (dice < 0.14) return { path: '/api/token', times: chance.whole(1, 3), kind: 'status', status: 503 };
  if (dice < 0.24)
    return { path: /./, skip: chance.whole(0, 20), times: chance.whole(1, 3), ...disturbance(chance) };
  const jobs = scenes.filter(({ asked, playlist }) => 'type' in asked && playlist);
  const job = jobs[0];
  // Only for jobs: a tool may take a 400 as a lasting refusal, but a job has to find out that the 400s end.
  if (dice < 0.3 && job?.playlist)
    return {
      method: 'POST',
      path: `/playlists/${job.playlist.id}/items`,
      every: 2,
      times: chance.whole(1, 3),
      kind: 'status',
      status: 400,
    };
  const match: FaultMatch = { ...chance.pick(WRITES), skip: chance.whole(0, 6) };
  return { ...match, ...lostAnswer(chance) };
}

const WRITES: readonly FaultMatch[] = [
  { method: 'POST', path: /\/items$/ },
  { method: 'POST', path: /\/items$/ },
  { method: 'PUT', path: /\/items$/ },
  { method: 'DELETE', path: /\/items$/ },
  { method: 'PUT', path: '/me/library' },
  { method: 'DELETE', path: '/me/library' },
  { method: 'POST', path: '/me/playlists' },
  { method: 'PUT', path: /^\/playlists\/[^/]+$/ },
];

/** A fault that any request may meet. */
function disturbance(chance: Chance): FaultAction {
  return chance.pick<FaultAction>([
    { kind: 'latency', ms: 900 },
    { kind: 'status', status: 503 },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 401 },
    { kind: 'drop', when: 'before' },
    { kind: 'rate_limit', retryAfterSeconds: null },
    { kind: 'rate_limit', retryAfterSeconds: 2 },
    { kind: 'html', effect: false },
    { kind: 'slow_answer', ms: 5_000 },
  ]);
}

/** A fault that a write may meet. In most cases, the answer does not tell whether the write took effect. */
function lostAnswer(chance: Chance): FaultAction {
  const ms = chance.whole(100, 14_000);
  return chance.pick<FaultAction>([
    { kind: 'drop', when: 'after' },
    { kind: 'drop', when: 'before' },
    { kind: 'hang', when: 'after' },
    { kind: 'hang', when: 'before' },
    { kind: 'status_after', status: 502 },
    { kind: 'status_after', status: 500 },
    { kind: 'status', status: 503 },
    { kind: 'late', ms, answer: 504 },
    { kind: 'late', ms, answer: 'drop' },
    { kind: 'late', ms, answer: 'hang' },
    { kind: 'slow_answer', ms },
    { kind: 'html', effect: true },
    { kind: 'html', effect: false },
    { kind: 'html', effect: true, status: 502 },
    { kind: 'no_snapshot', effect: true },
    { kind: 'no_snapshot', effect: false },
    { kind: 'malformed' },
    { kind: 'empty' },
    { kind: 'slow_body' },
  ]);
}
