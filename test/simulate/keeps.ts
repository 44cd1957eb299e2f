/**
 * Plays hours in which playlists follow rules and versions are restored, while a person edits. In the end, each kept playlist is
 * what its query finds in what Spotify holds, or waits for a review whose reason is true.
 */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { sameRows } from '../../src/domain/rows.ts';
import { createLibrary, type LibraryOptions } from '../../src/library/library.ts';
import type { Chance } from '../work/crash/chance.ts';
import { later, type Stage } from './client.ts';
import { befall, createLog, type History, play } from './history.ts';
import { shown } from './oracle.ts';
import { faultOf, range } from './plan.ts';
import { chanceFor } from './world/chance.ts';
import { type Answer, Computer, prepareSimulation } from './world/computer.ts';
import { MemoryDisk } from './world/disk.ts';
import { lineOver } from './world/libraryFiles.ts';
import { Network } from './world/network.ts';
import { rowOf, Spotify, uriOf, urisOf } from './world/spotify.ts';
import { VirtualTime } from './world/time.ts';

interface Rule {
  name: string;
  sql: string;
  wanted(spotify: Spotify, list: DemoPlaylist): string[];
}

interface Keep {
  id: string;
  playlist_id: string;
  name: string;
  status: string;
  reason?: string;
  last_change_id?: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Edits that are older than this can be seen by a run. */
const SEEN_MS = 3 * MINUTE;
/** How long before the date of a version its reading may have begun. */
const READING_MS = 45_000;
/** How long after it was accepted a run may write: limits may hold it up. */
const ACCEPTED_MS = 24 * HOUR;
const SHRINKS = { share: 0.3, rows: 5 };

const UNLISTED =
  "SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name = 'List' AND uri IS NOT NULL) ORDER BY position";
const RULES: readonly Rule[] = [
  {
    name: 'Newest',
    sql: 'SELECT uri FROM saved ORDER BY position LIMIT 20',
    wanted: ({ account }) => account.saved.slice(0, 20).map(({ uri }) => uri),
  },
  {
    name: 'Turned',
    sql: "SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name = 'List' ORDER BY position DESC",
    wanted: (_, list) => urisOf(list).toReversed(),
  },
  {
    name: 'Unlisted',
    sql: UNLISTED,
    wanted({ account }, list) {
      const listed = new Set(urisOf(list));
      return account.saved.map(({ uri }) => uri).filter((uri) => !listed.has(uri));
    },
  },
];

/** @param keepsLines true to return all lines, not only their hash */
export async function runKeepHistory(seed: number, keepsLines = false): Promise<History> {
  await prepareSimulation();
  const chance = chanceFor(seed, 'keeps');
  const time = new VirtualTime();
  const log = createLog(time, keepsLines);
  const spotify = new Spotify(time, seed);
  const list = spotify.addPlaylist('List', range(chance.whole(0, 20), 0).map(uriOf));
  spotify.save(range(chance.whole(0, 40), 900).map(uriOf));
  const disk = new MemoryDisk(time);
  const latency: [number, number] = [5, chance.pick([20, 200, 2_000])];
  const network = new Network({ time, spotify, seed, latency, say: log.say });
  const library = (options: LibraryOptions, isAlive: () => boolean) =>
    createLibrary({
      ...options,
      ground: { disk: disk.forProcess(isAlive), line: () => lineOver(disk) },
    });
  const computer = new Computer({ time, disk, network, spotify, seed, library });
  const day = new Day({ chance, time, spotify, list, network, disk, computer, ...log });
  await play(time, log, computer, () => day.live());
  return log.end();
}

/** The person edits `list`. */
type Parts = Omit<Stage, 'plan'> & { chance: Chance };

class Day {
  readonly #parts: Parts;
  /** When somebody else than a rule last changed a playlist, when a review of it was last accepted, and when a rule wrote. */
  readonly #edited = new Map<DemoPlaylist, number>();
  readonly #accepted = new Map<DemoPlaylist, number>();
  /** The row that a person has added last. */
  readonly #added = new Map<DemoPlaylist, string>();
  readonly #written = new Map<DemoPlaylist, number>();
  /** What the list held, and since when. */
  readonly #states: Array<{ at: number; rows: string[] }>;
  #isAsking = false;
  #tracks = 3_000;
  #writes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#states = [{ at: Number.NEGATIVE_INFINITY, rows: urisOf(parts.list) }];
    parts.spotify.onWrite = (playlist, before) => this.#wrote(playlist, before);
  }

  async live(): Promise<void> {
    const { chance, computer, spotify, network, time } = this.#parts;
    await computer.start();
    if (!(await computer.login())) throw new Error('The login failed.');
    spotify.lag = chance.pick([0, 0, 1_500]);
    for (const rule of RULES) await this.#add(rule);
    const until = time.at + chance.whole(2, 6) * HOUR;
    while (time.at < until) {
      await later(this.#parts, chance.whole(1, 50) * MINUTE);
      await this.#happens();
    }
    network.faults.clear();
    // The longest limit lasts for eleven hours.
    await later(this.#parts, 12 * HOUR);
    const before = this.#writes;
    await later(this.#parts, HOUR + MINUTE);
    if (this.#writes > before) this.#wrong('something is written while nothing happens', '');
    // A rule that reads no playlist does not see by itself that its own was edited.
    for (const { id } of await this.#keeps()) await this.#act(id, 'run');
    await later(this.#parts, 10 * MINUTE);
    for (const keep of await this.#keeps()) this.#judge(keep);
  }

  /** Keeps a playlist. relay may be killed while it makes the playlist: then the rule follows that one, and there is no second. */
  async #add({ name, sql }: Rule): Promise<void> {
    const { chance, time, spotify } = this.#parts;
    const isKilled = chance.fraction() < 0.3;
    const mishap = { do: chance.pick(['kill', 'power'] as const), ms: MINUTE };
    if (isKilled)
      time.after(chance.whole(1, 4_000), () => void befall(this.#parts, mishap, null), 'computer');
    await this.#call('keep_playlist', { name, sql, every: 'hour' });
    if (!isKilled) return;
    await later(this.#parts, 5 * MINUTE);
    const isKept = (await this.#keeps()).some((keep) => keep.name === name);
    if (!isKept) await this.#call('keep_playlist', { name, sql, every: 'hour' });
    await later(this.#parts, 5 * MINUTE);
    const made = spotify.account.playlists.filter((one) => one.name === name).length;
    if (made !== 1) this.#wrong('not one playlist is made for a rule', `${name}: ${made}`);
  }

  /** One thing that a person, a client or the computer does. */
  async #happens(): Promise<void> {
    const { chance, spotify, list, network, time, say } = this.#parts;
    const saved = spotify.account.saved.map(({ uri }) => uri);
    const ms = chance.pick([1_000, MINUTE, 90 * MINUTE]);
    const { id, status, playlist_id, last_change_id } = chance.pick(await this.#keeps());
    const kept = spotify.account.playlists.find((one) => one.id === playlist_id);
    await this.#settle();
    const deeds: Record<string, () => unknown> = {
      saves: () => spotify.save([...range(chance.whole(1, 8), this.#fresh(8)).map(uriOf), ...saved]),
      'removes saved': () => spotify.save(saved.filter(() => chance.fraction() > 0.2)),
      'loses saved': () => spotify.save([]),
      adds: () => this.#edit(list),
      'takes out': () => this.#edit(list, Math.floor(list.rows.length / 2)),
      'adds to a kept playlist': () => kept && this.#edit(kept),
      accepts: () =>
        status === 'review' && kept && this.#accepted.set(kept, time.at) && this.#act(id, 'accept'),
      runs: () => this.#run(id),
      undoes: () => kept && last_change_id && this.#ask(kept, 'undo_change', { change_id: last_change_id }),
      restores: () => this.#restore(),
      'has a mishap': () =>
        befall(this.#parts, { do: chance.pick(['kill', 'power', 'stop', 'sleep', 'offline']), ms }, null),
      'meets trouble': () => network.faults.add(faultOf(chance), faultOf(chance)),
    };
    const what = chance.pick(Object.keys(deeds));
    say(() => `somebody ${what}`);
    await deeds[what]?.();
  }

  /** A person adds a row, or takes out those from a place on. */
  #edit(playlist: DemoPlaylist, at?: number): void {
    const { spotify, time } = this.#parts;
    const added = rowOf(uriOf(this.#fresh(1)));
    spotify.edit(playlist, (rows) => (at === undefined ? [...rows, added] : rows.slice(0, at)));
    this.#edited.set(playlist, time.at);
    if (at === undefined) this.#added.set(playlist, added.uri);
    this.#note();
  }

  /** An edit after which a run has found the rows as the query wants them is no edit any more. */
  async #settle(): Promise<void> {
    const { spotify, list } = this.#parts;
    for (const { status, playlist_id, name } of await this.#keeps()) {
      const playlist = spotify.account.playlists.find(({ id }) => id === playlist_id);
      const wanted = RULES.find((rule) => rule.name === name)?.wanted(spotify, list);
      if (status === 'active' && playlist && wanted && sameRows(urisOf(playlist), wanted))
        this.#edited.delete(playlist);
    }
  }

  /** A person has a rule run. Nobody edits meanwhile, so it ends as its query says, or in a review that is true, or it waits. */
  async #run(id: string): Promise<void> {
    const answer = await this.#act(id, 'run');
    const keep = answer?.keep as Keep | undefined;
    const isOver = keep !== undefined && answer?.error === undefined && answer?.note === undefined;
    if (isOver && keep.status !== 'waiting') this.#judge(keep, true);
  }

  /** The first of so many tracks that were never used. */
  #fresh(count: number): number {
    this.#tracks += count;
    return this.#tracks;
  }

  #note(): void {
    this.#states.push({ at: this.#parts.time.at, rows: urisOf(this.#parts.list) });
  }

  /** A client asks for a write, which counts as an edit of the playlist. */
  async #ask(playlist: DemoPlaylist, tool: string, args: Record<string, unknown>): Promise<boolean> {
    const before = urisOf(playlist);
    this.#isAsking = true;
    const answer = await this.#call(tool, args);
    // A write that waits for a limit, or whose answer is lost, may continue for hours.
    if (answer === null || answer.job_id !== undefined) await later(this.#parts, 12 * HOUR);
    this.#isAsking = false;
    const isDone = answer !== null && !answer.error;
    if (answer === null || isDone || !sameRows(before, urisOf(playlist)))
      this.#edited.set(playlist, this.#parts.time.at);
    this.#added.delete(playlist);
    return isDone;
  }

  async #restore(): Promise<void> {
    const { list, time, chance } = this.#parts;
    const playlist = { playlist_id: list.id };
    const versions = await this.#call('list_playlist_versions', playlist);
    const items = (versions?.items ?? []) as Array<{ version: number; seen_at: string }>;
    if (items.length === 0) return;
    const { version, seen_at } = chance.pick(items);
    if (!(await this.#ask(list, 'restore_playlist', { ...playlist, version, dry_run: false }))) return;
    const seen = Date.parse(seen_at) - (time.wall() - time.at);
    const states = this.#states.filter(
      ({ at }, index) => at <= seen && (this.#states[index + 1]?.at ?? seen) >= seen - READING_MS,
    );
    if (!states.some(({ rows }) => sameRows(rows, urisOf(list))))
      this.#wrong('a restore: not the rows of that day', shown(urisOf(list)));
  }

  /** Judges one write of relay. */
  #wrote(playlist: DemoPlaylist, before: readonly string[]): void {
    const { time, list } = this.#parts;
    this.#writes += 1;
    if (playlist === list) this.#note();
    if (playlist === list || this.#isAsking) return;
    const when = (what: Map<DemoPlaylist, number>) => what.get(playlist) ?? Number.NEGATIVE_INFINITY;
    const edited = when(this.#edited);
    // A removal that waited as a job leaves the person's row where it is.
    const isThere = urisOf(playlist).includes(this.#added.get(playlist) ?? '');
    if (
      !isThere &&
      edited > Math.max(when(this.#accepted), when(this.#written)) &&
      time.at - edited > SEEN_MS
    )
      this.#wrong('an edit is written over without a review', `${playlist.name}: ${shown(before)}`);
    this.#written.set(playlist, time.at);
    if (playlist.rows.length > 0 || before.length === 0 || when(this.#accepted) > time.at - ACCEPTED_MS)
      return;
    time.after(2 * MINUTE, () => {
      if (playlist.rows.length === 0)
        this.#wrong('a kept playlist is emptied without a review', playlist.name);
    });
  }

  /** @param isTroubled true while requests fail: a review may then give a failure as its reason */
  #judge({ playlist_id, name, status, reason = '' }: Keep, isTroubled = false): void {
    const { spotify, list, found } = this.#parts;
    const playlist = spotify.account.playlists.find(({ id }) => id === playlist_id);
    const wanted = RULES.find((rule) => rule.name === name)?.wanted(spotify, list) ?? [];
    const rows = playlist ? urisOf(playlist) : [];
    const text = `${name} (${status}, ${reason}): ${shown(rows)}, wanted ${shown(wanted)}`;
    if (status === 'active' && !sameRows(rows, wanted))
      this.#wrong('a kept playlist is not what its query says', text);
    if (status === 'waiting') this.#wrong('a kept playlist waits for nothing', text);
    const less = rows.length - wanted.length;
    const causes: Array<readonly [string, boolean]> = [
      ['Somebody changed', playlist !== undefined && this.#edited.has(playlist)],
      ['Its last run was undone', playlist !== undefined && this.#edited.has(playlist)],
      ['The playlist is not in your library', playlist === undefined],
      ['The query finds nothing', wanted.length === 0 && rows.length > 0],
      ['The playlist would shrink', less > Math.max(SHRINKS.rows, SHRINKS.share * rows.length)],
    ];
    const cause = causes.find(([words]) => reason.startsWith(words));
    if (status === 'review' && !(cause?.[1] ?? isTroubled))
      found({ kind: 'review', rule: 'a review of a kept playlist is not true', text });
  }

  #wrong(rule: string, text: string): void {
    this.#parts.found({ kind: 'rows', rule, text });
  }

  #act(keep_id: string, action: string): Promise<Answer | null> {
    return this.#call('update_kept_playlist', { keep_id, action });
  }

  async #call(tool: string, args: Record<string, unknown> = {}): Promise<Answer | null> {
    const answer = await this.#parts.computer.call(tool, args);
    this.#parts.say(() => `${tool} ${JSON.stringify(args)}: ${JSON.stringify(answer)?.slice(0, 200)}`);
    return answer;
  }

  async #keeps(): Promise<Keep[]> {
    return ((await this.#call('list_kept_playlists'))?.items ?? []) as Keep[];
  }
}
