/** Reading the target of a change to find out how far it got. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { sameRows, uriOf } from '../domain/rows.ts';
import type { Item, Playlist } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { getTrack } from '../provider/resources/catalog.ts';
import { getAllMyPlaylists, getPlaylistItems, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import type { ChangeLeg } from '../store/tables/changes.ts';
import { compareRows, compareTail, type Reading, showsEarlier, type Verdict } from './compare.ts';
import type { ChangeContext } from './record.ts';
import { progressAt, ROWS_PER_REQUEST, rowsAt, writtenUris } from './rowOps.ts';

/**
 * Reads the playlist and compares it with every state of the change.
 * @param known what certainly took effect
 * @param whole reads all rows, even where the last ones would do
 */
export async function lookAtRows(
  context: ChangeContext,
  playlistId: string,
  leg: ChangeLeg,
  known: Progress,
  call: Call,
  whole = false,
): Promise<Verdict> {
  const tail = whole ? null : tailOf(leg, known);
  if (tail) {
    const verdict = await lookAtTail(context, playlistId, leg, tail, call);
    if (verdict.kind !== 'landed' || !verdict.isAmbiguous) return verdict;
  }
  // Rows that were moved without having been read: nothing tells whether they have moved.
  if (leg.rows === null) return { kind: 'other', mismatches: [] };
  const items = await context.rows.readFresh(playlistId, call);
  const reading = { from: 0, rows: items.map(uriOf) };
  const compare = (relinks: ReadonlyMap<string, string>) =>
    compareRows(leg.rows ?? [], leg.ops, known, reading, relinks);
  return allowingRelinks(context, leg.ops, items, compare, call);
}

/**
 * The same for one request, in one page: that of the first row that it changes. null where the page shows neither state, or
 * was the same in an earlier one that a list which lags may still show; all rows have to be read then.
 * @param earlier the states of the change before that request
 */
export async function lookAtStep(
  { provider }: ChangeContext,
  playlistId: string,
  earlier: ReadonlyArray<readonly string[]>,
  before: readonly string[],
  after: readonly string[],
  call: Call,
): Promise<'landed' | 'absent' | null> {
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first++;
  const page = { limit: PLAYLIST_PAGE, offset: first };
  const shown = (await getPlaylistItems(provider, playlistId, page, call)).items.map(uriOf);
  const shows = (rows: readonly string[]) => {
    return sameRows(rows.slice(first, first + PLAYLIST_PAGE), shown);
  };
  if (shows(after)) return earlier.some(shows) ? null : 'landed';
  return shows(before) ? 'absent' : null;
}

interface Tail {
  /** The operation that adds rows at the end, the last one. */
  op: number;
  uris: readonly string[];
  /** Rows before it. */
  base: number;
  at: number;
}

/** Where all that is left is adding rows at the end, the total and the last rows tell how far that got. */
function tailOf({ ops, rows, total }: ChangeLeg, known: Progress): Tail | null {
  const op = ops.length - 1;
  const last = ops[op];
  if (last?.op !== 'append' || known.op < op) return null;
  const base = rows === null ? total : rowsAt(rows, ops, { op, at: 0 }).length;
  if (base === null || (rows === null && op > 0)) return null;
  return { op, uris: last.uris, base, at: known.op > op ? last.uris.length : known.at };
}

async function lookAtTail(
  context: ChangeContext,
  playlistId: string,
  leg: ChangeLeg,
  { op, uris, base, at }: Tail,
  call: Call,
): Promise<Verdict> {
  // From the last row that is certainly there: a list that is shorter says nothing about what comes after.
  const { reading, items } = await readTail(context, playlistId, Math.max(0, base + at - 1), call);
  const compare = (relinks: ReadonlyMap<string, string>) => compareTail(base, uris, at, reading, relinks);
  const verdict = await allowingRelinks(context, leg.ops, items, compare, call);
  if (verdict.kind !== 'landed') return verdict;
  const progress = progressAt(leg.ops, op, verdict.progress.at);
  const isAmbiguous = leg.rows !== null && showsEarlier(leg.rows, leg.ops, { op, at: 0 }, reading);
  return { kind: 'landed', progress, isAmbiguous };
}

/**
 * The rows from position `from` to the end; of a tail longer than one request of rows only its end. What was read decides,
 * since the total may lag behind the rows.
 */
async function readTail(
  { provider }: ChangeContext,
  playlistId: string,
  from: number,
  call: Call,
): Promise<{ reading: Reading; items: Item[] }> {
  const page = (offset: number) =>
    getPlaylistItems(provider, playlistId, { limit: PLAYLIST_PAGE, offset }, call);
  let start = from;
  let { items, total } = await page(start);
  if (total - start > ROWS_PER_REQUEST + 1) {
    start = total - ROWS_PER_REQUEST;
    items = (await page(start)).items;
  }
  const all = [...items];
  while (
    items.length === PLAYLIST_PAGE &&
    all.length < ROWS_PER_REQUEST + 2 * PLAYLIST_PAGE &&
    start + all.length < Math.max(total, from + 1 + ROWS_PER_REQUEST)
  ) {
    ({ items, total } = await page(start + all.length));
    all.push(...items);
  }
  return { reading: { from: start, rows: all.map(uriOf) }, items: all };
}

/** How many differing rows are looked up before it counts as another list. */
const MAX_LOOKED_UP = 5;

/**
 * Spotify shows some tracks under another ID than they were written with (relinking). Where most rows of a request are
 * right, the others are taken for that; otherwise it is looked up whether they are the same recording.
 */
async function allowingRelinks(
  context: ChangeContext,
  ops: readonly ChangeOp[],
  items: readonly Item[],
  compare: (relinks: ReadonlyMap<string, string>) => Verdict,
  call: Call,
): Promise<Verdict> {
  const plain = compare(new Map());
  if (plain.kind !== 'other' || plain.mismatches.length === 0) return plain;
  const written = writtenUris(ops);
  const strange = plain.mismatches.filter(({ sent, shown }) => !written.has(sent) || written.has(shown));
  if (strange.length > 0) return plain;
  const isRare = plain.mismatches.length * 2 < Math.min(written.size, items.length);
  if (!isRare && plain.mismatches.length > MAX_LOOKED_UP) return plain;
  const relinks = new Map<string, string>();
  for (const { sent, shown } of plain.mismatches) {
    if (isRare || (await isSameRecording(context, sent, shown, items, call))) relinks.set(sent, shown);
  }
  const verdict = compare(relinks);
  return verdict.kind === 'landed' && !isWholeRequest(ops, verdict.progress) ? plain : verdict;
}

/** A request takes effect as a whole: a row beyond one is another person's, not one under another ID. */
function isWholeRequest(ops: readonly ChangeOp[], { op, at }: Progress): boolean {
  return ops[op]?.op !== 'append' || at % ROWS_PER_REQUEST === 0;
}

async function isSameRecording(
  { provider }: ChangeContext,
  sent: string,
  shown: string,
  items: readonly Item[],
  call: Call,
): Promise<boolean> {
  const found = items.find(({ item }) => item?.uri === shown)?.item;
  if (!sent.startsWith('spotify:track:') || found?.type !== 'track') return false;
  const asked = await getTrack(provider, sent.slice('spotify:track:'.length), call);
  return asked.uri === shown || (asked.isrc !== null && asked.isrc === found.isrc);
}

/** The provider lets an account have about 11,000. */
const ALL_PLAYLISTS = 12_000;

/**
 * The playlist that an interrupted `create` made: of the name, the account's own and empty, and not among those known from
 * before. null if there is none.
 */
export async function lookForMade(
  { provider, rows }: ChangeContext,
  op: Extract<ChangeOp, { op: 'create' }>,
  account: string | null,
  call: Call,
): Promise<{ id: string; snapshotId: string | null } | 'not_empty' | null> {
  const known = new Set(op.known ?? []);
  const named = await playlistsNamed({ provider }, op.details.name, account, call);
  const fresh = named.filter(({ id }) => !known.has(id));
  for (const { id, snapshot_id, total_items } of fresh) {
    if (op.known === null && (total_items ?? 0) > 0) continue;
    if ((await rows.readFresh(id, call)).length === 0) return { id, snapshotId: snapshot_id };
  }
  return fresh.length === 0 || op.known === null ? null : 'not_empty';
}

/** The account's own playlists of one name. */
export async function playlistsNamed(
  { provider }: Pick<ChangeContext, 'provider'>,
  name: string,
  account: string | null,
  call: Call,
): Promise<Playlist[]> {
  const { items } = await getAllMyPlaylists(provider, ALL_PLAYLISTS, call);
  return items.filter((playlist) => playlist.name.trim() === name.trim() && playlist.owner.id === account);
}
