/** Reads and imports lists for the owner: `relay import`, `relay export`, `relay playlists` and the page. */
import { inParallel } from '../base/lists.ts';
import { RelayError } from '../domain/errors.ts';
import { parseRef } from '../domain/ids.ts';
import type { JobRecord } from '../domain/job.ts';
import type { ListRow, PlaylistFacts } from '../domain/listExport.ts';
import type { ImportChoices, ImportPreview, ImportTarget } from '../domain/listImport.ts';
import type { ListContent } from '../domain/localApi.ts';
import type { Media, Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { getAllMyPlaylists, getPlaylist, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { getSavedTracks } from '../provider/resources/savedTracks.ts';
import { getAccount } from '../store/tables/account.ts';
import { askerOf } from '../tools/asker.ts';
import type { Services } from '../tools/tool.ts';
import { type ImportPlan, itemsByList, type PlanServices, planImport } from '../work/import/planImport.ts';
import { startImport } from '../work/import/startImport.ts';
import { inTime } from './inTime.ts';

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

/**
 * Facts about a playlist. Since 2026, Spotify gives the rows of a playlist only to its owner and to people who may change it.
 */
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
