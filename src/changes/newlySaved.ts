/**
 * Finds out which tracks a change has saved that were not saved before. Saving needs no reading first: the library keeps the
 * time at which each track was saved. That time is lost when a track is removed and saved again. So before relay removes a
 * track, it records which change saved it.
 */
import type { Call } from '../provider/api.ts';
import { LAG_MS, REMEMBER_MS } from '../provider/resources/playlistRows.ts';
import { containsUris, getSavedTracks, TRACKS_PER_REQUEST } from '../provider/resources/savedTracks.ts';
import {
  type Change,
  type ChangeBody,
  getChangeBody,
  getChangeBySeq,
  libraryChangesFrom,
  libraryChangesSince,
  putChangeBody,
  savingChanges,
} from '../store/tables/changes.ts';
import type { Clocks, Waiting } from './record.ts';
import { ageOf, beganAt, LATEST_EFFECT_MS, waitForEffects, withinLast } from './times.ts';

/** The provider's times are in whole seconds, and its servers may differ by one. */
const EARLIER_MS = 2_000;
const LATER_MS = 1_000;
const LIBRARY_PAGE = 50;
/** Maximum number of pages of the library to search for what a change saved. */
const MAX_PAGES = 20;
/** While the library may lag, this many pages are searched even though they have tracks that were saved before the change. */
const MAX_OLDER_PAGES = 6;

const LOOK_AGAIN_MS = 1_000;

/**
 * The newly saved tracks, in the order of the library, newest first. A track that is not on the pages that were read was saved
 * before the change, or the library lags. The library is then read again for some seconds, and for longer if it was read to its
 * end.
 */
export async function newlySaved(
  context: Waiting,
  change: Change,
  body: ChangeBody,
  call: Call,
): Promise<string[]> {
  const { added } = body.former;
  const noted = Object.entries(added ?? {});
  const fresh = await stillThere(
    context,
    change,
    noted.filter(([, isNew]) => isNew).map(([uri]) => uri),
    call,
  );
  let open = savedBy(change, body).filter((uri) => added?.[uri] === undefined);
  let until = Number.POSITIVE_INFINITY;
  for (;;) {
    const age = ageOf(context, change);
    const isLate = age > LAG_MS;
    const mayLag = age <= REMEMBER_MS;
    const older = isLate && mayLag ? MAX_OLDER_PAGES : 0;
    const pages = { newer: Number.POSITIVE_INFINITY, older };
    const found = await lookFor(context, sinceOf(context, change), new Set(open), pages, call);
    const rest = open.filter((uri) => !found.fresh.includes(uri) && !found.older.includes(uri));
    const unshown = await notShown(context, change, rest, call);
    fresh.push(...found.fresh, ...unshown);
    open = rest.filter((uri) => !unshown.includes(uri));
    const mayBeFurther = !found.isWhole || !mayLag;
    // Even if the first look ended late, more looks may follow for as long as a list lags.
    if (isLate) until = Math.min(until, context.clock.monotonic() + LAG_MS);
    const isOver = isLate && (mayBeFurther || context.clock.monotonic() >= until);
    if (open.length === 0 || isOver) return fresh;
    await context.clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
}

/**
 * The tracks that have not been removed since. Within a minute after the change, all count, since the library may not show yet
 * what the change saved.
 */
async function stillThere(
  reading: Clocks,
  change: Change,
  uris: readonly string[],
  call: Call,
): Promise<string[]> {
  if (uris.length === 0 || ageOf(reading, change) <= REMEMBER_MS) return [...uris];
  const held = await heldOf(reading, uris, call);
  const known = knownAdditions(reading, uris);
  return uris.filter((uri) => held.has(uri) || known[uri] === false);
}

/**
 * The tracks that the library does not hold yet. Returns none once a minute has passed, since the library then shows what the
 * change saved.
 */
async function notShown(
  { provider, store }: Clocks,
  change: Change,
  uris: readonly string[],
  call: Call,
): Promise<string[]> {
  if (uris.length === 0 || ageOf({ provider, store }, change) > REMEMBER_MS) return [];
  const held = await heldOf({ provider }, uris, call);
  return uris.filter((uri) => !held.has(uri));
}

/** Those of `uris` that the library shows. The caller hears of no progress. */
export async function heldOf(
  { provider }: Pick<Waiting, 'provider'>,
  uris: readonly string[],
  call: Call,
): Promise<ReadonlySet<string>> {
  const answers = await containsUris(provider, uris, { ...call, progress() {} });
  return new Set(uris.filter((_, index) => answers[index]));
}

/** The tracks that a change saved, or may have saved, each once. */
function savedBy(change: Change, body: ChangeBody): readonly string[] {
  const [op] = body.ops;
  if (op?.op !== 'save') return [];
  return [...new Set([...reached(change, op.uris), ...inDoubt(change, op.uris)])];
}

/** The tracks that a removal took out, or may have taken out, of those that were saved before it. */
export function removedBy(
  change: Change,
  { former: { saved = [] }, ops: [op] }: ChangeBody,
): { certain: readonly string[]; doubtful: readonly string[] } {
  if (op?.op !== 'unsave') return { certain: [], doubtful: [] };
  const sent = new Set(reached(change, op.uris));
  const maybe = new Set(inDoubt(change, op.uris));
  return {
    certain: saved.filter((uri) => sent.has(uri)),
    doubtful: saved.filter((uri) => !sent.has(uri) && maybe.has(uri)),
  };
}

/** Tracks of a change's only operation whose requests certainly took effect. */
function reached({ op, at }: Change, uris: readonly string[]): readonly string[] {
  return op === 0 ? uris.slice(0, at) : uris;
}

/** Tracks of the request in doubt, which may have taken effect. */
function inDoubt({ op, at, uncertain }: Change, uris: readonly string[]): readonly string[] {
  return op === 0 && uncertain ? uris.slice(at, at + TRACKS_PER_REQUEST) : [];
}

/** A track that was saved at this time or later counts as saved by `change`. */
const sinceOf = (clocks: Clocks, change: Change) => beganAt(clocks, change) - EARLIER_MS;

/** Maximum number of readings of the library if it changes meanwhile, since rows then move from one page to another. */
const READINGS = 4;

/** Maximum numbers of pages to look through: pages with tracks saved since a moment, and pages with tracks saved before it. */
interface Pages {
  newer: number;
  older: number;
}

/** What the library shows of some tracks, sorted by whether they were saved before a given moment. */
interface Shown {
  /** The tracks that were saved at that moment or later, in the order of the library. */
  fresh: string[];
  /** The tracks that were saved before that moment. */
  older: string[];
  /** When the library says that a track was saved, in Unix milliseconds. */
  savedAt: Map<string, number>;
  /** True if the library was looked through to its end. */
  isWhole: boolean;
}

async function lookFor(
  reading: Omit<Waiting, 'store'>,
  since: number,
  open: ReadonlySet<string>,
  pages: Pages,
  call: Call,
): Promise<Shown> {
  for (let readings = 1; ; readings++) {
    const { shown, steady } = await lookOnce(reading, since, new Set(open), pages, call);
    if (steady || readings === READINGS) return shown;
    // The library may lag behind another change of relay, page by page.
    await reading.clock.sleep(LOOK_AGAIN_MS, call.signal);
  }
}

async function lookOnce(
  reading: Pick<Waiting, 'provider'>,
  since: number,
  open: Set<string>,
  pages: Pages,
  call: Call,
): Promise<{ shown: Shown; steady: boolean }> {
  const shown: Shown = { fresh: [], older: [], savedAt: new Map(), isWhole: false };
  const totals = new Set<number>();
  const left = { ...pages };
  for (let page = 0; open.size > 0 && left.newer-- > 0; page++) {
    const window = { limit: LIBRARY_PAGE, offset: page * LIBRARY_PAGE };
    const { items, total, next_offset } = await getSavedTracks(reading.provider, window, call);
    totals.add(total);
    let isOlder = false;
    for (const { track, added_at } of items) {
      const savedAt = added_at === null ? Number.POSITIVE_INFINITY : Date.parse(added_at);
      isOlder ||= savedAt < since;
      if (isOlder && pages.older === 0) return { shown, steady: totals.size === 1 };
      if (!track || !open.delete(track.uri)) continue;
      shown[isOlder ? 'older' : 'fresh'].push(track.uri);
      shown.savedAt.set(track.uri, savedAt);
    }
    shown.isWhole = next_offset === null;
    if (shown.isWhole || (isOlder && --left.older === 0)) break;
  }
  return { shown, steady: totals.size <= 1 };
}

/**
 * What relay's own recent changes tell about tracks that are about to be saved: maps a URI to true if saving the track adds it,
 * and to false if it is there. The library may not show these changes yet.
 */
export function knownAdditions(reading: Clocks, uris: readonly string[]): Record<string, boolean> {
  const { store } = reading;
  const asked = new Set(uris);
  const added: Record<string, boolean> = {};
  const period = withinLast(reading, REMEMBER_MS);
  const late = new Set(libraryChangesSince(store, period).map(({ seq }) => seq));
  const [first] = late;
  for (const change of first === undefined ? [] : libraryChangesFrom(store, first)) {
    const [op] = getChangeBody(store, change.seq).ops;
    if (op?.op !== 'save' && op?.op !== 'unsave') continue;
    // After the clock was set back, an earlier change may seem to be the later one.
    const isKnown = late.has(change.seq);
    for (const uri of reached(change, op.uris)) {
      if (!isKnown) delete added[uri];
      else if (asked.has(uri)) added[uri] = op.op === 'unsave';
    }
    for (const uri of inDoubt(change, op.uris)) delete added[uri];
  }
  return added;
}

/**
 * As `knownAdditions`, but a track that somebody has saved after relay's removal of it counts as there. The library then has a
 * later date for the track; a library that lags has the date from before. Reads it only if relay removed one of the tracks.
 */
export async function lookedUpAdditions(
  reading: Waiting,
  uris: readonly string[],
  call: Call,
): Promise<Record<string, boolean>> {
  const { provider, store } = reading;
  const added = knownAdditions(reading, uris);
  const away = uris.filter((uri) => added[uri]);
  if (away.length === 0) return added;
  const endOf = new Map<string, number>();
  for (const change of libraryChangesSince(store, withinLast(reading, REMEMBER_MS))) {
    const [op] = getChangeBody(store, change.seq).ops;
    const removed = new Set(op?.op === 'unsave' ? reached(change, op.uris) : []);
    for (const uri of away) if (removed.has(uri)) endOf.set(uri, change.updatedAt);
  }
  // The changes ended by relay's clock, and the dates of tracks are Spotify's.
  const apart = (provider.serverTime() ?? store.now()) - store.now();
  const laterThan = (uri: string) => (endOf.get(uri) ?? Number.POSITIVE_INFINITY) + apart + LATER_MS;
  const first = Math.min(...away.map(laterThan));
  const pages = { newer: MAX_PAGES, older: 0 };
  const { fresh, savedAt } = await lookFor(reading, first, new Set(away), pages, call);
  for (const uri of fresh) if ((savedAt.get(uri) ?? 0) >= laterThan(uri)) added[uri] = false;
  return added;
}

/**
 * Waits until relay's recent writes to some of `uris` are over, since a request with a lost answer may take effect after others.
 * @param lagMs how long reads may lag behind these writes. It waits for that lag too, so that what is read next is right and an
 * undo can use it
 */
export async function settleLibrary(
  context: Waiting,
  uris: readonly string[],
  lagMs: number,
  call: Call,
): Promise<void> {
  const { store } = context;
  const asked = new Set(uris);
  const changes = libraryChangesSince(store, withinLast(context, LATEST_EFFECT_MS)).filter(({ seq }) =>
    getChangeBody(store, seq).ops.some((op) => 'uris' in op && op.uris.some((uri) => asked.has(uri))),
  );
  await waitForEffects(context, changes, lagMs, call);
}

/** Records which change first saved each URI of `uris`; called before they are removed. */
export async function noteSaved(reading: Waiting, uris: readonly string[], call: Call): Promise<void> {
  const removed = new Set(uris);
  for (const change of savingChanges(reading.store)) {
    // The oldest changes are dropped whenever a new one is stored, even while the library is read.
    if (!getChangeBySeq(reading.store, change.seq)) continue;
    const body = getChangeBody(reading.store, change.seq);
    const added = body.former.added ?? {};
    const asked = savedBy(change, body).filter((uri) => removed.has(uri) && added[uri] === undefined);
    if (asked.length === 0) continue;
    const since = sinceOf(reading, change);
    const { fresh } = await lookFor(reading, since, new Set(asked), { newer: MAX_PAGES, older: 0 }, call);
    const isNew = new Set(fresh);
    const noted = Object.fromEntries(asked.map((uri) => [uri, isNew.has(uri)]));
    putChangeBody(reading.store, change.seq, {
      ...body,
      former: { ...body.former, added: { ...added, ...noted } },
    });
  }
}
