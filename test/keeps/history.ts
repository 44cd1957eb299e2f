/**
 * Histories of kept playlists from seeds: the whole program in virtual time (`test/simulate`), with keeps that run for days beside
 * a person's edits, faults, kills and restarts. What comes out is held against what Spotify holds at the end.
 */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { without } from '../../src/domain/rows.ts';
import { createLibrary } from '../../src/library/library.ts';
import { chanceFor } from '../simulate/chance.ts';
import { Computer, prepareSimulation } from '../simulate/computer.ts';
import { MemoryDisk } from '../simulate/disk.ts';
import { guarded } from '../simulate/guard.ts';
import { Network } from '../simulate/network.ts';
import { NO_LAG, Spotify, uriOf, urisOf } from '../simulate/spotify.ts';
import { VirtualTime } from '../simulate/time.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { LibraryFiles } from './libraryGround.ts';
import type { Keep } from './support.ts';

export interface KeepHistory {
  findings: string[];
  /** How many keeps ended in which status. */
  statuses: Record<string, number>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Days on which things happen, and days on which nothing does before it is looked at. */
const BUSY = 4;
const QUIET = 3;

/** A rule, and what it says by what Spotify holds. */
interface Rule {
  name: string;
  sql: string;
  wanted(world: World): string[];
  /** It reads another kept playlist that reads it. */
  isCircular: boolean;
}

interface World {
  spotify: Spotify;
  lists: DemoPlaylist[];
  named(name: string): DemoPlaylist | undefined;
}

export async function runKeepHistory(seed: number): Promise<KeepHistory> {
  await prepareSimulation();
  const chance = chanceFor(seed, 'keeps');
  const time = new VirtualTime();
  const spotify = new Spotify(time, seed, null);
  const disk = new MemoryDisk(time);
  const files = new LibraryFiles();
  const say = () => {};
  const requests: Array<{ at: number; method: string; path: string }> = [];
  const network = new Network({
    time,
    spotify,
    seed,
    latency: [5, chance.pick([20, 200, 2_000])],
    say,
    arrived: ({ method, path }) => void requests.push({ at: time.at, method, path }),
    done: () => {},
  });
  const computer = new Computer({
    time,
    disk,
    network,
    spotify,
    seed,
    say,
    library: (options, isAlive) =>
      createLibrary({
        ...options,
        ground: { disk: files.forProcess(time, isAlive), pool: () => files.pool() },
      }),
  });
  const findings: string[] = [];
  const statuses: Record<string, number> = {};
  const later = (ms: number) => new Promise<void>((resolve) => void time.after(Math.round(ms), resolve));
  spotify.account.saved = Array.from({ length: chance.whole(8, 60) }, (_, index) => ({
    uri: uriOf(index),
    addedAt: '2026-01-05T08:00:00Z',
  }));
  const lists = [0, 1, 2].map((index) =>
    spotify.addPlaylist(
      `List ${index}`,
      Array.from({ length: chance.whole(5, 25) }, (_, row) => index * 20 + row),
      index,
    ),
  );
  const world: World = {
    spotify,
    lists,
    named: (name) => spotify.account.playlists.find((one) => one.name === name),
  };
  const rules = rulesOf(chance.pick(KINDS), lists, chance.whole(3, 40));
  let isMeddled = false;
  const accepted = new Set<string>();

  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    while (!computer.isUp) await later(1_000);
    return (await computer.call(tool, args)) ?? {};
  };
  const keeps = async () => ((await call('list_kept_playlists')).items ?? []) as Keep[];

  async function add(rule: Rule): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await keeps()).some(({ sql }) => sql === rule.sql)) return;
      const target = lists.find(({ name }) => name === rule.name);
      const where = target ? { playlist_id: target.id } : { name: rule.name };
      await call('keep_playlist', { ...where, sql: rule.sql });
      await later(2 * MINUTE);
    }
  }

  /** What a person, an owner or an accident does. */
  async function happen(): Promise<void> {
    const fresh = () => uriOf(chance.whole(500, 3_900));
    const rowOf = (uri: string) => ({ uri, addedAt: '2026-11-20T08:00:00Z', addedBy: null });
    const { account } = spotify;
    const kept = rules.flatMap(({ name }) => world.named(name) ?? []);
    const edit = (playlist: DemoPlaylist, change: (uris: string[]) => string[]) =>
      spotify.edit('edits', playlist, () => {
        playlist.rows = change(urisOf(playlist)).map(rowOf);
      });
    switch (chance.whole(0, 14)) {
      case 0:
      case 1:
        return spotify.edit('saves', null, () => {
          const rows = Array.from({ length: chance.whole(1, 8) }, () => rowOf(fresh()));
          account.saved = [...rows, ...account.saved];
        });
      case 2:
        return spotify.edit('removes saved', null, () => {
          account.saved = account.saved.filter(() => chance.fraction() > 0.15);
        });
      case 3: {
        const { saved } = account;
        spotify.edit('loses all saved', null, () => {
          account.saved = chance.fraction() < 0.5 ? [] : saved.slice(0, 3);
        });
        if (chance.fraction() < 0.3) return;
        await later(chance.whole(1, 30) * HOUR);
        return spotify.edit('has them again', null, () => {
          account.saved = saved;
        });
      }
      case 4:
      case 5:
        return edit(chance.pick(lists), (uris) => [...uris.filter(() => chance.fraction() > 0.1), fresh()]);
      case 6: {
        const playlist = chance.pick([...kept, ...lists]);
        return edit(playlist, (uris) =>
          chance.pick([[...uris, fresh()], uris.slice(1), uris.toReversed(), [...uris, ...uris.slice(0, 1)]]),
        );
      }
      case 7: {
        const [keep] = (await keeps()).filter(({ status }) => status === 'review');
        if (!keep || chance.fraction() < 0.4) return;
        accepted.add(keep.playlist_id);
        await call('update_kept_playlist', { keep_id: keep.id, action: 'accept' });
        return;
      }
      case 8: {
        const all = await keeps();
        if (all.length > 0)
          await call('update_kept_playlist', { keep_id: chance.pick(all).id, action: 'run' });
        return;
      }
      case 9:
        if (chance.fraction() < 0.5) return;
        isMeddled = true;
        await call('undo_change');
        return;
      case 10:
      case 11: {
        computer.kill();
        if (chance.fraction() < 0.3) disk.losePower();
        await later(chance.pick([1_000, MINUTE, 5 * HOUR]));
        return computer.start();
      }
      case 12:
        await computer.stop();
        await later(chance.pick([1_000, 26 * HOUR]));
        return computer.start();
      case 13:
        network.isOffline = true;
        await later(chance.whole(1, 300) * MINUTE);
        network.isOffline = false;
        return;
      default:
        network.faults.add(...faultsOf(chance));
    }
  }

  async function live(): Promise<void> {
    await computer.start();
    if (!(await computer.login(0))) throw new Error('The login failed.');
    if (chance.fraction() < 0.5) {
      const some = (most: number) => chance.whole(0, most);
      spotify.lags = {
        ...NO_LAG,
        lists: some(1_500),
        totals: some(1_500),
        versions: some(20_000),
        mine: some(2_000),
      };
    }
    for (const rule of rules) await add(rule);
    for (let day = 0; day < BUSY; day++) {
      for (let left = chance.whole(0, 4), each = DAY / (left + 1); left >= 0; left--) {
        await later(each * chance.fraction());
        await happen();
        if (!computer.isUp) await computer.start();
      }
      await later(DAY / 4);
    }
    network.faults.clear();
    network.isOffline = false;
    if (!computer.isUp) await computer.start();
    await later(QUIET * DAY);
    const from = requests.length;
    const begun = time.at;
    await later(DAY);
    const items = await keeps();
    judgeIdle(
      requests.slice(from).filter(({ at, path }) => at - begun < DAY && path !== '/api/token'),
      items,
    );
    for (const keep of items) {
      statuses[keep.status] = (statuses[keep.status] ?? 0) + 1;
      judge(keep);
    }
  }

  function judgeIdle(sent: typeof requests, items: readonly Keep[]): void {
    const writes = sent.filter(({ method }) => method !== 'GET');
    if (writes.length > 0)
      findings.push(`an idle day: ${writes.map(({ method, path }) => `${method} ${path}`).join(', ')}`);
    // A review is looked at again in Spotify, since the copy may lag.
    const looked = items.filter(({ status }) => status === 'review').length;
    const most = Math.max(2, items.length) + looked * 3;
    if (sent.length > most) findings.push(`an idle day: ${sent.length} requests for ${items.length} rules`);
  }

  function judge(keep: Keep): void {
    const rule = rules.find(({ sql }) => sql === keep.sql);
    const playlist = spotify.all().find(({ id }) => id === keep.playlist_id);
    if (!rule || !playlist)
      return void findings.push(`${keep.name} (${keep.status}): there is no playlist. ${keep.reason}`);
    const told = `${rule.name} (${keep.status}, ${keep.reason ?? keep.last_result})`;
    const rows = urisOf(playlist);
    const wanted = rule.wanted(world);
    const isAsWanted = rows.length === wanted.length && rows.every((uri, at) => uri === wanted[at]);
    if (keep.status === 'active' && !isAsWanted && !rule.isCircular)
      findings.push(`${told}: ${rows.length} rows that are not the ${wanted.length} of its query`);
    if (keep.status === 'waiting') findings.push(`${told}: it waits for nothing`);
    if (keep.status === 'review') judgeReview(keep, told, playlist, rows, wanted, rule);
  }

  function judgeReview(
    { reason = '', preview }: Keep,
    told: string,
    playlist: DemoPlaylist,
    rows: readonly string[],
    wanted: readonly string[],
    rule: Rule,
  ): void {
    const [removed, added] = [without(rows, wanted).length, without(wanted, rows).length];
    // One that has left the library is compared with nothing.
    const isGone = reason.startsWith('The playlist is not in your library');
    if (
      !rule.isCircular &&
      !isGone &&
      preview &&
      (preview.removed_count !== removed || preview.added_count !== added)
    )
      findings.push(
        `${told}: it would add ${added} and remove ${removed}, not ${preview.added_count} and ${preview.removed_count}`,
      );
    const isEdited =
      isMeddled || spotify.effects.some(({ by, playlist: on }) => by === 'person' && on === playlist);
    const isTrue =
      (reason.startsWith('Somebody changed') && isEdited) ||
      (reason.startsWith('The query finds nothing') && wanted.length === 0 && rows.length > 0) ||
      (reason.startsWith(`The playlist would shrink from ${rows.length} rows to ${wanted.length}`) &&
        rows.length - wanted.length > Math.max(5, 0.3 * rows.length)) ||
      (reason.startsWith('The playlist goes back and forth') && rules.some(({ isCircular }) => isCircular)) ||
      (reason.startsWith('The playlist is not in your library') &&
        !spotify.account.playlists.includes(playlist));
    if (!isTrue && !(rule.isCircular && reason.startsWith('The'))) findings.push(`${told}: that is not true`);
  }

  let isOver = false;
  try {
    await guarded(time, async () => {
      live().then(
        () => {
          isOver = true;
        },
        (error) => {
          findings.push(`the history failed: ${(error as Error).stack}`);
          isOver = true;
        },
      );
      const why = await time.pass(() => isOver, 40 * DAY);
      if (why !== null) findings.push(`the history does not end, at ${time.at}: ${why}`);
      computer.end();
    });
  } finally {
    computer.end();
  }
  const emptied = spotify.effects.filter(
    ({ by, playlist, before, after }) =>
      by === 'relay' &&
      before.length > 0 &&
      after.length === 0 &&
      !isMeddled &&
      !accepted.has(playlist?.id ?? ''),
  );
  if (emptied.length > 0) findings.push(`emptied by ${emptied.map(({ what }) => what).join(', ')}`);
  return { findings, statuses };
}

const KINDS = ['plain', 'lists', 'chain', 'circle', 'existing'] as const;

function rulesOf(kind: (typeof KINDS)[number], lists: readonly DemoPlaylist[], limit: number): Rule[] {
  const savedOf = ({ spotify }: World) => spotify.account.saved.map(({ uri }) => uri);
  const distinct = (uris: readonly string[]) => [...new Set(uris)];
  const rowsOf = (world: World, name: string) => {
    const playlist = world.named(name);
    return playlist ? urisOf(playlist) : [];
  };
  const saved: Rule = {
    name: 'Saved',
    sql: 'SELECT uri FROM saved ORDER BY position',
    wanted: savedOf,
    isCircular: false,
  };
  const head: Rule = {
    name: 'Head',
    sql: `SELECT uri FROM saved ORDER BY position LIMIT ${limit}`,
    wanted: (world) => savedOf(world).slice(0, limit),
    isCircular: false,
  };
  const ids = lists.slice(0, 2).map(({ id }) => id);
  const union: Rule = {
    name: 'Union',
    sql: `SELECT uri FROM playlist_rows WHERE playlist_id IN (${ids.map((id) => `'${id}'`).join(', ')}) GROUP BY uri ORDER BY min(playlist_id || printf('%05d', position))`,
    wanted: () => distinct(lists.slice(0, 2).flatMap(urisOf)),
    isCircular: false,
  };
  const unsorted: Rule = {
    name: 'Unsorted',
    sql: `SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name LIKE 'List %') ORDER BY position`,
    wanted: (world) => {
      const held = new Set(
        lists.filter((one) => world.spotify.account.playlists.includes(one)).flatMap(urisOf),
      );
      return savedOf(world).filter((uri) => !held.has(uri));
    },
    isCircular: false,
  };
  const turned = (name: string, of: string, isCircular: boolean): Rule => ({
    name,
    sql: `SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name = '${of}' ORDER BY position DESC`,
    wanted: (world) => rowsOf(world, of).toReversed(),
    isCircular,
  });
  switch (kind) {
    case 'plain':
      return [saved, head];
    case 'lists':
      return [union, unsorted, head];
    case 'chain':
      return [head, turned('Turned', 'Head', false)];
    case 'circle':
      return [saved, { ...turned('List 0', 'Circle', true) }, turned('Circle', 'List 0', true)];
    case 'existing':
      return [{ ...saved, name: 'List 2' }, head];
  }
}

function faultsOf(chance: ReturnType<typeof chanceFor>): FaultRule[] {
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
  return [
    chance.pick<FaultRule>([
      { ...match, kind: 'status', status: 503 },
      { ...match, kind: 'drop', when: 'before' },
      { ...match, kind: 'rate_limit', retryAfterSeconds: chance.pick([2, 90, 3_600]) },
      { ...match, kind: 'malformed' },
      { ...writes, kind: 'drop', when: 'after' },
      { ...writes, kind: 'status', status: 500 },
      { ...writes, kind: 'status_after', status: 502 },
      { ...writes, kind: 'rate_limit', retryAfterSeconds: 120 },
    ]),
  ];
}
