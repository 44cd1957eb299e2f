/** Every kind of change: how to ask for it, and how to tell from the provider's data whether it was made. */
import type { DemoAccount, DemoPlaylist } from '../../../src/demo/state.ts';
import { at, owner } from '../../support/entries.ts';
import { addPlaylist, differenceOf } from '../../support/playlists.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import type { Chance } from './chance.ts';

/** What to ask for: a call of a tool, or a job. */
type Asked =
  | { tool: string; args: Record<string, unknown> }
  | { type: string; payload: Record<string, unknown>; items: unknown[] };

/** Calls a tool of the program. Resolves to null if the program dies during the call. */
type CallTool = (name: string, args: Record<string, unknown>) => Promise<Record<string, unknown> | null>;

/** One change: how to ask for it, and how to tell whether it was made. */
export interface Scene {
  kind: Kind;
  asked: Asked;
  /** The playlist to change; null if the change creates the playlist or changes the library. */
  playlist: DemoPlaylist | null;
  /** `wanted` if the target is exactly as asked for, `former` if it is exactly as before; otherwise says what is wrong. */
  outcome(): string;
  /** A change that is made first, before any kill, so that this one can undo it. */
  undoes?: Scene;
  /** True if the caller asks again after the program died. The change must still be made only once. */
  isAskedAgain?: boolean;
  /** Makes what the change needs, before any kill. */
  prepare?(call: CallTool): Promise<void>;
  /**
   * Asks the program how the change ended. Comes after the call has returned, or the program has died.
   * @returns `kept` if the change did what was wanted; `none` if the program does not know the change; null if the program does
   * not answer; otherwise what the program says about the change while it is under way
   * @throws Error if what the program says is not true
   */
  told?(call: CallTool): Promise<'kept' | 'none' | object | null>;
  /** Cleans up at the end. */
  clear?(call: CallTool): Promise<void>;
}

/** The kinds of change. */
export const KINDS = [
  'add',
  'remove',
  'reorder',
  'replace',
  'deduplicate',
  'bulk',
  'create',
  'save',
  'unsave',
  'details',
  'job add_to_playlist',
  'job replace_playlist',
  'job create_playlist',
  'job save_tracks',
  'job remove_saved_tracks',
  'undo',
  'restore',
  'keep',
] as const;

/** The name of a kind of change. */
export type Kind = (typeof KINDS)[number];

/**
 * Makes a scene on a target of its own.
 * @param serial number of the scene, for names that no other scene uses
 * @param taken tracks that other scenes of the library use; the tracks of this scene are added
 */
export function sceneOf(
  provider: Simulator,
  kind: Kind,
  chance: Chance,
  serial: number,
  taken: Set<string>,
): Scene {
  const stage = { provider, kind, chance, serial, taken };
  switch (kind) {
    case 'save':
    case 'unsave':
    case 'job save_tracks':
    case 'job remove_saved_tracks':
      return libraryScene(stage);
    case 'create':
    case 'job create_playlist':
      return creation(stage);
    case 'details':
      return details(stage);
    case 'undo':
      return undoing(stage);
    case 'restore':
      return restoring(stage);
    case 'keep':
      return keeping(stage);
    default:
      return rewriting(stage);
  }
}

interface Stage {
  provider: Simulator;
  kind: Kind;
  chance: Chance;
  serial: number;
  taken: Set<string>;
}

function rewriting({ provider, kind, chance, serial }: Stage): Scene {
  const uris = draw(provider, chance, chance.whole(1, 330));
  const base = draw(provider, chance, chance.whole(20, 260)).filter((uri) => !uris.includes(uri));
  const former = kind === 'deduplicate' ? repeated(base, chance) : base;
  const playlist = addPlaylist(provider, `Target ${serial}`, former);
  const playlist_id = playlist.id;
  const scene = (asked: Asked, wanted: string[]): Scene => ({
    kind,
    asked,
    playlist,
    outcome: () => either(urisOf(playlist), wanted, former),
  });
  const payload = { playlist_id, skip_duplicates: false };
  const added = [...former, ...uris];
  switch (kind) {
    case 'remove': {
      const gone = former.filter((_, index) => index === 0 || chance.fraction() < 0.6);
      const asked = { tool: 'remove_tracks_from_playlist', args: { playlist_id, track_ids: gone } };
      return scene(
        asked,
        former.filter((uri) => !gone.includes(uri)),
      );
    }
    case 'reorder': {
      const start = chance.whole(0, 5);
      const end = start + chance.whole(1, 4);
      const before = chance.whole(12, former.length);
      const args = { playlist_id, range_start: start, range_length: end - start, insert_before: before };
      const moved = [...former.slice(end, before), ...former.slice(start, end), ...former.slice(before)];
      return scene({ tool: 'reorder_playlist_tracks', args }, [...former.slice(0, start), ...moved]);
    }
    case 'replace':
      return scene({ tool: 'replace_playlist_tracks', args: { playlist_id, track_ids: uris } }, uris);
    case 'deduplicate':
      return scene({ tool: 'deduplicate_playlist', args: { playlist_id } }, [...new Set(former)]);
    case 'bulk':
      return scene({ tool: 'bulk_add_tracks', args: { playlist_id, tracks: uris } }, added);
    case 'job add_to_playlist':
      return scene({ type: 'add_to_playlist', payload, items: searched(provider, uris, chance) }, added);
    case 'job replace_playlist':
      return scene({ type: 'replace_playlist', payload, items: uris }, uris);
    default:
      return scene({ tool: 'add_tracks_to_playlist', args: { playlist_id, track_ids: uris } }, added);
  }
}

function creation({ provider, kind, chance, serial }: Stage): Scene {
  const uris = draw(provider, chance, chance.whole(1, 250));
  const name = `Created ${serial}`;
  const made = () => owner(provider).playlists.filter((playlist) => playlist.name === name);
  return {
    kind,
    playlist: null,
    asked:
      kind === 'create'
        ? { tool: 'create_playlist_from_tracks', args: { name, tracks: uris, skip_duplicates: false } }
        : { type: 'create_playlist', payload: { name, skip_duplicates: false }, items: uris },
    outcome() {
      if (made().length === 0) return 'former';
      if (made().length > 1) return `${made().length} playlists were made`;
      return differenceOf(made().flatMap(urisOf), uris) ?? 'wanted';
    },
  };
}

function details({ provider, kind, serial }: Stage): Scene {
  const playlist = addPlaylist(provider, `Details ${serial}`, []);
  const former = JSON.stringify([playlist.name, playlist.description]);
  const args = { name: `Renamed ${serial}`, description: `Described ${serial}` };
  const wanted = JSON.stringify([args.name, args.description]);
  return {
    kind,
    playlist,
    asked: { tool: 'update_playlist_details', args: { playlist_id: playlist.id, ...args } },
    outcome() {
      const present = JSON.stringify([playlist.name, playlist.description]);
      if (present === wanted) return 'wanted';
      return present === former ? 'former' : present;
    },
  };
}

/** A scene of the library. No other scene uses its tracks, since all scenes share one library. */
function libraryScene({ provider, kind, chance, taken }: Stage): Scene {
  const account = owner(provider);
  const saves = kind === 'save' || kind === 'job save_tracks';
  const saved = new Set(account.saved.map(({ uri }) => uri));
  const uris = draw(provider, chance, 400)
    .filter((uri) => !taken.has(uri) && !saved.has(uri))
    .slice(0, chance.whole(1, 130));
  for (const uri of uris) taken.add(uri);
  if (!saves) account.saved.unshift(...uris.map((uri) => ({ uri, addedAt: '2026-01-01T00:00:00Z' })));
  const outcome = () => librarySays(uris, saves, countSaved(account, uris));
  const tool = saves ? 'save_tracks' : 'remove_saved_tracks';
  const asked: Asked = kind.startsWith('job ')
    ? { type: tool, payload: { skip_duplicates: false }, items: uris }
    : { tool, args: { track_ids: uris } };
  return { kind, playlist: null, asked, outcome };
}

function countSaved(account: DemoAccount, uris: readonly string[]): number {
  const saved = new Set(account.saved.map(({ uri }) => uri));
  return uris.filter((uri) => saved.has(uri)).length;
}

function librarySays(uris: readonly string[], saves: boolean, count: number): string {
  if (count === (saves ? uris.length : 0)) return 'wanted';
  if (count === (saves ? 0 : uris.length)) return 'former';
  return `${count} of ${uris.length} tracks are saved`;
}

const UNDONE = ['add', 'remove', 'reorder', 'replace', 'details', 'save', 'unsave'] as const;

function undoing({ provider, chance, serial, taken }: Stage): Scene {
  const before = sceneOf(provider, chance.pick(UNDONE), chance, serial, taken);
  const swapped = { wanted: 'former', former: 'wanted' } as Record<string, string>;
  return {
    ...before,
    kind: 'undo',
    asked: { tool: 'undo_change', args: {} },
    undoes: before,
    outcome: () => swapped[before.outcome()] ?? before.outcome(),
  };
}

/** A scene that restores an earlier version of a playlist after somebody has removed, added and moved rows. */
function restoring({ provider, kind, chance, serial }: Stage): Scene {
  const wanted = draw(provider, chance, chance.whole(20, 260));
  const former = changed(provider, wanted, chance);
  const playlist = addPlaylist(provider, `Restored ${serial}`, wanted);
  const playlist_id = playlist.id;
  const args: Record<string, unknown> = { playlist_id, dry_run: false };
  return {
    kind,
    playlist,
    asked: { tool: 'restore_playlist', args },
    isAskedAgain: true,
    outcome: () => either(urisOf(playlist), wanted, former),
    async prepare(call) {
      // On a busy machine, the call may run out of time before the playlist has been read.
      for (let tries = 0; args.version === undefined; tries++) {
        const answer = await call('list_playlist_versions', { playlist_id });
        const [version] = (answer?.items ?? []) as Array<{ version: number }>;
        if (version) args.version = version.version;
        else if (tries === 20) throw new Error(`no version: ${JSON.stringify(answer)}`);
      }
      provider.editPlaylist(playlist_id, former);
    },
  };
}

/** A scene of a kept playlist whose query reads another playlist. The first run copies the rows of that other playlist. */
function keeping({ provider, kind, chance, serial }: Stage): Scene {
  const former = draw(provider, chance, chance.whole(20, 150));
  const wanted = changed(provider, former, chance);
  const playlist = addPlaylist(provider, `Kept ${serial}`, former);
  const source = addPlaylist(provider, `Source ${serial}`, wanted);
  const sql = `SELECT uri FROM playlist_rows WHERE playlist_id = '${source.id}' ORDER BY position`;
  const keepIn = async (call: CallTool) => {
    const answer = await call('list_kept_playlists', {});
    const items = answer?.items as
      | Array<Record<'id' | 'playlist_id' | 'status' | 'reason' | 'last_run_at', string | null>>
      | undefined;
    return items && (items.find(({ playlist_id }) => playlist_id === playlist.id) ?? 'none');
  };
  return {
    kind,
    playlist,
    asked: { tool: 'keep_playlist', args: { playlist_id: playlist.id, sql, every: 'week' } },
    outcome: () => either(urisOf(playlist), wanted, former),
    async prepare(call) {
      // A query of a kept playlist runs only once the whole library has been read.
      for (let tries = 0; tries < 100; tries++) {
        const answer = await call('query_library', { sql: 'SELECT 1', max_age_minutes: 0 });
        const { saved, playlists } = (answer?.coverage ?? {}) as {
          saved?: string;
          playlists?: Record<'read' | 'unreadable' | 'total', number>;
        };
        const isWhole = playlists && playlists.read + playlists.unreadable === playlists.total;
        if (saved === 'complete' && isWhole) return;
      }
      throw new Error('the library could not be read');
    },
    async told(call) {
      const keep = await keepIn(call);
      if (keep === 'none') return 'none';
      if (!keep || keep.status === 'waiting' || keep.last_run_at === null) return keep ?? null;
      if (keep.reason?.startsWith('The query took longer')) {
        // The query's 5 s are too few for a busy machine here. A person would run the query again.
        await call('update_kept_playlist', { keep_id: keep.id, action: 'run' });
        return keep;
      }
      if (/would go/.test(keep.reason ?? '')) {
        // The first run takes out rows that were there, so it asks.
        await call('update_kept_playlist', { keep_id: keep.id, action: 'accept' });
        return keep;
      }
      // Nothing else here needs a review: nobody has changed the playlist, and the run removes few rows.
      if (keep.status !== 'active') throw new Error(`it ended as ${JSON.stringify(keep)}`);
      return 'kept';
    },
    async clear(call) {
      const keep = await keepIn(call);
      if (keep && keep !== 'none') await call('update_kept_playlist', { keep_id: keep.id, action: 'stop' });
      const account = owner(provider);
      account.playlists = account.playlists.filter((one) => one !== source);
    },
  };
}

/** Takes rows out, puts others in and moves some. It takes out so few that a kept playlist needs no review. */
function changed(provider: Simulator, rows: readonly string[], chance: Chance): string[] {
  // Adds no second release of a song: relay may take both for the same song, and leave the row as it is.
  const songOf = (uri: string) => {
    const track = provider.catalogue.trackByUri.get(uri);
    return track?.isrc ?? `${track?.name} ${track?.artists[0]?.name}`;
  };
  const songs = new Set(rows.map(songOf));
  const added = draw(provider, chance, chance.whole(1, 30)).filter((uri) => !songs.has(songOf(uri)));
  const left = rows.filter(() => chance.fraction() < 0.9);
  const from = chance.whole(0, left.length - 1);
  const moved = left.splice(from, chance.whole(1, 3));
  left.splice(chance.whole(0, left.length), 0, ...moved);
  left.splice(chance.whole(0, left.length), 0, ...added);
  return left;
}

/** Compares a playlist's tracks with both ends of a change. Returns what `outcome` of a scene returns. */
function either(present: readonly string[], wanted: readonly string[], former: readonly string[]): string {
  const difference = differenceOf(present, wanted);
  if (difference === null) return 'wanted';
  return differenceOf(present, former) === null ? 'former' : difference;
}

/** Draws distinct tracks. */
function draw({ catalogue }: Simulator, chance: Chance, count: number): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(chance.pick(catalogue.tracks).uri);
  return [...drawn];
}

/** Repeats earlier tracks after some of the tracks. */
function repeated(uris: readonly string[], chance: Chance): string[] {
  return uris.flatMap((uri, index) =>
    chance.fraction() < 0.3 ? [uri, at(uris, chance.whole(0, index))] : [uri],
  );
}

/** Replaces a few of the items by searches. Each search finds only the track that it replaces. */
function searched(provider: Simulator, uris: readonly string[], chance: Chance): unknown[] {
  return uris.map((uri) => (chance.fraction() < 0.03 ? (searchFor(provider, uri) ?? uri) : uri));
}

function searchFor({ catalogue }: Simulator, uri: string): object | null {
  const track = catalogue.trackByUri.get(uri);
  if (!track || !/^[A-Za-z ]{14,}$/.test(track.name)) return null;
  // No other track may have this name, or a name that contains it: the matching might prefer that one.
  if (catalogue.tracks.filter(({ name }) => name.includes(track.name)).length !== 1) return null;
  return { title: track.name, artist: at(track.artists, 0).name };
}

function urisOf({ rows }: DemoPlaylist): string[] {
  return rows.map(({ uri }) => uri);
}
