/**
 * Jobs and changes, as the owner's page shows them: in one list, each job with the change that it made. Sends no requests to
 * Spotify.
 */
import { isoOf } from '../../base/clock.ts';
import { type ChangeOp, type ChangeSummary, kindFacts } from '../../domain/change.ts';
import { changeWords } from '../../domain/changeWords.ts';
import { type JobRecord, type JobType, unresolvedOf } from '../../domain/job.ts';
import { knownSong } from '../../provider/knownNames.ts';
import type { Store } from '../../store/store.ts';
import { getPlaylistName } from '../../store/tables/playlistNames.ts';
import { getBody, getWork, hasBody, listChanges, undoOf, type Work } from '../../store/tables/works.ts';
import { knownPlaylistName } from '../../tools/playlists/playlistNames.ts';
import type { Services } from '../../tools/tool.ts';
import { changeSummary } from '../../work/write/history.ts';
import type { Core } from '../core.ts';
import { allowedCover, coverSources } from './covers.ts';

/** Maximum number of changes to read, more than are ever kept. */
const ALL_CHANGES = 1_000;
/** Number of songs that an event names. */
const NAMED = 3;

/** Stands in the words of a job or a change for the name of the playlist, in quotation marks. */
export const NAME = '\u0001';

/** The playlist that a job or a change wrote to, or Liked Songs. */
export interface PagePlace {
  /** The last known name; null if there is none, or for Liked Songs. */
  name: string | null;
  /** Address of the page at Spotify; null if there is none, as in the demo. */
  url: string | null;
  /** Address of the cover image; null if none is known, or covers are off. */
  cover: string | null;
}

export interface PageJob extends JobRecord {
  place: PagePlace;
  /** Number of entries for which no song was found for sure. */
  unresolved: number;
}

export interface PageChange extends ChangeSummary {
  /** What the change did, with `NAME` for the playlist. */
  words: string;
  /** True if the change `undone_by` is still being written or waits. */
  beingUndone: boolean;
  /** Names of the first songs that it wrote, as far as relay knows them, and the number of all. */
  songs: { first: string[]; all: number };
}

/** One thing that happened: a job that is over, with the change that it made, or a change without a job. */
export interface PageEvent {
  id: string;
  /** ISO 8601. */
  at: string;
  place: PagePlace;
  job: PageJob | null;
  change: PageChange | null;
}

/** Returns the newest `limit` entries, jobs that are over and changes together. `more` is true if there are older ones. */
export async function pageEvents(
  core: Core,
  services: Services,
  limit: number,
): Promise<{ items: PageEvent[]; more: boolean }> {
  const { store } = services;
  const jobs = services.works.over(limit + 1);
  // A change that belongs to a job is shown with that job, as long as the job is in the list.
  const changes = listChanges(store, 0, ALL_CHANGES).items.filter(({ listed }) => !listed);
  const found = [
    ...jobs.map((job) => {
      const changeId = job.result?.change_id;
      const named = typeof changeId === 'string' ? getWork(store, changeId) : null;
      // Results of earlier versions also name changes that wrote nothing.
      const change = named?.outcome === 'unchanged' ? null : named;
      return { at: Date.parse(job.completed_at ?? job.updated_at), job, change };
    }),
    ...changes.slice(0, limit + 1).map((change) => ({ at: change.createdAt, job: null, change })),
  ].sort((one, other) => other.at - one.at);
  const items = await Promise.all(
    found.slice(0, limit).map(async ({ at, job, change }): Promise<PageEvent> => {
      const id = change?.playlistId ?? (job && playlistOf(job));
      const isOfLibrary = change
        ? kindFacts(change.kind).isOfLibrary === true
        : job !== null && isSaving(job);
      return {
        id: job?.job_id ?? change?.id ?? '',
        at: isoOf(at),
        place: placeOf(core, services, id, isOfLibrary),
        job: job && pageJob(core, services, job),
        change: change && (await pageChange(services, change)),
      };
    }),
  );
  return { items, more: found.length > limit };
}

/** A job as the page shows it. */
export function pageJob(core: Core, services: Services, job: JobRecord): PageJob {
  const place = placeOf(core, services, playlistOf(job), isSaving(job));
  return { ...job, place: { ...place, name: place.name ?? job.name ?? null }, unresolved: unresolvedOf(job) };
}

/** IDs of the playlists that the page mentions although it does not know their names. */
export function unnamedPlaylists(jobs: readonly PageJob[], events: readonly PageEvent[]): string[] {
  const places = [
    ...jobs.map((job) => ({ id: playlistOf(job), place: job.place })),
    ...events.map(({ change, job, place }) => ({
      id: change?.playlist_id ?? (job && playlistOf(job)),
      place,
    })),
  ];
  return [...new Set(places.flatMap(({ id, place }) => (id !== null && place.name === null ? [id] : [])))];
}

async function pageChange(services: Services, work: Work): Promise<PageChange> {
  const { store } = services;
  const summary = changeSummary(store, work);
  return {
    ...summary,
    words: wordsOf(store, summary),
    beingUndone: undoOf(store, work)?.outcome === null,
    songs: kindFacts(work.kind).isListed ? await songsOf(services, work) : { first: [], all: 0 },
  };
}

function wordsOf(store: Store, summary: ChangeSummary): string {
  const undone = summary.undoes === undefined ? null : getWork(store, summary.undoes);
  return changeWords(summary, NAME, undone && wordsOf(store, changeSummary(store, undone)));
}

/** What a change wrote never changes once it is over, and unpacking it takes some milliseconds for a long list. */
const written = new WeakMap<Store, Map<string, { uris: string[]; all: number }>>();

async function songsOf({ store, provider, library }: Services, work: Work): Promise<PageChange['songs']> {
  if (!hasBody(store, work.seq)) return { first: [], all: 0 };
  const known = written.get(store) ?? new Map<string, { uris: string[]; all: number }>();
  written.set(store, known);
  let songs = known.get(work.id);
  if (!songs) {
    const uris = getBody(store, work.seq).ops.flatMap(urisOf);
    songs = { uris: uris.slice(0, NAMED), all: uris.length };
    if (work.outcome !== null) known.set(work.id, songs);
  }
  const copied = await library.trackNames(songs.uris);
  const first = songs.uris.flatMap((uri) => {
    const one = copied.get(uri);
    return (one ? `${one.name} – ${one.artist}` : knownSong(provider, uri)) ?? [];
  });
  return { first, all: first.length === 0 ? 0 : songs.all };
}

function urisOf(op: ChangeOp): readonly string[] {
  return 'uris' in op ? op.uris : [];
}

const SAVING: ReadonlySet<JobType> = new Set(['save_tracks', 'remove_saved_tracks']);

function isSaving({ type }: JobRecord): boolean {
  return SAVING.has(type);
}

function playlistOf({ payload, playlist_id }: JobRecord): string | null {
  return payload.playlist_id ?? playlist_id;
}

/** Where a playlist can be seen. @param id null for the library, if `isOfLibrary`, and for a playlist that is not made yet */
export function placeOf(
  { settings }: Core,
  services: Services,
  id: string | null,
  isOfLibrary: boolean,
): PagePlace {
  const known = id === null ? null : (getPlaylistName(services.store, id)?.cover ?? null);
  const place = {
    name: id === null ? null : knownPlaylistName(services, id),
    cover: allowedCover(coverSources(settings), known),
  };
  // The demo's playlists do not exist at Spotify.
  if (settings.demo || (id === null && !isOfLibrary)) return { ...place, url: null };
  const path = id === null ? 'collection/tracks' : `playlist/${encodeURIComponent(id)}`;
  return { ...place, url: `https://open.spotify.com/${path}` };
}
