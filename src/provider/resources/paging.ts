/** Reads the provider's lists (Paging objects): one page, or many pages at the same time. */
import { inParallel } from '../../base/lists.ts';
import type { Page } from '../../domain/shapes.ts';
import type { Call, ProviderApi, ProviderRequest, ProviderResponse, SendCall } from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { asArray, asObject, type Json, numberOf } from './parse.ts';

/** Number of pages to read at the same time; more would only hit the rate limit sooner. */
const PARALLEL_PAGES = 8;

export interface PageRequest {
  limit: number;
  offset: number;
}

/** Returns the body as an object. @throws RelayError `PROVIDER_INVALID_RESPONSE` for any other body: the API has changed */
export function objectBody(request: ProviderRequest, response: ProviderResponse): Json {
  const body = asObject(response.body);
  if (!body) throw invalidResponse(request, 'no JSON object');
  return body;
}

/**
 * Returns the unparsed rows of a Paging object and its total; without a total, the number of rows.
 * @throws RelayError `PROVIDER_INVALID_RESPONSE` if it has no rows
 */
export function pagingOf(request: ProviderRequest, value: unknown): { rows: unknown[]; total: number } {
  const paging = asObject(value);
  if (!paging || !Array.isArray(paging.items)) throw invalidResponse(request, 'no list of items');
  const rows = asArray(paging.items);
  const total = numberOf(paging.total);
  return { rows, total: total !== null && total >= 0 ? total : rows.length };
}

/**
 * Reads one page.
 * @param parse gets each row and its 0-based position in the whole list; null drops the row
 */
export async function readPage<T>(
  api: ProviderApi,
  request: ProviderRequest,
  window: PageRequest,
  parse: (row: unknown, position: number) => T | null,
  call: SendCall,
): Promise<Page<T>> {
  const windowed = { ...request, query: { ...request.query, limit: window.limit, offset: window.offset } };
  const response = await api.send(windowed, call);
  const { rows, total } = pagingOf(windowed, objectBody(windowed, response));
  const end = window.offset + window.limit;
  const found = rows.flatMap((row, index) => {
    const place = window.offset + index;
    const item = parse(row, place);
    return item === null ? [] : [{ item, place }];
  });
  return {
    items: found.map(({ item }) => item),
    total,
    limit: window.limit,
    offset: window.offset,
    next_offset: end < total ? end : null,
    ...(found.length < rows.length ? { places: found.map(({ place }) => place) } : {}),
  };
}

export interface AllRows<T> {
  items: T[];
  /** The 0-based position of each item in the whole list. */
  places: number[];
  total: number;
  /** True if the list has more rows than were asked for. */
  truncated: boolean;
  /** True if all pages had the same total. */
  steady: boolean;
}

/**
 * Reads the first `cap` rows from offset `from` on, in order. The first page says how many pages follow; those are read several
 * at a time.
 * @param known the first page, if another request has already returned it
 */
export async function readAll<T>(
  readWindow: (window: PageRequest) => Promise<Page<T>>,
  pageSize: number,
  cap: number,
  call: Call,
  known: Pick<Page<T>, 'items' | 'total'> | null = null,
  from = 0,
): Promise<AllRows<T>> {
  const first = known ?? (await readWindow({ limit: Math.min(pageSize, cap), offset: from }));
  const end = Math.min(first.total, from + cap);
  const windows: PageRequest[] = [];
  for (let offset = from + (known?.items.length ?? pageSize); offset < end; offset += pageSize) {
    // The last page is asked for in full too, since the total may lag behind the rows.
    windows.push({ limit: Math.min(pageSize, from + cap - offset), offset });
  }
  if (windows.length > 0) call.progress(1, windows.length + 1);
  let done = 1;
  const rest = await inParallel(windows, PARALLEL_PAGES, async (window) => {
    const page = await readWindow(window);
    done += 1;
    call.progress(done, windows.length + 1);
    return page;
  });
  return {
    items: [first, ...rest].flatMap(({ items }) => items),
    places: [{ offset: from, ...first }, ...rest].flatMap(placesIn),
    total: first.total,
    truncated: first.total > from + cap,
    steady: rest.every(({ total }) => total === first.total),
  };
}

function placesIn({ items, offset, places }: Pick<Page<unknown>, 'items' | 'offset' | 'places'>): number[] {
  return places ?? items.map((_, index) => offset + index);
}
