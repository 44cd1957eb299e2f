/** The kinds of changes that tools and jobs ask for: what each reads before it writes, and its operations. */
import { chunk } from '../base/lists.ts';
import type { ChangeOp, DetailValues } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import { uriOf } from '../domain/rows.ts';
import type { Item, Playlist } from '../domain/shapes.ts';
import { type PlaylistRequest, planDeduplicate } from '../music/deduplication.ts';
import type { Call } from '../provider/api.ts';
import { USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { getPlaylist, getPlaylistItems, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { containsUris } from '../provider/resources/savedTracks.ts';
import { getAccount } from '../store/tables/account.ts';
import { changesSince, getChangeBody } from '../store/tables/changes.ts';
import type { ChangeRequest } from './changes.ts';
import { playlistsNamed } from './look.ts';
import { knownAdditions, noteSaved, settleLibrary } from './newlySaved.ts';
import { isWritable, replaceOps } from './planRows.ts';
import type { ChangeContext, Reading } from './record.ts';
import { ROWS_PER_REQUEST, writtenUris } from './rowOps.ts';
import { LATEST_EFFECT_MS, lately, waitForEffects } from './times.ts';

type Request = Omit<ChangeRequest, 'askedBy'>;

/**
 * Appends rows in order. How many rows there are is read first only where the same rows were just added, or are added twice
 * in a row: the last rows do not tell then whether an addition whose answer is lost has taken effect.
 */
export function addRows(reading: Reading, playlistId: string, uris: readonly string[]): Request {
  const counted = addRowsCounted(reading, playlistId, uris);
  return {
    ...counted,
    async prepare(call) {
      if (hasEqualRequests(uris) || justAdded(reading, playlistId, uris)) return counted.prepare(call);
      return { former: {}, ops: [{ op: 'append', uris }] };
    },
  };
}

/** Rows younger than this may be taken for those of a change whose answer is lost; more than the engine takes for young. */
const YOUNG_MS = 180_000;

/** True if two requests one after the other hold the same rows. */
function hasEqualRequests(uris: readonly string[]): boolean {
  const parts = chunk(uris, ROWS_PER_REQUEST).map((part) => part.join());
  return parts.some((part, index) => part === parts[index + 1]);
}

function justAdded(reading: Reading, playlistId: string, uris: readonly string[]): boolean {
  const ours = new Set(uris);
  return changesSince(reading.store, playlistId, lately(reading, YOUNG_MS)).some(({ seq }) => {
    const { ops, leg } = getChangeBody(reading.store, seq);
    return [...writtenUris([...ops, ...(leg?.ops ?? [])])].some((uri) => ours.has(uri));
  });
}

/** The same for a job, which may go on after days: how many rows there are is read first. */
export function addRowsCounted(
  { provider, rows }: Reading,
  playlistId: string,
  uris: readonly string[],
): Request {
  return {
    kind: 'add',
    playlistId,
    requested: uris.length,
    async prepare(call) {
      const settled = await rows.settle(playlistId, call);
      const page = { limit: PLAYLIST_PAGE, offset: 0 };
      // The number that a page tells lags longer than the rows.
      const { items, total } = settled
        ? { items: settled.slice(0, PLAYLIST_PAGE), total: settled.length }
        : await getPlaylistItems(provider, playlistId, page, call);
      const isWhole = total === items.length;
      const former = isWhole ? { rows: items.map(uriOf) } : { total };
      return { former, ops: [{ op: 'append', uris }] };
    },
  };
}

/** Removes every occurrence of each URI that is there; nothing to do if none is. */
export function removeRows({ rows }: Reading, playlistId: string, uris: readonly string[]): Request {
  return {
    kind: 'remove',
    playlistId,
    requested: uris.length,
    async prepare(call) {
      const former = (await rows.readForChange(playlistId, call)).map(uriOf);
      const present = new Set(former);
      const there = [...new Set(uris)].filter((uri) => present.has(uri));
      if (there.length === 0) return null;
      const ops = chunk(there, ROWS_PER_REQUEST).map((part) => ({ op: 'remove' as const, uris: part }));
      return { requested: there.length, former: { rows: former }, ops };
    },
  };
}

/** Rows that change their place. Positions are 0-based and count before the move, as Spotify's do. */
export interface Move {
  start: number;
  length: number;
  before: number;
  snapshot?: string | undefined;
}

/** Moves rows; what was there is noted only where relay knows it without reading. */
export function moveRows({ rows }: Reading, playlistId: string, move: Move): Request {
  return {
    kind: 'reorder',
    playlistId,
    requested: move.length,
    async prepare() {
      const known = rows.known(playlistId);
      return { former: known ? { rows: known } : {}, ops: [{ op: 'move', ...move }] };
    },
  };
}

/**
 * Replaces all rows.
 * @throws RelayError of `prepare`: `UNSUPPORTED_ITEMS` if the rows could not be restored
 */
export function replaceRows({ rows }: Reading, playlistId: string, uris: readonly string[]): Request {
  return {
    kind: 'replace',
    playlistId,
    requested: uris.length,
    async prepare(call) {
      const former = restorableUris(await rows.readForChange(playlistId, call));
      return { former: { rows: former }, ops: replaceOps(uris) };
    },
  };
}

/**
 * Removes repeated rows; the first of each stays.
 * @param read returns what the playlist holds. Called in the change's turn, so nothing else of relay writes meanwhile
 */
export function deduplicateRows(
  playlistId: string,
  read: (call: Call) => Promise<readonly string[]>,
): Request {
  return {
    kind: 'deduplicate',
    playlistId,
    requested: 0,
    async prepare(call) {
      const former = await read(call);
      const ops = deduplicateOps(former);
      const requested = former.length - new Set(former).size;
      return ops.length === 0 ? null : { requested, former: { rows: former }, ops };
    },
  };
}

/** The operations that leave the first occurrence of each URI. */
export function deduplicateOps(uris: readonly string[]): ChangeOp[] {
  const ops = planDeduplicate(uris).requests.map(opOf);
  const first = ops.findIndex(({ op }) => op === 'append');
  if (first < 0) return ops;
  // One operation for all appended rows: it is cut into requests when it is sent.
  const appended = ops.slice(first).flatMap((op) => ('uris' in op ? op.uris : []));
  return [...ops.slice(0, first), { op: 'append', uris: appended }];
}

function opOf(request: PlaylistRequest): ChangeOp {
  switch (request.kind) {
    case 'delete':
      return { op: 'remove', uris: request.uris };
    case 'insert':
      return { op: 'insert', uris: request.uris, at: request.position };
    case 'replace':
      return { op: 'put', uris: request.uris };
    case 'append':
      return { op: 'append', uris: request.uris };
  }
}

/**
 * A new playlist, filled with rows.
 * @param careful reads which playlists of the name there are, so that one whose answer was lost is found for certain
 */
export function makePlaylist(
  reading: Reading,
  details: DetailValues & { name: string },
  uris: readonly string[],
  careful: boolean,
): Request {
  return {
    kind: 'create',
    playlistId: null,
    requested: uris.length,
    async prepare(call) {
      const account = getAccount(reading.store)?.providerUserId ?? null;
      const named = careful ? await playlistsNamed(reading, details.name, account, call) : null;
      const known = named?.map(({ id }) => id) ?? null;
      const create: ChangeOp = { op: 'create', details, known };
      return {
        former: { rows: [] },
        ops: uris.length === 0 ? [create] : [create, { op: 'append', uris }],
      };
    },
  };
}

/** Name, description, public or collaborative; those that are undefined stay as they are. */
export function changeDetails(
  context: Pick<ChangeContext, 'provider' | 'store' | 'clock'>,
  playlistId: string,
  set: DetailValues,
): Request {
  return {
    kind: 'details',
    playlistId,
    requested: Object.values(set).filter((value) => value !== undefined).length,
    async prepare(call) {
      await settleDetails(context, playlistId, call);
      const details = detailsOf(await getPlaylist(context.provider, playlistId, call), set);
      return { former: { details }, ops: [{ op: 'details', set }] };
    },
  };
}

/** Waits until details whose answer was lost have been set for the last time: they would replace those that come now. */
export async function settleDetails(
  context: Pick<ChangeContext, 'provider' | 'store' | 'clock'>,
  playlistId: string,
  call: Call,
): Promise<void> {
  const { store } = context;
  const changes = changesSince(store, playlistId, lately(context, LATEST_EFFECT_MS)).filter(({ seq }) =>
    getChangeBody(store, seq).ops.some(({ op }) => op === 'details'),
  );
  await waitForEffects(context, changes, 0, call);
}

/** Those of a playlist's details that `fields` names, as far as Spotify tells them. */
export function detailsOf(
  { name, description, public: isPublic, collaborative }: Playlist,
  fields: DetailValues,
): DetailValues {
  return {
    ...(fields.name === undefined ? {} : { name }),
    ...(fields.description === undefined ? {} : { description: description ?? '' }),
    ...(fields.public === undefined || isPublic === null ? {} : { public: isPublic }),
    ...(fields.collaborative === undefined || collaborative === null ? {} : { collaborative }),
  };
}

/** Takes a playlist off the account's list; its rows stay. */
export function unfollow(playlistId: string): Request {
  return {
    kind: 'delete',
    playlistId,
    requested: 1,
    prepare: async () => ({ former: {}, ops: [{ op: 'unfollow' }] }),
  };
}

/** Which of them were saved before is read where they are taken back: Spotify keeps the time of each. */
export function saveTracks(
  context: Pick<ChangeContext, 'provider' | 'store' | 'clock'>,
  uris: readonly string[],
): Request {
  return {
    kind: 'save',
    playlistId: null,
    requested: uris.length,
    async prepare(call) {
      await settleLibrary(context, uris, 0, call);
      return { former: { added: knownAdditions(context, uris) }, ops: [{ op: 'save', uris }] };
    },
  };
}

/**
 * Removes those tracks that are saved; nothing to do if none is. That is read first: nothing tells it afterwards.
 * @param sent `all` where the caller counts its own entries by the requests, as a job does
 */
export function unsaveTracks(
  { provider, store, clock }: Pick<ChangeContext, 'provider' | 'store' | 'clock'>,
  uris: readonly string[],
  sent: 'saved' | 'all' = 'saved',
): Request {
  return {
    kind: 'unsave',
    playlistId: null,
    requested: uris.length,
    async prepare(call) {
      const distinct = [...new Set(uris)];
      await settleLibrary({ provider, store, clock }, distinct, USUAL_LAG_MS, call);
      const answers = await containsUris(provider, distinct, { ...call, progress() {} });
      const saved = distinct.filter((_, index) => answers[index]);
      if (saved.length === 0) return null;
      await noteSaved({ provider, store }, saved, call);
      if (sent === 'all') return { former: { saved }, ops: [{ op: 'unsave', uris }] };
      return { requested: saved.length, former: { saved }, ops: [{ op: 'unsave', uris: saved }] };
    },
  };
}

/**
 * The URIs to restore a playlist with.
 * @throws RelayError `UNSUPPORTED_ITEMS` naming the rows that could not be written again
 */
export function restorableUris(items: readonly Item[]): string[] {
  const lost = items.filter((item) => item.is_local || !isWritable(uriOf(item)));
  if (lost.length > 0) {
    const positions = lost.map((item) => item.position);
    throw new RelayError(
      'UNSUPPORTED_ITEMS',
      `${lost.length} of ${items.length} rows are local files or no longer offered by Spotify, and could not be restored if this failed.`,
      {
        remedy:
          'Nothing was changed. Use a new playlist (create_playlist_from_tracks), or remove these rows in Spotify.',
        details: { positions: positions.slice(0, 100), count: lost.length },
      },
    );
  }
  return items.map(uriOf);
}
