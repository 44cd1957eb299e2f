/** The entries of the bulk tools: what was given, and what it turned out to be. */
import type { Track } from '../domain/shapes.ts';
import type { Candidate } from '../music/match.ts';
import type { TrackQuery } from '../music/query.ts';
import type { Call } from '../provider/api.ts';
import type { Resolver } from '../resolve/resolver.ts';

/** Either names an item already, or has to be searched. */
export type Entry = { input: unknown } & ({ uri: string } | { search: TrackQuery });

export interface ResolvedEntry {
  input: unknown;
  status: 'matched' | 'ambiguous' | 'unmatched' | 'skipped_existing';
  /** null where nothing was found for sure. */
  uri: string | null;
  /** null also for entries given by ID, which are not looked up. */
  track: Track | null;
  candidates: Candidate[];
}

export async function resolveEntries(
  resolver: Resolver,
  entries: readonly Entry[],
  call: Call,
): Promise<ResolvedEntry[]> {
  const searches = entries.flatMap((entry) => ('search' in entry ? [entry.search] : []));
  const resolutions = (await resolver.resolveAll(searches, call)).values();
  return entries.map((entry) => {
    if ('uri' in entry) {
      return { input: entry.input, status: 'matched', uri: entry.uri, track: null, candidates: [] };
    }
    const { value } = resolutions.next();
    const track = value?.match?.track ?? null;
    return {
      input: entry.input,
      status: value?.status ?? 'unmatched',
      uri: track?.uri ?? null,
      track,
      candidates: value?.candidates ?? [],
    };
  });
}
