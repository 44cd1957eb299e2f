/** What the clients share: the provider, its time and its past states. Also the tracks that belong to each client. */
import assert from 'node:assert/strict';
import type { Clock } from '../../../src/base/clock.ts';
import type { DemoDevice, DemoPlaylist } from '../../../src/demo/state.ts';
import { at, owner } from '../../support/entries.ts';
import { addPlaylist } from '../../support/playlists.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import { OLDEST_MS } from './faults.ts';

/** Tracks that only one client uses. */
export interface Tokens {
  /** For the client's own playlist, where tracks may be repeated. */
  own: string[];
  /** For the shared playlist, which has each of these tracks at most once. */
  shared: string[];
  saved: string[];
  queued: string[];
}

export interface Stage {
  provider: Simulator;
  clock: Clock;
  shared: DemoPlaylist;
  device: DemoDevice;
  /** Every state of a playlist's rows that a read may show if it began at `since` (milliseconds on the clock). */
  rowsSince(playlist: DemoPlaylist, since: number): ReadonlyArray<readonly string[]>;
  /** Every set of saved tracks that such a read may show. */
  savedSince(since: number): ReadonlyArray<ReadonlySet<string>>;
  /** Notes the present state; called before and after each change. */
  note(): void;
  /** The answers of reading tools before the faults began, by tool and arguments. */
  known: Map<string, unknown>;
  /** How often each tool ended with each result. */
  ends: Record<string, Record<string, number>>;
}

const TOKENS = { own: 120, shared: 120, saved: 50, queued: 12 };

export function tokensOf({ catalogue }: Simulator, index: number): Tokens {
  const each = Object.values(TOKENS).reduce((sum, count) => sum + count, 0);
  let from = index * each;
  const take = (count: number) => {
    const taken = catalogue.tracks.slice(from, from + count).map(({ uri }) => uri);
    assert.equal(taken.length, count, 'the catalogue is too small');
    from += count;
    return taken;
  };
  return {
    own: take(TOKENS.own),
    shared: take(TOKENS.shared),
    saved: take(TOKENS.saved),
    queued: take(TOKENS.queued),
  };
}

interface Seen<T> {
  /** When the state ended; infinite for the present one. */
  until: number;
  value: T;
}

export function stageOf(provider: Simulator, clock: Clock): Stage {
  const account = owner(provider);
  account.playlists = [];
  account.saved = [];
  const shared = addPlaylist(provider, 'Everybody', []);
  const device = at(
    account.devices.filter((one) => one.supportsVolume && !one.isRestricted && !one.asleep),
    0,
  );
  account.player.deviceId = device.id;
  const rows = new Map<DemoPlaylist, Seen<readonly string[]>[]>();
  const saved: Seen<ReadonlySet<string>>[] = [];
  const push = <T>(list: Seen<T>[], value: T, isSame: (a: T, b: T) => boolean) => {
    const now = clock.monotonic();
    const last = list.at(-1);
    if (last && isSame(last.value, value)) return;
    if (last) last.until = now;
    list.push({ until: Number.POSITIVE_INFINITY, value });
    while ((list[0]?.until ?? now) < now - 10 * 60_000) list.shift();
  };
  const since = <T>(list: Seen<T>[], from: number) =>
    list.filter(({ until }) => until >= from - OLDEST_MS - 1_000).map(({ value }) => value);
  const stage: Stage = {
    provider,
    clock,
    shared,
    device,
    known: new Map(),
    ends: {},
    note() {
      for (const playlist of account.playlists) {
        const list = rows.get(playlist) ?? [];
        rows.set(playlist, list);
        push(list, urisOf(playlist), (a, b) => a.length === b.length && a.every((uri, at) => uri === b[at]));
      }
      push(
        saved,
        new Set(account.saved.map(({ uri }) => uri)),
        (a, b) => a.size === b.size && [...a].every((uri) => b.has(uri)),
      );
    },
    rowsSince: (playlist, from) => since(rows.get(playlist) ?? [], from),
    savedSince: (from) => since(saved, from),
  };
  return stage;
}

export function urisOf({ rows }: DemoPlaylist): string[] {
  return rows.map(({ uri }) => uri);
}
