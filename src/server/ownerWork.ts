/** What the owner's calls do with lists, changes and versions: with the functions of the tools, also where those are not offered. */

import { withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { hashOf } from '../base/digest.ts';
import { counted, inParallel } from '../base/lists.ts';
import { visibleText } from '../base/visibleText.ts';
import type { ChangeSummary } from '../domain/change.ts';
import { askerWords, changeWords } from '../domain/changeWords.ts';
import { asRelayError, RelayError, tookTooLong, withPlaylistName } from '../domain/errors.ts';
import { ADDRESS, BARE_ID, parseRef } from '../domain/ids.ts';
import type { JobRecord } from '../domain/job.ts';
import type { ListRow, PlaylistFacts } from '../domain/listExport.ts';
import type { ImportChoices, ImportPreview, ImportTarget } from '../domain/listImport.ts';
import type {
  ChangeEntry,
  ListContent,
  OwnerRestoreAnswer,
  RestoreRequest,
  UndoAnswer,
  UndoRequest,
  VersionContent,
} from '../domain/localApi.ts';
import type { Remedy } from '../domain/remedy.ts';
import type { Media, Playlist } from '../domain/shapes.ts';
import type { PlaylistVersions } from '../domain/versions.ts';
import { calledLike } from '../music/names.ts';
import type { Call } from '../provider/api.ts';
import { getAllMyPlaylists, getPlaylist, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { getSavedTracks } from '../provider/resources/savedTracks.ts';
import { getAccount } from '../store/tables/account.ts';
import { getWork } from '../store/tables/works.ts';
import { askerOf } from '../tools/asker.ts';
import { undo } from '../tools/extras/changeTools.ts';
import { restoreVersion } from '../tools/extras/playlistVersions.ts';
import { knownPlaylistName, playlistNames } from '../tools/playlists/playlistNames.ts';
import type { Services } from '../tools/tool.ts';
import { type ImportPlan, itemsByList, type PlanServices, planImport } from '../work/import/planImport.ts';
import { startImport } from '../work/import/startImport.ts';
import { changeHistory, changeSummary, undoneTogether } from '../work/write/history.ts';

const IF_LATE = 'Try again in a minute.';

/**
 * Lists the versions of a playlist.
 * @param given its ID, URI or link, its name or, if it is gone, the last name that was read
 * @param options.toRestore true if a version is to be restored. Then a call with a name fails if Spotify cannot be asked, since
 *   a stored name may by now belong to another playlist
 */
export async function ownerVersions(
  services: Services,
  given: string,
  { toRestore = false }: { toRestore?: boolean | undefined } = {},
): Promise<PlaylistVersions> {
  const id = await idOf(services, given, toRestore);
  return inTime(services, 'Reading the versions', IF_LATE, (signal) =>
    services.library.versions(id, { signal }),
  );
}

export async function ownerVersion(services: Services, id: string, version: number): Promise<VersionContent> {
  const rows = await services.library.versionRows(id, version);
  if (rows === null) throw new RelayError('NOT_FOUND', `There is no version ${version} of this playlist.`);
  return { items: rows.map((row, position) => ({ position, ...row })) };
}

/** @throws RelayError `CONFLICT` if the restore would not do what was agreed to */
export async function ownerRestore(
  services: Services,
  { id, version, dryRun, name, skipUnsupported, agreed }: RestoreRequest,
  by: string,
): Promise<OwnerRestoreAnswer> {
  const args = {
    playlist_id: { id },
    version,
    dry_run: dryRun,
    skip_unsupported: skipUnsupported,
    ...(name === null ? {} : { name }),
  };
  let plan = '';
  const review = ({ present, wanted }: { present: string[]; wanted: string[] }) => {
    plan = hashOf(JSON.stringify([present, wanted]));
    if (agreed !== undefined && agreed !== plan) throw notAsShown();
  };
  const answer = await inTime(services, 'Restoring', IF_LATE, (signal) =>
    restoreVersion(services, args, { signal, progress() {}, by }, review),
  );
  return { ...answer, plan };
}

function notAsShown(): RelayError {
  const changed = 'The playlist, or what Spotify offers, has changed since.';
  return new RelayError('CONFLICT', 'Restoring would no longer do what was shown, so nothing was changed.', {
    remedy: `${changed} {|To see what it does now, run the same command again|Below is what restoring does now}.`,
  });
}

async function idOf(services: Services, given: string, toRestore: boolean): Promise<string> {
  let unread: unknown = null;
  if (ADDRESS.test(given)) {
    try {
      return parseRef(given, ['playlist']).id;
    } catch (thrown) {
      // It may still be a name, such as "Spotify: the best".
      unread = thrown;
    }
  }
  const versioned = await services.library.versionedPlaylists();
  const isId = (one: { id: string }) => one.id === given;
  if (versioned.some(isId)) return given;
  const listed = await (toRestore ? ownerPlaylists(services) : listedNow(services));
  const here = new Set(listed.map(({ id }) => id));
  // A playlist that is in the library goes by its name there, not by the name it had when a version was read.
  const all = [...listed, ...versioned.filter(({ id }) => !here.has(id))];
  const found = all.some(isId) ? all.filter(isId) : calledLike(all, given);
  const [first, other] = found;
  if (!first) {
    if (unread !== null) throw unread;
    if (BARE_ID.test(given)) return given;
    throw new RelayError('NOT_FOUND', `No playlist called "${given}" has a version.`, {
      remedy: { text: '{command} lists the playlists in your library.', command: ['playlists'] },
    });
  }
  if (!other) return first.id;
  throw new RelayError('USAGE', `${counted(found.length, 'playlist')} are or were called "${given}".`, {
    remedy: `Give the ID instead: ${found.map((one) => one.id).join(' or ')}.`,
  });
}

/** The playlists of the library; none if Spotify cannot be asked, since stored versions can be shown all the same. */
async function listedNow(services: Services): Promise<Array<{ id: string; name: string }>> {
  try {
    return await ownerPlaylists(services);
  } catch (thrown) {
    if (asRelayError(thrown).code === 'INTERNAL') throw thrown;
    return [];
  }
}

/** Time limit of an undo: the same as for a tool, and below the 60 s that the command line waits. */
const UNDO_MS = 45_000;

export async function ownerHistory(
  services: Services,
  limit: number,
  by?: string,
): Promise<{ items: ChangeEntry[]; total: number }> {
  const { items, total } = changeHistory(services, 0, limit, by);
  return { items: await withNames(services, items), total };
}

async function withNames(services: Services, items: readonly ChangeSummary[]): Promise<ChangeEntry[]> {
  const ids = items.flatMap(({ playlist_id }) => playlist_id ?? []);
  const names = await playlistNames(services, ids);
  return items.map((item) => changeEntry(services, item, names));
}

/** Describes a change as a person sees it. Sends no requests. */
function changeEntry(
  { store }: Pick<Services, 'store'>,
  change: ChangeSummary,
  names: ReadonlyMap<string, string>,
): ChangeEntry {
  const name = change.playlist_id === null ? undefined : names.get(change.playlist_id);
  const shown = name === undefined ? null : visibleText(name, MAX_NAME);
  const wordsOf = (summary: ChangeSummary): string => {
    const undone = summary.undoes === undefined ? null : getWork(store, summary.undoes);
    return changeWords(summary, shown, undone && wordsOf(changeSummary(store, undone)));
  };
  const undo = change.undone_by === undefined ? null : getWork(store, change.undone_by);
  return {
    ...change,
    ...(undo?.outcome === null ? { being_undone: true } : {}),
    ...(name === undefined ? {} : { playlist_name: name }),
    what: wordsOf(change),
    who: askerWords(change.asked_by),
  };
}

const MAX_NAME = 60;

/** Without a change ID, undoes the latest change that is neither undone nor an undo itself. @throws RelayError as the tool does */
export async function ownerUndo(services: Services, request: UndoRequest, by: string): Promise<UndoAnswer> {
  const { together = request.change === null, force, dryRun: dry_run } = request;
  const [change] = undoneTogether(services, request.change ?? undefined, together, request.by);
  // Makes the playlist's name known, since the summary of the undo shows it.
  if (change.playlistId !== null) await playlistNames(services, [change.playlistId]);
  const args = { change_id: change.id, together, force, dry_run };
  const remedy = { text: 'Check with {command} whether it was begun, then try again.', command: ['history'] };
  const work = (signal: AbortSignal) => undo(services, args, { signal, progress() {}, by });
  try {
    const answer = await inTime(services, 'Undoing', remedy, work, UNDO_MS);
    const done = answer as unknown as UndoAnswer;
    if (!request.dryRun) return done;
    const [entry] = await withNames(services, [changeSummary(services.store, change)]);
    return { ...done, ...(entry ? { change: entry } : {}) };
  } catch (error) {
    throw error instanceof RelayError ? withWords(services, change.playlistId, error) : error;
  }
}

function withWords(services: Services, playlistId: string | null, error: RelayError): RelayError {
  const name = playlistId === null ? null : knownPlaylistName(services, playlistId);
  return error.with({ message: withPlaylistName(error.message, playlistId, name ?? undefined) });
}

/** Maximum number of requests for one answer of `ownerSavedRows`. */
const PAGES = 8;

export async function ownerPreview(services: PlanServices, list: ListContent): Promise<ImportPreview> {
  return (await planOf(services, list)).preview;
}

/**
 * Makes jobs from a list, as `startImport` does. `each` names playlists of the file, or is `all` for all of them. With it, makes
 * jobs for each of these playlists instead, and their target is a new playlist with the same name.
 * @throws RelayError `INVALID_ARGUMENT` if the file has no such playlist; then no job was made
 */
export async function ownerImport(
  services: Services,
  request: ListContent &
    ImportChoices & { target: ImportTarget; each?: readonly string[] | 'all' | undefined },
  by: string,
): Promise<{ preview: ImportPreview; jobs: JobRecord[] }> {
  const { each: asked, ...one } = request;
  const plan = await planOf(services, one);
  const askedBy = askerOf(services, { by });
  if (!asked)
    return {
      preview: plan.preview,
      jobs: await startImport(services.works, plan, one.target, one, { askedBy }),
    };
  const lists = itemsByList(plan);
  if (asked === 'all' && lists.size > MAX_EACH) throw tooManyLists(lists.size);
  const each = asked === 'all' ? [...lists.keys()] : asked;
  // A missing playlist is reported before the first job is created.
  const missing = each.find((list) => !lists.has(list));
  if (missing !== undefined)
    throw new RelayError('INVALID_ARGUMENT', `The file has no playlist "${missing}".`);
  const jobs: JobRecord[] = [];
  for (const name of each) {
    const items = lists.get(name) ?? [];
    jobs.push(
      ...(await startImport(services.works, { items }, { kind: 'new', name }, one, {
        askedBy,
        batch: jobs[0]?.job_id,
      })),
    );
  }
  return { preview: plan.preview, jobs };
}

/** Maximum number of playlists in a file from which `all` makes playlists. */
const MAX_EACH = 1_000;

function tooManyLists(count: number): RelayError {
  return new RelayError(
    'INVALID_ARGUMENT',
    `The file has ${count} playlists; at most ${MAX_EACH} can be imported at once.`,
    { remedy: 'Choose one of them, or split the file.' },
  );
}

function planOf(services: PlanServices, { content, ...options }: ListContent): Promise<ImportPlan> {
  return planImport(services, Buffer.from(content, 'base64'), options);
}

export async function ownerPlaylists(services: Services): Promise<PlaylistFacts[]> {
  const { items } = await reading(services, (call) =>
    getAllMyPlaylists(services.provider, Number.MAX_SAFE_INTEGER, call),
  );
  return items.map((playlist) => factsOf(services, playlist));
}

/** Facts about a playlist. @throws RelayError `INVALID_ARGUMENT` if `given` is not an ID, URI or link of a playlist */
export async function ownerPlaylist(services: Services, given: string): Promise<PlaylistFacts> {
  const { id } = parseRef(given, ['playlist']);
  return factsOf(services, await reading(services, (call) => getPlaylist(services.provider, id, call)));
}

export async function ownerPlaylistRows(
  services: Services,
  given: string,
): Promise<{ playlist: PlaylistFacts; rows: ListRow[] }> {
  const { id } = parseRef(given, ['playlist']);
  const { playlist, items } = await reading(services, (call) => services.rows.read(id, call));
  return {
    playlist: factsOf(services, playlist),
    rows: items.map(({ item, added_at }) => ({ ...mediaRow(item), added_at })),
  };
}

/**
 * Saved tracks from `offset` on, newest first. `next` is the offset to continue at; null at the end.
 * @param expected the total of the reading so far
 * @throws RelayError `CONFLICT` if the total has changed: the rows below have moved, and one may be missing or there twice
 */
export async function ownerSavedRows(
  services: Services,
  offset: number,
  expected?: number,
): Promise<{ rows: ListRow[]; total: number; next: number | null }> {
  return reading(services, async (call) => {
    const page = (at: number) =>
      getSavedTracks(services.provider, { limit: PLAYLIST_PAGE, offset: at }, call);
    const first = await page(offset);
    const end = Math.min(first.total, offset + PAGES * PLAYLIST_PAGE);
    const starts: number[] = [];
    for (let at = offset + PLAYLIST_PAGE; at < end; at += PLAYLIST_PAGE) starts.push(at);
    const pages = [first, ...(await inParallel(starts, PAGES, page))];
    if (pages.some(({ total }) => total !== (expected ?? first.total))) throw savedChanged();
    const rows = pages.flatMap(({ items }) =>
      items.map(({ track, added_at }) => ({ ...mediaRow(track), added_at })),
    );
    return { rows, total: first.total, next: end < first.total ? end : null };
  });
}

function savedChanged(): RelayError {
  return new RelayError('CONFLICT', 'Liked Songs kept changing while relay was reading.', {
    remedy: 'Try again in a minute.',
  });
}

function reading<T>(services: Services, work: (call: Call) => Promise<T>): Promise<T> {
  const text = 'Check with {command} whether a limit applies, then try again.';
  const remedy = { text, command: ['status'] };
  return inTime(services, 'Spotify', remedy, (signal) => work({ signal, progress() {} }));
}

/** Since 2026, Spotify gives the rows of a playlist only to its owner and to people who may change it. */
function factsOf(
  { store }: Services,
  { id, name, total_items, owner, collaborative }: Playlist,
): PlaylistFacts {
  const readable = owner.id === getAccount(store)?.providerUserId || collaborative === true;
  return { id, name, rows: total_items, owner: owner.name ?? owner.id ?? '', readable };
}

function mediaRow(item: Media | null): Omit<ListRow, 'added_at'> {
  if (!item) return { title: '', artists: [], album: null, duration_ms: null, uri: null, isrc: null };
  const { name: title, duration_ms, uri } = item;
  if (item.type === 'episode') {
    const show = item.show.name === null ? [] : [item.show.name];
    return { title, artists: show, album: null, duration_ms, uri, isrc: null };
  }
  const artists = item.artists.map(({ name }) => name);
  return { title, artists, album: item.album.name, duration_ms, uri, isrc: item.isrc };
}

/** Time limit of a call: below the 60 s after which the command line gives up on a silent server. */
const ASK_MS = 50_000;

/** @param what the subject of the error's sentence, such as `The question`. @throws RelayError `DEADLINE_EXCEEDED` */
export function inTime<T>(
  { clock }: { clock: Clock },
  what: string,
  remedy: string | Remedy,
  work: (signal: AbortSignal) => Promise<T>,
  ms = ASK_MS,
): Promise<T> {
  return withDeadline({ clock, ms, late: tookTooLong(what, ms, remedy) }, work);
}
