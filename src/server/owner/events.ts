/**
 * Recent jobs and changes, as the owner's page shows them: in one list, each job with the change that it made. Sends no requests
 * to Spotify.
 */
import { isoOf } from '../../base/clock.ts';
import { capital } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { kindFacts } from '../../domain/change.ts';
import { jobWords } from '../../domain/changeWords.ts';
import { withPlaylistName } from '../../domain/errors.ts';
import { type JobErrorRecord, type JobRecord, type JobType, unresolvedOf } from '../../domain/job.ts';
import type { PageEvent, PageEvents, PageJob, PagePlace } from '../../domain/ownerPage.ts';
import { commandStyleOf, pageText } from '../../domain/remedy.ts';
import { getPlaylistName } from '../../store/tables/playlistNames.ts';
import { getWork, listChanges, type Work } from '../../store/tables/works.ts';
import { knownPlaylistName, knownPlaylistNames } from '../../tools/playlists/playlistNames.ts';
import type { Services } from '../../tools/tool.ts';
import { changeSummary } from '../../work/write/history.ts';
import type { Core } from '../core.ts';
import { changeEntry } from '../ownerChanges.ts';
import { allowedCover, coverSources } from './covers.ts';

/** Maximum number of changes to read, more than are ever kept. */
const ALL_CHANGES = 1_000;

/** IDs of playlists that `jobs` and `events` mention and whose name is not known. */
export function unnamedPlaylists(
  services: Services,
  jobs: readonly JobRecord[],
  { items }: PageEvents,
): string[] {
  const shown = [...jobs.map(playlistOf), ...items.map(({ change }) => change?.playlist_id ?? null)].filter(
    (id) => id !== null,
  );
  return [...new Set(shown)].filter((id) => knownPlaylistName(services, id) === null);
}

/** Returns the newest `limit` entries, jobs that are over and changes together. `more` is true if there are older ones. */
export function ownerEvents(core: Core, services: Services, limit: number): PageEvents {
  const { store } = services;
  const jobs = services.works.over(limit + 1);
  // A change that belongs to a job is shown with that job, as long as the job is in the list.
  const changes = listChanges(store, 0, ALL_CHANGES).items.filter(({ listed }) => !listed);
  const found: Found[] = [
    ...jobs.map((job) => {
      const changeId = job.result?.change_id;
      const named = typeof changeId === 'string' ? getWork(store, changeId) : null;
      // Results of earlier versions also name changes that wrote nothing.
      const change = named?.outcome === 'unchanged' ? null : named;
      return { at: Date.parse(job.completed_at ?? job.updated_at), job, change };
    }),
    ...changes.slice(0, limit + 1).map((change) => ({ at: change.createdAt, job: null, change })),
  ].sort((one, other) => other.at - one.at);
  const shown = found.slice(0, limit);
  const ids = shown.flatMap(({ job, change }) => [job && playlistOf(job), change?.playlistId ?? null]);
  const names = namesFor(services, ids);
  return { items: shown.map((one) => eventOf(core, services, one, names)), more: found.length > limit };
}

/** Jobs as the page shows them. */
export function pageJobs(core: Core, services: Services, jobs: readonly JobRecord[]): PageJob[] {
  const names = namesFor(services, jobs.map(playlistOf));
  return jobs.map((job) => jobOf(core, job, names));
}

interface Found {
  /** Time of the event, in Unix milliseconds. */
  at: number;
  job: JobRecord | null;
  change: Work | null;
}

function namesFor(services: Services, ids: ReadonlyArray<string | null>): Map<string, string> {
  return knownPlaylistNames(
    services,
    ids.filter((id) => id !== null),
  );
}

function eventOf(
  core: Core,
  services: Services,
  { at, job, change }: Found,
  names: ReadonlyMap<string, string>,
): PageEvent {
  const playlist = change?.playlistId ?? (job && playlistOf(job));
  const isLibrary =
    change === null ? job !== null && SAVING.has(job.type) : kindFacts(change.kind).isOfLibrary === true;
  return {
    id: job?.job_id ?? change?.id ?? '',
    at: isoOf(at),
    place: placeOf(core, playlist, isLibrary),
    job: job && jobOf(core, job, names),
    change: change && changeEntry(services, changeSummary(services.store, change), names),
  };
}

const SAVING: ReadonlySet<JobType> = new Set(['save_tracks', 'remove_saved_tracks']);

function playlistOf({ payload, playlist_id }: JobRecord): string | null {
  return payload.playlist_id ?? playlist_id;
}

function placeOf({ settings, store }: Core, playlist: string | null, isLibrary: boolean): PagePlace {
  const known = playlist === null ? null : (getPlaylistName(store, playlist)?.cover ?? null);
  const cover = allowedCover(coverSources(settings), known);
  // The demo's playlists do not exist at Spotify.
  if (settings.demo || (playlist === null && !isLibrary)) return { url: null, cover };
  const path = playlist === null ? 'collection/tracks' : `playlist/${playlist}`;
  return { url: `https://open.spotify.com/${path}`, cover };
}

function jobOf(core: Core, job: JobRecord, names: ReadonlyMap<string, string>): PageJob {
  const { error } = job;
  const name = nameOf(job, names);
  return {
    id: job.job_id,
    title: titleOf(job, name),
    place: placeOf(core, playlistOf(job), SAVING.has(job.type)),
    status: job.status,
    phase: job.phase,
    total: job.total_items,
    pending: job.pending,
    resolved: job.resolved,
    unresolved: unresolvedOf(job),
    skipped: job.skipped + job.skipped_existing,
    written: job.written,
    toWrite: job.resolved - job.skipped_existing,
    strict: job.payload.strict,
    dryRun: job.payload.dry_run,
    reviewRequired: job.review_required,
    runAfter: job.run_after,
    reason: job.reason,
    error: error && {
      message: visibleText(withPlaylistName(error.message, playlistOf(job), name), 600),
      remedy: remedyOf(core, job, error),
    },
    createdAt: job.created_at,
    updatedAt: job.updated_at,
  };
}

/** The name of the job's playlist, if it is known. */
function nameOf(job: JobRecord, names: ReadonlyMap<string, string>): string | undefined {
  const id = playlistOf(job);
  return (id === null ? undefined : names.get(id)) ?? job.name;
}

function titleOf(job: JobRecord, name: string | undefined): string {
  const shown = name ?? playlistOf(job);
  return capital(jobWords(job.type, shown === null ? 'a playlist' : `“${visibleText(shown, 100)}”`));
}

/** What the buttons of a job in review do. */
const DECIDE =
  '“As asked” writes over what others changed, “Keep it” writes nothing, “As it was” brings back what was there before.';

/** What differs in a playlist that someone else changed, at most ten songs for each side. */
function differences(result: JobRecord['result']): string[] {
  const side = (what: string, songs: unknown) =>
    Array.isArray(songs) && songs.length > 0 ? [`${what}: ${songs.join('; ')}.`] : [];
  return [...side('Missing', result?.missing), ...side('More than relay left there', result?.extra)];
}

function remedyOf({ settings }: Core, job: JobRecord, { remedy, fix }: JobErrorRecord): string | null {
  const told = fix === undefined ? remedy : pageText(fix, commandStyleOf(settings));
  const text = job.review_required ? [...differences(job.result), DECIDE].join(' ') : told;
  return text === undefined ? null : visibleText(text, 1_500);
}
