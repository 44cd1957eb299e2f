/** Reading this program's own state: none of these tools asks Spotify. */

import * as z from 'zod';
import { isoOf } from '../base/clock.ts';
import { PROVIDER_NAME } from '../provider/api.ts';
import { countAliases, countTracks } from '../store/tables/aliases.ts';
import { type ApiError, countApiErrors, listApiErrors } from '../store/tables/apiErrors.ts';
import { countOauthClients, countOauthTokens } from '../store/tables/oauth.ts';
import { listRateLimits, type RateLimit, requestTotals } from '../store/tables/rateLimits.ts';
import { countJobItems, countJobs } from '../store/tables/works.ts';
import { defineTool } from './tool.ts';

const Count = z.number();
const Time = z.string().nullable().describe('ISO 8601');

export const getStateDiagnosticsTool = defineTool({
  name: 'get_state_diagnostics',
  title: 'Get state diagnostics',
  description:
    'Gets diagnostics of the relay server: its health, uptime, database size and status, and how many tracks, jobs and clients it knows.',
  kind: 'read',
  openWorld: false,
  input: z.object({}),
  output: z.object({
    database: z.object({
      status: z.enum(['ok', 'degraded']).describe('degraded: the state cannot be saved right now'),
      schema_version: Count,
      size_bytes: Count,
      last_saved_at: Time,
      unsaved_changes: z.boolean(),
    }),
    counts: z.object({
      tracks: Count.describe('Tracks stored with aliases'),
      aliases: Count,
      jobs: z.record(z.string(), Count).describe('Jobs by status'),
      job_items: Count,
      api_errors: Count,
      unresolved_errors: Count,
      oauth_clients: Count,
      oauth_tokens: Count,
    }),
    requests_24h: z.record(z.string(), Count).describe('Requests to Spotify in the last 24 hours, by scope'),
    uptime_seconds: Count,
  }),
  async handle({ store, clock, uptimeMs }) {
    const { status, schemaVersion, sizeBytes, lastSavedAt, unsavedChanges } = store.state();
    const errors = countApiErrors(store);
    return {
      database: {
        status,
        schema_version: schemaVersion,
        size_bytes: sizeBytes,
        last_saved_at: isoOf(lastSavedAt),
        unsaved_changes: unsavedChanges,
      },
      counts: {
        tracks: countTracks(store),
        aliases: countAliases(store),
        jobs: countJobs(store),
        job_items: countJobItems(store),
        api_errors: errors.total,
        unresolved_errors: errors.unresolved,
        oauth_clients: countOauthClients(store),
        oauth_tokens: countOauthTokens(store, clock.now()),
      },
      requests_24h: requestTotals(store, clock.now()),
      uptime_seconds: Math.floor(uptimeMs() / 1000),
    };
  },
});

const Provider = z.string().min(1).max(50).optional().describe('Only "spotify"');

export const getRateLimitStatusTool = defineTool({
  name: 'get_rate_limit_status',
  title: 'Get rate-limit status',
  description:
    'Gets the rate limits and quota: whether requests are blocked, how long to wait, and how many were sent in 24 hours. Check it after RATE_LIMITED or QUOTA_EXCEEDED and before bulk work.',
  kind: 'read',
  openWorld: false,
  input: z.object({
    provider: Provider,
    scope: z
      .string()
      .min(1)
      .max(50)
      .optional()
      .describe('Only this kind of request, such as search or playlists.write'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        provider: z.string(),
        scope: z.string(),
        blocked: z.boolean(),
        blocked_until: Time,
        remaining_seconds: Count,
        reason: z.string().nullable(),
        last_status: Count.nullable(),
        requests_24h: Count,
      }),
    ),
  }),
  async handle({ store, clock }, { provider = PROVIDER_NAME, scope }) {
    const now = clock.now();
    const totals = provider === PROVIDER_NAME ? requestTotals(store, now) : {};
    const limits = new Map(listRateLimits(store, { provider, scope }).map((limit) => [limit.scope, limit]));
    const scopes = [...new Set([...limits.keys(), ...Object.keys(totals)])].sort();
    const asked = scopes.filter((name) => scope === undefined || name === scope);
    return { items: asked.map((name) => limitRow(name, limits.get(name), totals[name] ?? 0, now)) };
  },
});

function limitRow(scope: string, limit: RateLimit | undefined, requests: number, now: number) {
  const until = limit?.blockedUntil ?? null;
  const blocked = until !== null && until > now;
  return {
    provider: limit?.provider ?? PROVIDER_NAME,
    scope,
    blocked,
    blocked_until: blocked ? isoOf(until) : null,
    remaining_seconds: blocked ? Math.ceil((until - now) / 1000) : 0,
    reason: limit?.reason ?? null,
    last_status: limit?.lastStatus ?? null,
    requests_24h: requests,
  };
}

export const getRecentApiErrorsTool = defineTool({
  name: 'get_recent_api_errors',
  title: 'List recent API errors',
  description:
    'Lists recent API errors, latest first: the log of what failed or went wrong, and why. resolved_at is when it worked again.',
  kind: 'read',
  openWorld: false,
  input: z.object({
    limit: z.int().min(1).max(100).default(20).describe('1 to 100'),
    provider: Provider,
    status_code: z.int().min(100).max(599).optional().describe('Only this HTTP status'),
    unresolved_only: z
      .boolean()
      .default(false)
      .describe('true: only errors that no later success has resolved'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        id: Count,
        provider: z.string(),
        scope: z.string(),
        method: z.string(),
        path: z.string().describe('With placeholders instead of IDs'),
        status_code: Count.nullable().describe('null when there was no response'),
        code: z.string(),
        reason: z.string().nullable(),
        message: z.string(),
        occurrences: Count,
        first_seen_at: Time,
        last_seen_at: Time,
        resolved_at: Time,
      }),
    ),
  }),
  rows: { key: 'items', hint: 'To see others, pass status_code or unresolved_only.' },
  handle: async ({ store }, filter) => ({ items: listApiErrors(store, filter).map(errorRow) }),
});

function errorRow({ statusCode, firstSeenAt, lastSeenAt, resolvedAt, ...error }: ApiError) {
  return {
    ...error,
    status_code: statusCode,
    first_seen_at: isoOf(firstSeenAt),
    last_seen_at: isoOf(lastSeenAt),
    resolved_at: isoOf(resolvedAt),
  };
}
