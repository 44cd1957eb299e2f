/** Paged lists, and integers in queries. */
import { type ApiCall, refuse } from '../http.ts';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/**
 * The `limit` and `offset` of the query.
 * @throws Refusal 400 "Invalid limit" unless it is 1 to `maxLimit`; 400 "Invalid offset" unless it is 0 to `maxOffset`
 */
export function pageRequest(
  call: ApiCall,
  fallback: number,
  maxLimit: number,
  maxOffset = 100_000,
): PageRequest {
  const limit = wholeNumber(call.query.get('limit')) ?? fallback;
  const offset = wholeNumber(call.query.get('offset')) ?? 0;
  if (!(limit >= 1 && limit <= maxLimit)) throw refuse(400, 'Invalid limit');
  if (!(offset >= 0 && offset <= maxOffset)) throw refuse(400, 'Invalid offset');
  return { limit, offset };
}

/** The integer in a query parameter; null if the parameter is absent, NaN if it is not an integer. */
export function wholeNumber(value: string | null): number | null {
  if (value === null) return null;
  return /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
}

/** The requested page of `entries`, in the form of Spotify's lists. Its links keep the call's other query parameters. */
export function paging<T>(
  call: ApiCall,
  path: string,
  entries: readonly T[],
  page: PageRequest,
  shape: (entry: T, position: number) => unknown,
): Record<string, unknown> {
  const { limit, offset } = page;
  const total = entries.length;
  const items = entries.slice(offset, offset + limit).map((entry, n) => shape(entry, offset + n));
  const link = (to: number) => pageLink(call, path, to, limit);
  return {
    // Making links is the slowest part of a page. A caller that leaves them out, as with `fields`, does not pay for them.
    get href() {
      return link(offset);
    },
    limit,
    get next() {
      return offset + limit < total ? link(offset + limit) : null;
    },
    offset,
    get previous() {
      return offset > 0 ? link(Math.max(0, offset - limit)) : null;
    },
    total,
    items,
  };
}

function pageLink(call: ApiCall, path: string, offset: number, limit: number): string {
  const query = new URLSearchParams(call.query);
  query.set('offset', String(offset));
  query.set('limit', String(limit));
  return `${call.world.apiUrl}${path}?${query}`;
}
