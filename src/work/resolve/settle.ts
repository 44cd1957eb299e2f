/**
 * What a person decides about the items of a job: a certain track, none, or the first candidate if it is near enough. A call is
 * carried out completely or not at all. Decisions about songs are remembered as aliases, for the next list.
 */
import { counted, inParallel } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { parseRef } from '../../domain/ids.ts';
import { type ItemStatus, UNRESOLVED_STATUSES } from '../../domain/job.ts';
import { type Fix, inputWords } from '../../domain/settling.ts';
import type { Track } from '../../domain/shapes.ts';
import type { TrackQuery } from '../../music/trackQuery.ts';
import type { Call } from '../../provider/api.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import { itemsAt, nearItems, type OpenItem, openPositions, settleItem } from '../../store/tables/items.ts';
import type { Work } from '../../store/tables/works.ts';
import type { WorkContext } from '../moves.ts';
import type { Resolver } from './resolver.ts';

export interface Settlement {
  fixes?: readonly Fix[] | undefined;
  /** Minimum score, from 0 to 1, at which unresolved items that `fixes` does not name get their first candidate. */
  acceptNear?: number | undefined;
  /** True to leave items as they are if they were decided before this call. */
  onlyOpen?: boolean | undefined;
}

export interface Settled {
  /** Number of items that now have their track. */
  settled: number;
  /** Number of items that are now left out. */
  skipped: number;
}

/** The decisions about items that nobody has decided yet. Call it in a transaction. */
export function stillOpen(
  { store }: Pick<WorkContext, 'store'>,
  work: Work,
  decisions: readonly Decision[],
): Decision[] {
  const items = itemsAt(
    store,
    work.seq,
    decisions.map(({ item }) => item.position),
  );
  const open = new Set(items.filter(({ status }) => OPEN.has(status)).map(({ position }) => position));
  return decisions.filter(({ item }) => open.has(item.position));
}

const OPEN: ReadonlySet<ItemStatus> = new Set(['pending', ...UNRESOLVED_STATUSES]);

/** A decision that can be carried out; a null track leaves the item out. */
interface Decision {
  item: Pick<OpenItem, 'position' | 'key' | 'input'>;
  track: Track | null;
}

/** What is wrong with one fix. */
interface Problem {
  /** Position of the fix in the list of fixes. */
  index: number;
  position: number;
  problem: string;
}

const PARALLEL_LOOKUPS = 4;
/** Maximum number of problems that the message names; the details have all. */
const MAX_NAMED = 5;

/**
 * The tracks that the fixes name. A track that is not a candidate of its item is looked up, once for all fixes that name it.
 * @throws RelayError `INVALID_ARGUMENT` naming each fix that cannot be carried out; the provider's errors
 */
export async function readFixes(
  { store, provider }: Pick<WorkContext, 'store' | 'provider'>,
  work: Work,
  fixes: readonly Fix[],
  call: Call,
): Promise<Decision[]> {
  const positions = fixes.map(({ position }) => position);
  const items = new Map(itemsAt(store, work.seq, positions).map((item) => [item.position, item]));
  const wrong = fixes.flatMap((fix, index) => {
    const problem = problemOf(fix, items.get(fix.position), work, positions.indexOf(fix.position) < index);
    return problem === null ? [] : [{ index, position: fix.position, problem }];
  });
  if (wrong.length > 0) throw refused(wrong, items);
  const found = new Map<string, Track | null>();
  for (const { candidates } of items.values())
    for (const { track } of candidates ?? []) found.set(track.uri, track);
  const unknown = new Set(fixes.flatMap((fix) => ('uri' in fix && !found.has(fix.uri) ? [fix.uri] : [])));
  await inParallel([...unknown], PARALLEL_LOOKUPS, async (uri) => {
    found.set(uri, await findTrack(provider, parseRef(uri, ['track']).uri, call));
  });
  const missing = fixes.flatMap((fix, index) =>
    'uri' in fix && !found.get(fix.uri)
      ? [{ index, position: fix.position, problem: `Spotify has no track ${fix.uri}` }]
      : [],
  );
  if (missing.length > 0) throw refused(missing, items);
  return fixes.flatMap((fix) => {
    const item = items.get(fix.position);
    return item ? [{ item, track: 'uri' in fix ? (found.get(fix.uri) ?? null) : null }] : [];
  });
}

function problemOf(fix: Fix, item: OpenItem | undefined, work: Work, isRepeated: boolean): string | null {
  if (!item) return `the list has only ${counted(work.totalItems, 'item')}`;
  if (isRepeated) return 'it is named twice';
  if (item.status === 'written') return 'it is already written';
  if (!('uri' in fix)) return null;
  try {
    parseRef(fix.uri, ['track']);
    return null;
  } catch (error) {
    if (error instanceof RelayError) return error.message.replace(/\.$/, '');
    throw error;
  }
}

function refused(problems: readonly Problem[], items: ReadonlyMap<number, OpenItem>): RelayError {
  const named = problems
    .slice(0, MAX_NAMED)
    .map(
      ({ index, position, problem }) =>
        `fixes[${index}] (position ${position}${nameOf(items.get(position))}): ${problem}.`,
    );
  const more = problems.length - named.length;
  return new RelayError(
    'INVALID_ARGUMENT',
    [...named, ...(more > 0 ? [`And ${more} more.`] : []), 'Nothing was changed.'].join(' '),
    {
      remedy: 'Correct these fixes, then send all fixes again.',
      details: { problems },
    },
  );
}

function nameOf(item: OpenItem | undefined): string {
  const { title, artist } = (item?.input ?? {}) as Partial<TrackQuery>;
  if (!title) return item ? `, ${inputWords(item.input)}` : '';
  return artist ? `, "${title}" by ${artist}` : `, "${title}"`;
}

/**
 * Carries out the decisions, and accepts near candidates. Repeats of a song in the list are settled with it. Call it in a
 * transaction.
 */
export function settleItems(
  { store, resolver }: Pick<WorkContext, 'store'> & { resolver: Pick<Resolver, 'keep'> },
  work: Work,
  decisions: readonly Decision[],
  acceptNear: number | undefined,
  by: string | null,
): Settled {
  const named = new Set(decisions.map(({ item }) => item.position));
  const near = acceptNear === undefined ? [] : nearItems(store, work.seq, acceptNear);
  const all = [
    ...decisions,
    ...near.flatMap((item) => {
      const first = item.candidates?.[0];
      return first && !named.has(item.position) ? [{ item, track: first.track }] : [];
    }),
  ];
  const tracks = new Map<number, Track | null>();
  for (const { item, track } of all) {
    tracks.set(item.position, track);
    if (item.key !== null && track) resolver.keep(item.input as TrackQuery, track, by);
  }
  for (const [position, track] of alike({ store }, work, all))
    if (!tracks.has(position)) tracks.set(position, track);
  for (const [position, track] of tracks) settleItem(store, work.seq, position, track);
  const skipped = [...tracks.values()].filter((track) => track === null).length;
  return { settled: tracks.size - skipped, skipped };
}

/** The open items with a song that a decision gave a track, with their tracks. Includes the items of the decisions. */
function alike(
  { store }: Pick<WorkContext, 'store'>,
  work: Work,
  decisions: readonly Decision[],
): Array<[number, Track]> {
  const byKey = new Map<string, Track>();
  for (const { item, track } of decisions) if (item.key !== null && track) byKey.set(item.key, track);
  return [...openPositions(store, work.seq, [...byKey.keys()])].flatMap(([key, positions]) => {
    const track = byKey.get(key);
    return track ? positions.map((position): [number, Track] => [position, track]) : [];
  });
}
