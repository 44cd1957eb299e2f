/** The entries of the bulk tools and of jobs: what was given, and what it resolved to. */
import * as z from 'zod';
import type { Track } from '../../domain/shapes.ts';
import type { Candidate } from '../../music/match.ts';
import { aliasKey, type TrackQuery } from '../../music/trackQuery.ts';
import type { NewJobItem } from '../../store/tables/jobItems.ts';
import { ItemRef, MAX_ENTRIES } from '../arguments.ts';
import { AlbumName, ArtistName, Title, Year } from '../catalog/trackMatching.ts';

const Search = z.strictObject({
  title: Title,
  artist: ArtistName,
  album: AlbumName.optional(),
  year: Year.optional(),
});

export const AnyEntry = z.union([
  Search,
  z.strictObject({ id: ItemRef }),
  z.strictObject({ uri: ItemRef }),
  z.strictObject({ url: ItemRef }),
  ItemRef,
]);

export const searches = z
  .array(Search)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('1 to 10,000 songs as {title, artist, album?, year?}, in order');
export const anyEntries = z
  .array(AnyEntry)
  .min(1)
  .max(MAX_ENTRIES)
  .describe(
    '1 to 10,000 songs in order, each {title, artist, album?, year?}, {id}, {uri}, {url}, or a bare ID, URI or link',
  );

/** Either names an item, or has to be searched for. */
export type Entry = { input: unknown; uri: string } | { input: unknown; search: TrackQuery };

export interface ResolvedEntry {
  input: unknown;
  status: 'matched' | 'ambiguous' | 'unmatched' | 'skipped_existing';
  /** null unless there is a clear match. */
  uri: string | null;
  /** null also for entries given by ID, which are not looked up. */
  track: Track | null;
  candidates: Candidate[];
}

export function entryOf(given: z.output<typeof AnyEntry>): Entry {
  if ('title' in given) return { input: given, search: given };
  if ('kind' in given) return { input: given.input, uri: given.uri };
  if ('id' in given) return { input: { id: given.id.input }, uri: given.id.uri };
  if ('uri' in given) return { input: { uri: given.uri.input }, uri: given.uri.uri };
  return { input: { url: given.url.input }, uri: given.url.uri };
}

/** The entry as a job item, with what is known about it. */
export function jobItemOf(entry: Entry, known?: ResolvedEntry): NewJobItem {
  const key = 'search' in entry ? aliasKey(entry.search) : null;
  if (known) {
    const { input, uri, status, track, candidates } = known;
    return { input, key, uri, status, track, candidates: uri === null ? candidates : [] };
  }
  if ('uri' in entry) return { input: entry.input, key, uri: entry.uri, status: 'matched' };
  return { input: entry.input, key, uri: null, status: 'pending' };
}
