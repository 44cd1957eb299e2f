/**
 * Failed requests to the provider: one row per (method, path template, status, reason, provider), however often they failed.
 * Callers give path templates and their own messages, never a token, a body or a query value.
 */
import { defineTable, integer, nullable, type RowOf, text } from '../sql/table.ts';
import type { Store } from '../store.ts';

/** Maximum number of errors to keep: more than anyone reads, and the file stays small. */
const MAX_ROWS = 500;

const COLUMNS = {
  id: integer,
  provider: text(),
  scope: text(),
  method: text(),
  /** Path of the request, with names in place of IDs: `/playlists/{id}/items`. */
  path: text(),
  /** Status of the answer; null if none came. */
  statusCode: nullable(integer),
  code: text(),
  reason: nullable(text()),
  message: text(),
  occurrences: integer,
  /** Time of the first such error, in Unix milliseconds, as all times here. */
  firstSeenAt: integer,
  lastSeenAt: integer,
  /** When the same method and path next succeeded; null before that. */
  resolvedAt: nullable(integer),
};
const ERRORS = defineTable('api_errors', COLUMNS);

export type ApiError = RowOf<typeof COLUMNS>;
export type NewApiError = Omit<ApiError, 'id' | 'occurrences' | 'firstSeenAt' | 'lastSeenAt' | 'resolvedAt'>;

/** The filters of the tool `get_recent_api_errors`, by its names. */
export interface ApiErrorFilter {
  limit?: number;
  provider?: string | undefined;
  status_code?: number | undefined;
  unresolved_only?: boolean | undefined;
}

/** Adds an error or counts it again, which also reopens it. Saved soon. */
export function recordApiError(store: Store, error: NewApiError, now: number): void {
  store.transaction(() => {
    store.run(
      `insert into api_errors (
         provider, scope, method, path, status_code, code, reason, message, first_seen_at, last_seen_at)
       values (:provider, :scope, :method, :path, :statusCode, :code, :reason, :message, :now, :now)
       on conflict (method, path, ifnull(status_code, 0), ifnull(reason, ''), provider) do update set
         occurrences = occurrences + 1, last_seen_at = excluded.last_seen_at, resolved_at = null,
         scope = excluded.scope, code = excluded.code, message = excluded.message`,
      { ...error, now },
    );
    dropOldest(store);
  });
  store.saveSoon();
}

/** Drops rows above `MAX_ROWS`: resolved errors before open ones, and in each group those last seen longest ago. */
function dropOldest(store: Store): void {
  store.run(
    `delete from api_errors where id in (
       select id from api_errors order by resolved_at is null, last_seen_at, id
       limit max(0, (select count(*) from api_errors) - ?))`,
    [MAX_ROWS],
  );
}

/** Marks earlier errors of this method and path as resolved, after a success. Returns how many were open. */
export function resolveApiErrors(store: Store, method: string, path: string, now: number): number {
  const { changes } = store.run(
    'update api_errors set resolved_at = ? where method = ? and path = ? and resolved_at is null',
    [now, method, path],
  );
  if (changes > 0) store.saveSoon();
  return changes;
}

/** Lists errors, latest first; 20 if the filter has no limit. */
export function listApiErrors(store: Store, filter: ApiErrorFilter = {}): ApiError[] {
  return ERRORS.all(
    store,
    `where (:provider is null or provider = :provider)
       and (:statusCode is null or status_code = :statusCode)
       and (:unresolvedOnly = 0 or resolved_at is null)
     order by last_seen_at desc, id desc
     limit :limit`,
    {
      provider: filter.provider ?? null,
      statusCode: filter.status_code ?? null,
      unresolvedOnly: filter.unresolved_only ? 1 : 0,
      limit: filter.limit ?? 20,
    },
  );
}

/** Lists all errors that are not resolved, latest first. */
export function listOpenApiErrors(store: Store): ApiError[] {
  return listApiErrors(store, { limit: MAX_ROWS, unresolved_only: true });
}

export function countApiErrors(store: Store): { total: number; unresolved: number } {
  const counts = store.get<{ total: number; unresolved: number }>(
    'select count(*) as total, count(*) filter (where resolved_at is null) as unresolved from api_errors',
  );
  return counts ?? { total: 0, unresolved: 0 };
}
