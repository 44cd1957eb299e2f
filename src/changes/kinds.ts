/** The kinds of changes that tools and jobs ask for: what each reads before it writes, and its operations. */

import { chunk, counted } from '../base/lists.ts';
import type { ChangeOp, DetailValues } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import { isEpisodeUri } from '../domain/ids.ts';
import { sameRows, uriOf } from '../domain/rows.ts';
import type { Item, Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { REMEMBER_MS, USUAL_LAG_MS } from '../provider/resources/playlistRows.ts';
import { getPlaylist, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { type ChangeBody, changesSince, getChangeBody, getChangeBySeq } from '../store/tables/changes.ts';
import type { ChangeRequest } from './changes.ts';
import { playlistsNamed } from './look.ts';
import { heldOf, lookedUpAdditions, noteSaved, settleLibrary } from './newlySaved.ts';
import { isWritable, planRows, replaceOps, unwritable } from './planRows.ts';
import type { Planning, Waiting } from './record.ts';
import { shownNames } from './relinks.ts';
import { entryCount, ROWS_PER_REQUEST } from './rowOps.ts';
import { ageOf, LATEST_EFFECT_MS, waitForEffects, withinLast } from './times.ts';

type Request = Omit<ChangeRequest, 'askedBy'>;

/** Appends rows in order, after reading the first and last rows of the playlist. */
export function addRows(
  { rows, ...reading }: Planning,
  playlistId: string,
  uris: readonly string[],
): Request {
  return {
    kind: 'add',
    playlistId,
    requested: uris.length,
    async prepare(call) {
      await settleTarget(reading, playlistId, call);
      const former = await rows.readPart(playlistId, 'end', call);
      return { former: { rows: former }, ops: [{ op: 'append', uris }] };
    },
  };
}

/**
 * Reads all rows of the playlist, and appends the rows that are missing.
 * @param requested how many rows may be missing
 * @param missing returns the rows to append, from the rows that are there
 */
export function addMissing(
  context: Planning,
  playlistId: string,
  requested: number,
  missing: (held: readonly Item[]) => Promise<readonly string[]>,
): Request {
  return {
    kind: 'add',
    playlistId,
    requested,
    async prepare(call) {
      await settleTarget(context, playlistId, call);
      const items = await context.rows.readForChange(playlistId, call);
      const uris = await missing(items);
      if (uris.length === 0) return null;
      return { requested: uris.length, former: { rows: items.map(uriOf) }, ops: [{ op: 'append', uris }] };
    },
  };
}

/** Removes every occurrence of each URI that is there. If none is there, there is nothing to do. */
export function removeRows(context: Planning, playlistId: string, uris: readonly string[]): Request {
  return {
    kind: 'remove',
    playlistId,
    requested: uris.length,
    async prepare(call) {
      await settleTarget(context, playlistId, call);
      let items = await context.rows.readForChange(playlistId, call);
      const names = new Set(items.map(uriOf));
      // A row that moves while the pages are read may be missing from all of them.
      if (items.length > PLAYLIST_PAGE && !uris.every((uri) => names.has(uri)))
        items = await context.rows.readTwice(playlistId, call);
      const shownAs = await shownNames(context, items, uris, call);
      const there = [...new Set(uris)].filter((uri) => shownAs.has(uri));
      if (there.length === 0) return null;
      // Spotify removes a row by the URI that it was added with, but may show another one. Sending both does no harm. An episode is
      // the exception: if it was given by its ID alone, `uri` names a track that does not exist.
      const original = new Map(items.map((item) => [uriOf(item), item.linked_from]));
      const sent = there.flatMap((uri) => {
        const shown = shownAs.get(uri) ?? uri;
        return [shown, original.get(shown) ?? (isEpisodeUri(shown) ? shown : uri)];
      });
      const ops = chunk([...new Set(sent)], ROWS_PER_REQUEST).map((part) => ({
        op: 'remove' as const,
        uris: part,
      }));
      const notes = { shownAs: Object.fromEntries([...shownAs].filter(([uri, shown]) => uri !== shown)) };
      return { requested: there.length, former: { rows: items.map(uriOf) }, ops, notes };
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

/**
 * Moves rows. First reads the range from their old place to their new one. If the rows are already in the new place, nothing is
 * done.
 */
export function moveRows({ rows, ...reading }: Planning, playlistId: string, move: Move): Request {
  return {
    kind: 'reorder',
    playlistId,
    requested: move.length,
    async prepare(call) {
      await settleTarget(reading, playlistId, call);
      const { start, length, before } = move;
      const part = { from: Math.min(start, before), to: Math.max(start + length, before) };
      const former = await rows.readPart(playlistId, part, call);
      const isThere = before >= start && before <= start + length;
      if (Math.max(start + length, before) > former.length) throw beyondEnd(former.length);
      if (isThere) return null;
      return { former: { rows: former }, ops: [{ op: 'move', ...move }] };
    },
  };
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
export function replaceRows(
  { rows, ...reading }: Planning,
  playlistId: string,
  uris: readonly string[],
): Request {
  return {
    kind: 'replace',
    playlistId,
    requested: uris.length,
    async prepare(call) {
      await settleTarget(reading, playlistId, call);
      const former = restorableUris(await rows.readTwice(playlistId, call));
      if (sameRows(former, uris)) return null;
      return { former: { rows: former }, ops: replaceOps(uris) };
    },
  };
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
 * throws, the change ends before anything is stored
 * @throws RelayError from `prepare`: `UNSUPPORTED_ITEMS` if Spotify offers no way to write the rows
 */
export function reviseRows(
  { rows, ...reading }: Planning,
  kind: 'restore' | 'keep',
  playlistId: string,
  decide: (items: readonly Item[]) => Revision | null | Promise<Revision | null>,
): Request {
  return {
    kind,
    playlistId,
    requested: 0,
    async prepare(call) {
      await settleTarget(reading, playlistId, call);
      const planFrom = async (how: 'readForChange' | 'readTwice') => {
        const items = await rows[how](playlistId, call);
        const revision = await decide(items);
        if (revision === null) return null;
        const planned = planRows(revision.present, revision.wanted);
        if (planned === null)
          throw unwritable(revision.wanted, 'Nothing was changed. Remove or move these rows in Spotify.');
        const requested = planned.reduce((sum, op) => sum + entryCount(op), 0);
        const linked = items.flatMap(
          (item): Array<[string, string]> => (item.linked_from ? [[uriOf(item), item.linked_from]] : []),
        );
        const ops = withOriginals(planned, new Map([...revision.originals, ...linked]));
        return ops.length === 0 ? null : { requested, former: { rows: revision.present }, ops };
      };
      const plan = await planFrom('readForChange');
      // Before all rows are replaced, two readings have to be equal.
      return plan?.ops.some(({ op }) => op === 'put') ? planFrom('readTwice') : plan;
    },
  };
}

/** Adds to each removal the URI that a row was added with, if the list shows another one. Naming both does no harm. */
function withOriginals(ops: readonly ChangeOp[], originals: ReadonlyMap<string, string>): ChangeOp[] {
  if (originals.size === 0) return [...ops];
  return ops.flatMap((op): ChangeOp[] => {
    if (op.op !== 'remove') return [op];
    const uris = op.uris.flatMap((uri) => [uri, originals.get(uri) ?? uri]);
    return chunk([...new Set(uris)], ROWS_PER_REQUEST).map((part) => ({ ...op, uris: part }));
  });
}

/**
 * Removes repeated rows; the first of each stays.
 * @param read returns what the playlist holds. Called in the change's turn, so nothing else of relay writes meanwhile
 */
export function deduplicateRows(
  context: Waiting,
  playlistId: string,
  read: (how: 'readForChange' | 'readTwice') => Promise<readonly string[]>,
): Request {
  return {
    kind: 'deduplicate',
    playlistId,
    requested: 0,
    async prepare(call) {
      await settleTarget(context, playlistId, call);
      let former = await read('readForChange');
      if (deduplicateOps(former).some(({ op }) => op === 'put')) former = await read('readTwice');
      const ops = deduplicateOps(former);
      const requested = former.length - new Set(former).size;
      return ops.length === 0 ? null : { requested, former: { rows: former }, ops };
    },
  };
}

/** The operations that leave only the first occurrence of each URI. `restorableUris` must have checked the URIs. */
export function deduplicateOps(uris: readonly string[]): ChangeOp[] {
  return planRows(uris, [...new Set(uris)]) ?? [];
}

/**
 * Makes a new playlist and fills it with rows. The existing playlists of that name are read first, so that a new one can be
 * told apart from them if the answer is lost.
 */
export function makePlaylist(
  context: Pick<Planning, 'provider'>,
  details: DetailValues & { name: string },
  uris: readonly string[],
): Request {
  return {
    kind: 'create',
    playlistId: null,
    requested: uris.length,
    async prepare(call) {
      const known = (await playlistsNamed(context, details.name, call.account ?? null, call)).map(
        ({ id }) => id,
      );
      const create: ChangeOp = { op: 'create', details, known };
      return {
        former: { rows: [] },
        ops: uris.length === 0 ? [create] : [create, { op: 'append', uris }],
      };
    },
  };
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
  return {
    kind: 'details',
    playlistId,
    requested: Object.values(set).filter((value) => value !== undefined).length,
    async prepare(call) {
      await settleTarget(context, playlistId, call);
      const read = await readDetails(
        context,
        playlistId,
        { ...set, public: true, collaborative: true },
        call,
      );
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
      const isInDoubt = changesSince(context.store, playlistId, withinLast(context, REMEMBER_MS)).some(
        ({ uncertain, inTransit }) => uncertain || inTransit,
      );
      if (!isInDoubt && Object.entries(set).every(isSame)) return null;
      return { former: { details }, ops: [{ op: 'details', set }] };
    },
  };
}

/**
 * Waits until earlier writes to a playlist have taken effect. A write whose answer was lost may take effect late, and
 * undo the next write. While the outcome of a write is unknown, a reading may show the rows from before that write.
 */
export async function settleTarget(context: Waiting, playlistId: string, call: Call): Promise<void> {
  const { store } = context;
  const changes = changesSince(store, playlistId, withinLast(context, LATEST_EFFECT_MS)).filter(
    ({ seq, uncertain, inTransit }) => inTransit || (uncertain && undoesLater(getChangeBody(store, seq))),
  );
  await waitForEffects(context, changes, 0, call);
}

/** Looks at `plan` too: a rollback, or remaining work that was planned again, may have operations that the change did not have. */
function undoesLater({ ops, plan }: ChangeBody): boolean {
  return [...ops, ...(plan?.ops ?? [])].some(({ op }) => UNDOES_LATER.has(op));
}

/** Operations that would undo or move what a later write writes if they took effect after it. */
const UNDOES_LATER: ReadonlySet<ChangeOp['op']> = new Set([
  'details',
  'follow',
  'unfollow',
  'remove',
  'put',
  'move',
]);

/**
 * Reads the details that `fields` names. Values that relay has just set count even if Spotify does not show them yet. If
 * Spotify shows neither relay's value nor the former one, it may show one that a person set before relay did. So such a value
 * counts only if Spotify still shows it some seconds later.
 */
export async function readDetails(
  context: Waiting,
  playlistId: string,
  fields: DetailValues,
  call: Call,
): Promise<DetailValues> {
  const until = context.clock.monotonic() + USUAL_LAG_MS;
  for (;;) {
    const { details, isEarly } = await lookAtDetails(context, playlistId, fields, call);
    if (!isEarly || context.clock.monotonic() > until) return details;
    await context.clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
}

const LOOK_AGAIN_MS = 500;

/** @returns `isEarly`: true if Spotify may still show a value that is older than the one relay has set */
async function lookAtDetails(
  context: Waiting,
  playlistId: string,
  fields: DetailValues,
  call: Call,
): Promise<{ details: DetailValues; isEarly: boolean }> {
  const { provider, store } = context;
  const present = detailsOf(await getPlaylist(provider, playlistId, call), fields);
  let details = present;
  /** Fields for which Spotify shows another value than the one that relay has just set. */
  const early = new Set<string>();
  for (const { seq } of changesSince(store, playlistId, withinLast(context, REMEMBER_MS)).toReversed()) {
    const change = getChangeBySeq(store, seq);
    const { former, ops } = getChangeBody(store, seq);
    const reached = change?.op ?? 0;
    const mayBeMore = change !== null && (change.uncertain || change.inTransit);
    for (const [index, op] of ops.slice(0, mayBeMore ? reached + 1 : reached).entries()) {
      if (op.op !== 'details') continue;
      // If the answer to a request was lost, only Spotify's own values tell whether it took effect.
      const isLost = index === reached;
      const isShown = (field: keyof DetailValues) =>
        present[field] === op.set[field] || (!isLost && details[field] === former.details?.[field]);
      const isOwn = ([field, value]: [string, unknown]) =>
        value !== undefined && field in details && isShown(field as keyof DetailValues);
      details = { ...details, ...Object.fromEntries(Object.entries(op.set).filter(isOwn)) };
      const isRecent = change !== null && ageOf(context, change) <= USUAL_LAG_MS;
      for (const field of ['name', 'description'] as const) {
        const value = op.set[field];
        if (value === undefined || details[field] === undefined) continue;
        // Spotify leaves out spaces at the ends.
        const isOther = details[field].trim() !== value.trim();
        if (isRecent && isOther && !isLost && !op.mayFail) early.add(field);
        else early.delete(field);
      }
    }
  }
  return { details, isEarly: early.size > 0 };
}

/** The details of a playlist that `fields` names, without those that Spotify does not report. */
function detailsOf(
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
export function unfollow(context: Waiting, playlistId: string): Request {
  return {
    kind: 'delete',
    playlistId,
    requested: 1,
    async prepare(call) {
      await settleTarget(context, playlistId, call);
      return { former: {}, ops: [{ op: 'unfollow' }] };
    },
  };
}

/**
 * Saves tracks. Which tracks had been saved before is not read now. An undo can still find out, since Spotify keeps the time at
 * which each track was saved.
 */
export function saveTracks(context: Waiting, uris: readonly string[]): Request {
  return {
    kind: 'save',
    playlistId: null,
    requested: uris.length,
    async prepare(call) {
      await settleLibrary(context, uris, 0, call);
      return { former: { added: await lookedUpAdditions(context, uris, call) }, ops: [{ op: 'save', uris }] };
    },
  };
}

/**
 * Removes tracks from the saved ones. First reads which tracks are saved, since that cannot be found out afterwards. If none is saved,
 * there is nothing to do.
 * @param sent `all` also sends the tracks that are not saved. A job needs this, since it counts its items by the requests
 */
export function unsaveTracks(
  context: Waiting,
  uris: readonly string[],
  sent: 'saved' | 'all' = 'saved',
): Request {
  return {
    kind: 'unsave',
    playlistId: null,
    requested: uris.length,
    async prepare(call) {
      const distinct = [...new Set(uris)];
      await settleLibrary(context, distinct, USUAL_LAG_MS, call);
      const held = await heldOf(context, distinct, call);
      // What relay has just done counts even if the library does not show it yet.
      const isAway = await lookedUpAdditions(context, distinct, call);
      const saved = distinct.filter((uri) => held.has(uri) || isAway[uri] === false);
      if (saved.length === 0) return null;
      await noteSaved(context, saved, call);
      const former = { saved: saved.filter((uri) => !isAway[uri]) };
      const ops = [{ op: 'unsave' as const, uris: sent === 'all' ? uris : saved }];
      return { requested: saved.length, former, ops };
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
    const words = 'Nothing was changed. Put the songs into a new playlist, or remove these rows in Spotify.';
    throw new RelayError(
      'UNSUPPORTED_ITEMS',
      `${lost.length} of ${items.length} rows are local files or no longer offered by Spotify, and could not be restored if this failed.`,
      {
        remedy: {
          text: 'Nothing was changed. Use a new playlist (create_playlist_from_tracks), or remove these rows in Spotify.',
          terminal: { text: words, commands: [] },
          page: words,
        },
        details: { positions: positions.slice(0, 100), count: lost.length },
      },
    );
  }
  return items.map(uriOf);
}
