/** The entries of the bulk tools and of jobs: what was given, and what it resolved to. */
import * as z from 'zod';
import type { JobCandidate } from '../../domain/job.ts';
import type { Track } from '../../domain/shapes.ts';
import { aliasKey, type TrackQuery } from '../../music/trackQuery.ts';
import type { JobItem, NewJobItem } from '../../store/tables/jobItems.ts';
import { ItemRef, MAX_ENTRIES } from '../arguments.ts';
import { AlbumName, ArtistName, Title, Year } from '../catalog/trackMatching.ts';

const Search = z.strictObject({
  title: Title,
  artist: ArtistName,
  album: AlbumName.optional(),
  year: Year.optional(),
});

/**
 * One song: `id`, or title and artist. One object with optional fields rather than a union of objects, since several
 * hosts take no union; those with strict function calling send null for every field that is not used.
 */
const Song = z
  .strictObject({
    title: Title.optional(),
    artist: ArtistName.optional(),
    album: AlbumName.optional(),
    year: Year.optional(),
    id: ItemRef.optional().describe('ID, URI or link'),
    uri: ItemRef.optional().meta({ deprecated: true }),
    url: ItemRef.optional().meta({ deprecated: true }),
  })
  .check(({ value, issues }) => {
    const { title, artist } = value;
    const named = new Set(refsOf(value).map(([, { uri }]) => uri));
    if (named.size > 1) issues.push(problem(value, 'id, uri and url must name the same item.'));
    if (named.size > 0) return;
    if (title === undefined && artist === undefined) {
      issues.push(problem(value, 'give title and artist, or id.'));
      return;
    }
    for (const name of ['title', 'artist'] as const) {
      if (value[name] !== undefined) continue;
      issues.push({ code: 'invalid_type', expected: 'string', path: [name], input: undefined });
    }
  });

type Song = z.output<typeof Song>;

function problem(input: unknown, message: string) {
  return { code: 'custom' as const, path: [], message, input };
}

/** The references of an entry with their names, as given. */
function refsOf({ id, uri, url }: Pick<Song, 'id' | 'uri' | 'url'>) {
  return Object.entries({ id, uri, url }).flatMap(([name, ref]) => (ref ? [[name, ref] as const] : []));
}

export const AnyEntry = z.union([Song, ItemRef]);

export const searches = z
  .array(Search)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('1 to 10,000 songs as {title, artist, album?, year?}, in order');
export const anyEntries = z
  .array(AnyEntry)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('1 to 10,000 songs in order, each {title, artist, album?, year?} or {id}');

/** An entry names an item, or has to be searched for. */
export type Entry = { input: unknown; uri: string } | { input: unknown; search: TrackQuery };

export interface ResolvedEntry {
  input: unknown;
  status: 'matched' | 'ambiguous' | 'unmatched' | 'skipped_existing';
  /** URI of the clear match; null if there is none. */
  uri: string | null;
  /** The matched track; null also for entries given by ID, which are not looked up. */
  track: Track | null;
  candidates: JobCandidate[];
  /** The remembered match was confirmed although its names differ. */
  confirmed?: true;
}

export function entryOf(given: z.output<typeof AnyEntry>): Entry {
  if ('kind' in given) return { input: given.input, uri: given.uri };
  const [ref] = refsOf(given);
  if (ref) return { input: { [ref[0]]: ref[1].input }, uri: ref[1].uri };
  const { title = '', artist = '', album, year } = given;
  const search = {
    title,
    artist,
    ...(album !== undefined && { album }),
    ...(year !== undefined && { year }),
  };
  return { input: search, search };
}

/** The entry as a job item. */
export function jobItemOf(entry: Entry): NewJobItem {
  const { input } = entry;
  if ('uri' in entry) return { input, key: null, uri: entry.uri, status: 'matched' };
  return { input, key: aliasKey(entry.search), uri: null, status: 'pending' };
}

/** The result for an item that a call has looked up; null if it was not reached. */
export function resolvedOf({
  input,
  status,
  uri,
  track,
  candidates,
  confirmed,
}: JobItem): ResolvedEntry | null {
  if (
    status !== 'matched' &&
    status !== 'ambiguous' &&
    status !== 'unmatched' &&
    status !== 'skipped_existing'
  ) {
    return null;
  }
  const known = { input, status, uri, track, candidates: candidates ?? [] };
  return confirmed === 1 ? { ...known, confirmed: true } : known;
}
