/**
 * From a title and an artist to a track: what is remembered first, then the provider's search, then the pure rules of
 * `music`. What was found for sure is remembered, so that the same song costs no second search.
 */
import type { Clock } from '../domain/clock.ts';
import type { Track } from '../domain/shapes.ts';
import { type Candidate, type MatchResult, matchTrack } from '../music/match.ts';
import { aliasKey, searchQueries, type TrackQuery } from '../music/query.ts';
import type { Call, ProviderApi } from '../provider/api.ts';
import { SEARCH_PAGE, searchTracks } from '../provider/catalog.ts';
import { inParallel } from '../provider/paging.ts';
import { getAlias, putAlias } from '../store/aliases.ts';
import type { Store } from '../store/open.ts';

/** Searches at the same time. More would only meet the rate limit sooner. */
const PARALLEL_SEARCHES = 4;

export interface Resolution {
  status: MatchResult['status'];
  match: { track: Track; score: number } | null;
  candidates: Candidate[];
  source: 'alias' | 'search';
}

export interface Resolver {
  resolve(query: TrackQuery, call: Call): Promise<Resolution>;
  /** In order; entries that normalise alike cost one search. Progress counts the distinct ones. */
  resolveAll(queries: readonly TrackQuery[], call: Call): Promise<Resolution[]>;
}

export function createResolver(api: ProviderApi, store: Store, clock: Clock): Resolver {
  async function resolve(query: TrackQuery, call: Call): Promise<Resolution> {
    const key = aliasKey(query);
    const known = remembered(query, key);
    if (known)
      return { status: 'matched', match: { track: known, score: 1 }, candidates: [], source: 'alias' };
    const result = await search(query, call);
    if (result.match) remember(key, query, result.match.track);
    return { ...result, source: 'search' };
  }

  /** What a person has set without a year holds for every year; what was learned without one does not. */
  function remembered({ year: _, ...anyYear }: TrackQuery, key: string): Track | null {
    const exact = getAlias(store, key);
    if (exact) return exact.track;
    const general = getAlias(store, aliasKey(anyYear));
    return general?.source === 'person' ? general.track : null;
  }

  async function search(query: TrackQuery, call: Call): Promise<MatchResult> {
    const found = new Map<string, Track>();
    let result: MatchResult = { status: 'unmatched', match: null, candidates: [] };
    for (const text of searchQueries(query)) {
      const { items } = await searchTracks(api, text, SEARCH_PAGE, { signal: call.signal, progress() {} });
      for (const track of items) if (!found.has(track.uri)) found.set(track.uri, track);
      result = matchTrack(query, [...found.values()]);
      if (result.status !== 'unmatched') return result;
    }
    return result;
  }

  function remember(key: string, { title, artist, album }: TrackQuery, track: Track): void {
    putAlias(store, { key, title, artist, album: album ?? null, track, source: 'learned' }, clock.now());
    store.saveSoon();
  }

  return {
    resolve,
    async resolveAll(queries, call) {
      const distinct = new Map<string, TrackQuery>();
      for (const query of queries) if (!distinct.has(aliasKey(query))) distinct.set(aliasKey(query), query);
      const entries = [...distinct];
      let done = 0;
      const results = await inParallel(entries, PARALLEL_SEARCHES, async ([key, query]) => {
        call.signal.throwIfAborted();
        const resolution = await resolve(query, call);
        done += 1;
        if (entries.length > 1) call.progress(done, entries.length);
        return [key, resolution] as const;
      });
      const byKey = new Map(results);
      return queries.map((query) => byKey.get(aliasKey(query)) as Resolution);
    },
  };
}
