/** What a run looks up about single rows: their names, the recordings that they are, and whether Spotify still has them. */
import { inParallel } from '../../base/lists.ts';
import { asRelayError } from '../../domain/errors.ts';
import type { KeepPreview } from '../../domain/keep.ts';
import { asShown, originalsOf, recordingOfTrack, recordingsIn, unmatched } from '../../domain/recordings.ts';
import { without } from '../../domain/rows.ts';
import type { Item, Track } from '../../domain/shapes.ts';
import { getTrack } from '../../provider/resources/catalog.ts';
import type { KeepsContext } from './keepsContext.ts';
import type { Facts } from './plan.ts';

/** Rows of each list that a preview names. */
const NAMED = 10;
/** Rows that have gone grey since a list was read, of one refused request. */
const MAX_DOUBTED = 200;
/** Rows whose recording nothing tells. */
const MAX_LOOKED_UP = 5;
/** Requests at once, for these. */
const AT_ONCE = 4;

/** The facts with rows as the list names them. */
export interface ListedFacts extends Facts {
  /** By the ID that the list shows a row under: the one that it was written with. */
  originals: ReadonlyMap<string, string>;
}

export interface Lookups {
  /** What becomes of rows, with the names of the first ones. */
  previewOf(present: readonly string[], wanted: readonly string[], leftOut: number): Promise<KeepPreview>;
  /**
   * What a decision needs, with rows under the ID that the list shows them under: a song whose ID has changed was not changed
   * by anybody, and stays.
   * @param known rows of the playlist as the copy has them
   * @param items what is shown, as it was read now; null: it is what the copy has, and nothing is looked up
   * @throws RelayError of reading
   */
  asListed(facts: Facts, known: readonly string[], items: readonly Item[] | null): Promise<ListedFacts>;
  /**
   * Those that Spotify does not know. What a list of the copy has is asked for only where nothing else explains a refusal.
   * @throws RelayError of reading
   */
  goneOf(uris: readonly string[]): Promise<string[]>;
}

export function createLookups({ library, provider }: KeepsContext, signal: AbortSignal): Lookups {
  /** null: Spotify does not know it. */
  async function lookedUp(uri: string): Promise<Track | null> {
    const call = { signal, progress() {} };
    try {
      return await getTrack(provider, uri.slice('spotify:track:'.length), call);
    } catch (thrown) {
      const error = asRelayError(thrown);
      if (error.code !== 'NOT_FOUND' && error.code !== 'INVALID_ARGUMENT') throw error;
      return null;
    }
  }

  return {
    async previewOf(present, wanted, leftOut) {
      const added = without(wanted, present);
      const removed = without(present, wanted);
      const names = await library.trackNames([...added.slice(0, NAMED), ...removed.slice(0, NAMED)]);
      const named = (uri: string) => ({ uri, ...names.get(uri) });
      return {
        total: wanted.length,
        added: added.slice(0, NAMED).map(named),
        removed: removed.slice(0, NAMED).map(named),
        added_count: added.length,
        removed_count: removed.length,
        left_out: leftOut,
      };
    },

    async asListed(facts, known, items) {
      const { shown, left, wanted } = facts;
      const all = [wanted, left ?? [], known];
      const open = all.map((rows) => unmatched(rows, shown));
      if (open.every((one) => one.rows.length === 0 || one.shown.length === 0))
        return { ...facts, originals: new Map() };
      const recordings = await library.recordings(open.flatMap((one) => [...one.rows, ...one.shown]));
      for (const [uri, recording] of recordingsIn(items ?? [])) recordings.set(uri, recording);
      const unknown = [...new Set(open.flatMap(({ rows }) => rows))].filter((uri) => !recordings.has(uri));
      if (items !== null && unknown.length <= MAX_LOOKED_UP) {
        await inParallel(unknown, AT_ONCE, async (uri) => {
          const track = await lookedUp(uri);
          if (track !== null) recordings.set(uri, recordingOfTrack(track));
        });
      }
      const named = (rows: readonly string[]) => asShown(rows, shown, recordings);
      const originals = new Map(all.flatMap((rows) => originalsOf(rows, named(rows))));
      return { ...facts, wanted: named(wanted), left: left && named(left), originals };
    },

    async goneOf(uris) {
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
