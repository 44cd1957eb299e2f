/** What a run looks up about single rows: their names, the recordings that they are, and whether Spotify still has them. */
import { isDeepStrictEqual } from 'node:util';
import { inParallel } from '../../base/lists.ts';
import type { KeepPreview } from '../../domain/keep.ts';
import { asShown, originalsOf, recordingOfTrack, recordingsIn, unmatched } from '../../domain/recordings.ts';
import { differenceOf, without } from '../../domain/rows.ts';
import type { Item, Track } from '../../domain/shapes.ts';
import type { Library } from '../../library/library.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import type { Store } from '../../store/store.ts';
import { type Keep, setKeep } from '../../store/tables/keeps.ts';
import type { Facts } from './decide.ts';

/** Maximum number of rows of each list that a preview names. */
const NAMED = 10;
/**
 * After a refusal, the maximum number of rows to check although the copy has their tracks: these may have gone since it was
 * read.
 */
const MAX_DOUBTED = 200;
/**
 * Maximum number of rows to look up whose recordings neither the copy nor the list tells. If there are more, none is looked
 * up.
 */
const MAX_LOOKED_UP = 50;
const AT_ONCE = 4;

/** The facts for a decision, with rows under the IDs that the list shows. */
export interface ListedFacts extends Facts {
  /** Maps the URI that the list shows for a row to the one that the row was written with. */
  originals: ReadonlyMap<string, string>;
}

/** A preview of the rows that would be added and removed, with the names of the first of them. */
export async function previewOf(
  library: Library,
  present: readonly string[],
  wanted: readonly string[],
  leftOut: number,
): Promise<KeepPreview> {
  const added = without(wanted, present);
  const removed = without(present, wanted);
  const names = await library.trackNames([...added.slice(0, NAMED), ...removed.slice(0, NAMED)]);
  const named = (uri: string) => ({ uri, ...names.get(uri) });
  const { moved } = differenceOf(present, wanted);
  return {
    total: wanted.length,
    added: added.slice(0, NAMED).map(named),
    removed: removed.slice(0, NAMED).map(named),
    added_count: added.length,
    removed_count: removed.length,
    ...(moved === 0 ? {} : { moved_count: moved }),
    left_out: leftOut,
  };
}

export type Lookups = ReturnType<typeof createLookups>;

export function createLookups(library: Library, provider: ProviderApi, store: Store, signal: AbortSignal) {
  /** The track with a URI; null if Spotify does not know it. */
  function lookedUp(uri: string): Promise<Track | null> {
    return findTrack(provider, uri, { signal, progress() {} });
  }

  /** The recordings of rows that were looked up, by URI; null if Spotify does not know the row. Each is looked up once. */
  const looked = new Map<string, string | null>();

  return {
    /** Records the names that the playlists of these kept ones, and those of their rules, have in the copy now. */
    async withPresentNames(keeps: readonly Keep[]): Promise<void> {
      if (keeps.length === 0) return;
      const names = new Map((await library.listedPlaylists()).map(({ id, name }) => [id, name]));
      for (const { id, playlistId, name, rule } of keeps) {
        const present = { name: names.get(playlistId ?? '') ?? name, rule };
        if (rule !== null && rule.playlists.length > 0) {
          const playlists = rule.playlists.map((one) => ({ ...one, name: names.get(one.id) ?? one.name }));
          present.rule = { ...rule, playlists };
        }
        if (!isDeepStrictEqual(present, { name, rule })) setKeep(store, id, present);
      }
    },

    /**
     * The facts for a decision, with rows under the IDs that the list shows. A song that Spotify now shows under another ID
     * counts as unchanged.
     * @param known rows of the playlist in the copy
     * @param items the rows as they were just read; null if only those of the copy are known, and then nothing is looked up
     * @throws RelayError from reading
     */
    async asListed(
      facts: Facts,
      known: readonly string[],
      items: readonly Item[] | null,
    ): Promise<ListedFacts> {
      const { shown, left, wanted } = facts;
      const all = [wanted, left ?? [], known];
      const open = all.map((rows) => unmatched(rows, shown));
      if (open.every((one) => one.rows.length === 0 || one.shown.length === 0))
        return { ...facts, originals: new Map() };
      const recordings = await library.recordings(open.flatMap((one) => [...one.rows, ...one.shown]));
      for (const [uri, recording] of recordingsIn(items ?? [])) recordings.set(uri, recording);
      const rows = [...new Set(open.flatMap((one) => one.rows))].filter((uri) => !recordings.has(uri));
      const unknown = rows.filter((uri) => !looked.has(uri));
      if (items !== null && unknown.length <= MAX_LOOKED_UP) {
        await inParallel(unknown, AT_ONCE, async (uri) => {
          const track = await lookedUp(uri);
          looked.set(uri, track && recordingOfTrack(track));
        });
      }
      for (const uri of rows) {
        const recording = looked.get(uri);
        if (recording) recordings.set(uri, recording);
      }
      const named = (rows: readonly string[]) => asShown(rows, shown, recordings);
      const originals = new Map(all.flatMap((rows) => originalsOf(rows, named(rows))));
      return { ...facts, wanted: named(wanted), left: left && named(left), originals };
    },

    /**
     * The `uris` that Spotify does not know. Tracks in the copy of the library are checked only if nothing else explains a refusal.
     * @throws RelayError from reading
     */
    async goneOf(uris: readonly string[]): Promise<string[]> {
      const tracks = [...new Set(uris)].filter((uri) => uri.startsWith('spotify:track:'));
      const known = new Set(await library.knownTracks(tracks));
      const gone: string[] = [];
      const look = (some: readonly string[]) =>
        inParallel(some, AT_ONCE, async (uri) => {
          if ((await lookedUp(uri)) === null) gone.push(uri);
        });
      await look(tracks.filter((uri) => !known.has(uri)));
      if (gone.length === 0) await look([...known].slice(0, MAX_DOUBTED));
      return gone;
    },
  };
}
