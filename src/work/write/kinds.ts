/** The kinds of changes that tools and jobs ask for: what each reads before it writes, and its operations. */

import { chunk, counted } from '../../base/lists.ts';
import type { ChangeKind, ChangeOp, DetailValues } from '../../domain/change.ts';
import { RelayError } from '../../domain/errors.ts';
import { isEpisodeUri } from '../../domain/ids.ts';
import { sameRows, uriOf } from '../../domain/rows.ts';
import type { Item, Playlist } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import { LAG_MS, REMEMBER_MS } from '../../provider/resources/playlistRows.ts';
import { getPlaylist, PLAYLIST_PAGE } from '../../provider/resources/playlists.ts';
import { containsUris } from '../../provider/resources/savedTracks.ts';
import { getBody, type Work } from '../../store/tables/works.ts';
import type { Planning, Waiting } from '../moves.ts';
import { playlistsNamed } from './look.ts';
import { isWritable, planRows, replaceOps, unwritable } from './plan.ts';
import { entryCount, moved, ROWS_PER_REQUEST } from './states.ts';
import { LATEST_EFFECT_MS, waitForEffects, writesWithin } from './times.ts';
import type { WriteRequest } from './writes.ts';

type Request = Omit<WriteRequest, 'askedBy'>;
type Reading = Pick<Planning, 'rows'>;

function request(
  kind: ChangeKind,
  playlistId: string | null,
  requested: number,
  prepare: Request['prepare'],
): Request {
  return { kind, playlistId, requested, prepare };
}

/** Appends rows in order, after reading the first and last rows of the playlist. */
export function addRows({ rows }: Reading, playlistId: string, uris: readonly string[]): Request {
  return request('add', playlistId, uris.length, async (call) => {
    const former = await rows.readTail(playlistId, call);
    return { former: { rows: former }, ops: [{ op: 'append', uris }] };
  });
}

/**
 * Reads all rows of the playlist, and appends the rows that are missing.
 * @param requested how many rows may be missing
 * @param missing returns the rows to append, from the rows that are there
 */
export function addMissing(
  { rows }: Reading,
  playlistId: string,
  requested: number,
  missing: (held: readonly Item[]) => Promise<readonly string[]>,
): Request {
  return request('add', playlistId, requested, async (call) => {
    const items = await rows.readSettled(playlistId, call);
    const uris = await missing(items);
    if (uris.length === 0) return null;
    return { requested: uris.length, former: { rows: items.map(uriOf) }, ops: [{ op: 'append', uris }] };
  });
}

/** Removes every occurrence of each URI that is there. If none is there, there is nothing to do. */
export function removeRows(context: Planning, playlistId: string, uris: readonly string[]): Request {
  return request('remove', playlistId, uris.length, async (call) => {
    const items = await context.rows.readSettled(playlistId, call);
    const shownAs = await shownNames(context, items, uris, call);
    const there = [...new Set(uris)].filter((uri) => shownAs.has(uri));
    if (there.length === 0) return null;
    const original = new Map(items.map((item) => [uriOf(item), item.linked_from]));
    const sent = there.flatMap((uri) => {
      const shown = shownAs.get(uri) ?? uri;
      return [shown, original.get(shown) ?? (isEpisodeUri(shown) ? shown : uri)];
    });
    const notes = { shownAs: Object.fromEntries([...shownAs].filter(([uri, shown]) => uri !== shown)) };
    const former = { rows: items.map(uriOf) };
    return { requested: there.length, former, ops: removals(sent), notes };
  });
}

/**
 * The requests of a removal. Spotify removes a row by the URI that it was added with, but may show another one: naming both does
 * no harm.
 */
function removals(uris: readonly string[]): ChangeOp[] {
  return chunk([...new Set(uris)], ROWS_PER_REQUEST).map((part) => ({ op: 'remove', uris: part }));
}

const TRACK = 'spotify:track:';
/** Maximum number of songs to look up, since the list may show them under another ID. */
const MAX_LOOKED_UP = 5;

/** Maps each of `uris` that is in the list to the URI that the list shows for it. A bare ID may also be an episode's. */
async function shownNames(
  { provider }: Pick<Planning, 'provider'>,
  items: readonly Item[],
  uris: readonly string[],
  call: Call,
): Promise<Map<string, string>> {
  const shown = new Set(items.map(uriOf));
  const found = new Map<string, string>();
  const named = new Map(items.flatMap((item) => (item.linked_from ? [[item.linked_from, uriOf(item)]] : [])));
  const open: string[] = [];
  for (const uri of new Set(uris)) {
    const as = [uri, named.get(uri), uri.replace(TRACK, 'spotify:episode:')].find(
      (one) => one !== undefined && shown.has(one),
    );
    if (as !== undefined) found.set(uri, as);
    else if (uri.startsWith(TRACK)) open.push(uri);
  }
  for (const uri of open.slice(0, MAX_LOOKED_UP)) {
    const track = await findTrack(provider, uri, call).catch(() => null);
    if (track && shown.has(track.uri)) found.set(uri, track.uri);
  }
  return found;
}

/** Rows that work their place. Positions are 0-based and count before the move, as Spotify's do. */
export interface Move {
  start: number;
  length: number;
  before: number;
  snapshot?: string | undefined;
}

/** Moves rows. If they are already in the new place, nothing is done. */
export function moveRows({ rows }: Reading, playlistId: string, move: Move): Request {
  return request('reorder', playlistId, move.length, async (call) => {
    const { start, length, before } = move;
    const former = (await rows.readSettled(playlistId, call)).map(uriOf);
    const isThere = before >= start && before <= start + length;
    if (Math.max(start + length, before) > former.length) throw beyondEnd(former.length);
    if (isThere || isSame(former, move)) return null;
    return { former: { rows: former }, ops: [{ op: 'move', ...move }] };
  });
}

/** True if the rows that are there look the same after the move. */
function isSame(rows: readonly string[], move: Move): boolean {
  const part = rows.slice(Math.min(move.start, move.before), Math.max(move.start + move.length, move.before));
  return !part.includes('') && sameRows(moved(rows, move), rows);
}

function beyondEnd(rows: number): RelayError {
  return new RelayError('INVALID_ARGUMENT', `The playlist has ${counted(rows, 'row')}.`, {
    remedy:
      'range_start plus range_length, and insert_before, may be at most that number. Nothing was changed.',
  });
}

/**
 * Replaces all rows. If they are the same already, there is nothing to do: writing them again would lose their dates.
 * @throws RelayError from `prepare`: `UNSUPPORTED_ITEMS` if the rows could not be restored
 */
export function replaceRows({ rows }: Reading, playlistId: string, uris: readonly string[]): Request {
  return request('replace', playlistId, uris.length, (call) =>
    planSteadily(rows, playlistId, call, (items) => {
      const former = restorableUris(items);
      if (sameRows(former, uris)) return null;
      // A request that changes nothing could not be told from one that had no effect.
      const isBegin = former.length > 0 && sameRows(former, uris.slice(0, former.length));
      const rest = uris.slice(former.length);
      return { former: { rows: former }, ops: isBegin ? [{ op: 'append', uris: rest }] : replaceOps(uris) };
    }),
  );
}

/**
 * The rows that are there and the rows that should be there. If Spotify no longer offers a row, `present` has the URI that the row
 * had before, or '' if that is not known.
 */
interface Revision {
  present: readonly string[];
  wanted: readonly string[];
  /** Maps the URI that the list shows for a row to the different URI that the row was added with. */
  originals: ReadonlyMap<string, string>;
}

/**
 * Revises the rows of a playlist in few requests. Rows that stay keep their dates, unless that takes too many requests.
 * @param decide returns the rows that should be there, from those that are there now; null if there is nothing to do. If it
 * throws, the work ends before anything is stored
 * @throws RelayError from `prepare`: `UNSUPPORTED_ITEMS` if Spotify offers no way to write the rows
 */
export function reviseRows(
  { rows }: Reading,
  kind: 'restore' | 'keep' | 'edit',
  playlistId: string,
  decide: (items: readonly Item[]) => Revision | null | Promise<Revision | null>,
): Request {
  return request(kind, playlistId, 0, (call) =>
    planSteadily(rows, playlistId, call, async (items) => {
      const revision = await decide(items);
      if (revision === null) return null;
      const planned = planRows(revision.present, revision.wanted);
      if (planned === null)
        throw unwritable(revision.wanted, 'Nothing was changed. Remove or move these rows in Spotify.');
      const requested = planned.reduce((sum, op) => sum + entryCount(op), 0);
      const originals = new Map(revision.originals);
      for (const item of items) if (item.linked_from) originals.set(uriOf(item), item.linked_from);
      const ops = planned.flatMap((op) =>
        op.op === 'remove' ? removals(op.uris.flatMap((uri) => [uri, originals.get(uri) ?? uri])) : [op],
      );
      return ops.length === 0 ? null : { requested, former: { rows: revision.present }, ops };
    }),
  );
}

/** Removes repeated rows. @param read returns what the playlist holds, and which of these rows stay */
export function deduplicateRows(
  playlistId: string,
  read: () => Promise<{ former: readonly string[]; kept: readonly string[] }>,
): Request {
  return request('deduplicate', playlistId, 0, async () => {
    const { former, kept } = await read();
    const ops = planRows(former, kept);
    if (ops === null) throw unwritable(former, MOVES_UNWRITABLE);
    const requested = former.length - kept.length;
    return ops.length === 0 ? null : { requested, former: { rows: former }, ops };
  });
}

const MOVES_UNWRITABLE =
  'Nothing was changed. Remove these repeats in Spotify, or one song at a time with remove_tracks_from_playlist.';

/**
 * Makes a new playlist and fills it with rows. The existing playlists of that name are read first, so that a new one can be
 * told apart from them if the answer is lost.
 */
export function makePlaylist(
  context: Pick<Planning, 'provider'>,
  details: DetailValues & { name: string },
  uris: readonly string[],
): Request {
  return request('create', null, uris.length, async (call) => {
    const known = await playlistsNamed(context, details.name, call.account ?? null, call);
    const create: ChangeOp = { op: 'create', details, known: known.map(({ id }) => id) };
    return { former: { rows: [] }, ops: uris.length === 0 ? [create] : [create, { op: 'append', uris }] };
  });
}

/**
 * Sets name, description, public or collaborative; details that are undefined stay as they are.
 * @param check gets the sharing that the playlist would then have; throws if a playlist may not have it
 */
export function changeDetails(
  context: Waiting,
  playlistId: string,
  set: DetailValues,
  check: (sharing: Pick<DetailValues, 'public' | 'collaborative'>) => void = () => {},
): Request {
  const requested = Object.values(set).filter((value) => value !== undefined).length;
  return request('details', playlistId, requested, async (call) => {
    const fields = { ...set, public: true, collaborative: true };
    const read = await readDetails(context, playlistId, fields, call);
    check({
      public: set.public ?? read.public,
      collaborative: set.collaborative ?? read.collaborative,
    });
    const isSet = ([field]: [string, unknown]) => set[field as keyof DetailValues] !== undefined;
    const details = Object.fromEntries(Object.entries(read).filter(isSet));
    // Spotify does not report `public` reliably, so it is always sent.
    const isSame = ([field, value]: [string, unknown]) =>
      value === undefined || (field !== 'public' && details[field] === value);
    // After a lost answer, Spotify may still show the values from before the write.
    const recent = writesWithin(context, playlistId, REMEMBER_MS);
    const isInDoubt = recent.some(({ uncertain, sending }) => uncertain || sending);
    if (!isInDoubt && Object.entries(set).every(isSame)) return null;
    return { former: { details }, ops: [{ op: 'details', set }] };
  });
}

/** Readings of a list that does not stay the same, before it counts as being edited right now. */
const MAX_READINGS = 4;

/**
 * Plans a work from all rows of a playlist. While a long list is read page by page, a person may move a row so that no page has
 * it. So before all rows are replaced, two readings in a row must be equal.
 * @throws RelayError `CONFLICT` if somebody keeps editing the list; the errors of `plan`
 */
export async function planSteadily<T extends { ops: readonly ChangeOp[] }>(
  rows: Planning['rows'],
  playlistId: string,
  call: Call,
  plan: (items: readonly Item[]) => T | null | Promise<T | null>,
): Promise<T | null> {
  let items = await rows.readSettled(playlistId, call);
  for (let readings = 2; ; readings++) {
    const planned = await plan(items);
    const isReplaced = planned?.ops.some(({ op }) => op === 'put') === true;
    if (!isReplaced || items.length <= PLAYLIST_PAGE) return planned;
    const again = await rows.readFresh(playlistId, call);
    if (sameRows(items.map(uriOf), again.map(uriOf))) return planned;
    if (readings > MAX_READINGS)
      throw new RelayError('CONFLICT', 'Somebody is editing the playlist right now. Nothing was changed.', {
        remedy: 'Try again when nobody edits it.',
      });
    items = again;
  }
}

/** Reads the details that `fields` names. What relay itself has set within the last minute counts, since reads may lag. */
export async function readDetails(
  context: Waiting,
  playlistId: string,
  fields: DetailValues,
  call: Call,
): Promise<DetailValues> {
  const { provider, store } = context;
  const details = detailsOf(await getPlaylist(provider, playlistId, call), fields);
  /** By field: the values that relay has found and set, oldest first. If Spotify shows one of them, the last one counts. */
  const own = new Map<string, unknown[]>();
  const recent = writesWithin(context, playlistId, REMEMBER_MS).toReversed();
  for (const { seq, step: reached, uncertain } of recent) {
    // Nobody knows which of its values such a write left, so what is read now counts.
    if (uncertain) own.clear();
    const { former, ops } = getBody(store, seq);
    for (const op of ops.slice(0, reached))
      for (const [field, value] of Object.entries(op.op === 'details' ? op.set : {}))
        if (value !== undefined)
          own.set(field, [...(own.get(field) ?? []), former.details?.[field as keyof DetailValues], value]);
  }
  for (const [field, values] of own)
    if (field in details && values.includes(details[field])) details[field] = values.at(-1);
  return details;
}

/** The details of a playlist that `fields` names, without those that Spotify does not report. */
function detailsOf(playlist: Playlist, fields: DetailValues): Record<string, unknown> {
  const { name, description, public: isPublic, collaborative } = playlist;
  const shown = { name, description: description ?? '', public: isPublic, collaborative };
  const isAsked = ([field, value]: [string, unknown]) =>
    fields[field as keyof DetailValues] !== undefined && value !== null;
  return Object.fromEntries(Object.entries(shown).filter(isAsked));
}

/** Takes a playlist off the account's list; its rows stay. */
export function unfollow(playlistId: string): Request {
  return request('delete', playlistId, 1, async () => ({ former: {}, ops: [{ op: 'unfollow' }] }));
}

/** Saves tracks or albums. First reads which of them are saved, so that an undo can take out the others. */
export function saveTracks(
  context: Waiting,
  uris: readonly string[],
  kind: 'save' | 'save_albums' = 'save',
): Request {
  return request(kind, null, uris.length, async (call) => {
    const saved = [...(await savedOf(context, uris, call))];
    return { former: { saved }, ops: [{ op: 'save', uris }] };
  });
}

/**
 * Removes tracks or albums from the saved ones. If none is saved, there is nothing to do.
 * @param sent `all` also sends the tracks that are not saved. A job needs this, since it counts its items by the requests
 */
export function unsaveTracks(
  context: Waiting,
  uris: readonly string[],
  sent: 'saved' | 'all' = 'saved',
  kind: 'unsave' | 'unsave_albums' = 'unsave',
): Request {
  return request(kind, null, uris.length, async (call) => {
    const held = await savedOf(context, uris, call);
    const saved = [...new Set(uris)].filter((uri) => held.has(uri));
    if (saved.length === 0) return null;
    const ops: ChangeOp[] = [{ op: 'unsave', uris: sent === 'all' ? uris : saved }];
    return { requested: saved.length, former: { saved }, ops };
  });
}

/** Waits until earlier writes to any of these saved tracks whose answers were lost can no longer take effect. */
export async function settleLibrary(context: Waiting, uris: readonly string[], call: Call): Promise<void> {
  const asked = new Set(uris);
  const names = ({ seq }: Work) =>
    getBody(context.store, seq).ops.some((op) => 'uris' in op && op.uris.some((uri) => asked.has(uri)));
  const recent = writesWithin(context, null, LATEST_EFFECT_MS);
  await waitForEffects(context, recent.filter(names), call);
}

/** Those of `uris` that are saved. What relay itself has done within the last minute counts, since reads may lag. */
async function savedOf(context: Waiting, uris: readonly string[], call: Call): Promise<ReadonlySet<string>> {
  const { provider, store } = context;
  await settleLibrary(context, uris, call);
  const distinct = [...new Set(uris)];
  const answers = await containsUris(provider, distinct, { ...call, progress() {} });
  const saved = new Set(distinct.filter((_, index) => answers[index]));
  const asked = new Set(distinct);
  for (const { seq, step: reached } of writesWithin(context, null, LAG_MS).toReversed())
    for (const op of getBody(store, seq).ops.slice(0, reached)) {
      if (op.op !== 'save' && op.op !== 'unsave') continue;
      for (const uri of op.uris) {
        if (!asked.has(uri)) continue;
        if (op.op === 'save') saved.add(uri);
        else saved.delete(uri);
      }
    }
  return saved;
}

/**
 * The URIs to restore a playlist with.
 * @throws RelayError `UNSUPPORTED_ITEMS` naming the rows that could not be written again
 */
export function restorableUris(items: readonly Item[]): string[] {
  const lost = items.filter((item) => item.is_local || !isWritable(uriOf(item)));
  if (lost.length === 0) return items.map(uriOf);
  const what = `${lost.length} of ${items.length} rows are local files or no longer offered by Spotify`;
  throw new RelayError('UNSUPPORTED_ITEMS', `${what}, and could not be restored if this failed.`, {
    remedy:
      'Nothing was changed. Put the songs into a new playlist{ (create_playlist_from_tracks)|}, or remove these rows in Spotify.',
    details: { positions: lost.slice(0, 100).map(({ position }) => position), count: lost.length },
  });
}
