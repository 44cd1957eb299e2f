/** Example status reports and jobs. */
import type { JobRecord } from '../../src/domain/job.ts';
import type { StatusReport } from '../../src/domain/localApi.ts';

/** A server that runs without an account; `changes` replace whole fields. */
export function exampleReport(changes: Partial<StatusReport> = {}): StatusReport {
  return {
    version: '1.2.3',
    demo: false,
    home: '/home/me/.config/relay',
    entries: [
      {
        part: 'server',
        state: 'ok',
        summary: 'pid 42, http://127.0.0.1:4980, version 1.2.3',
        remedy: null,
      },
      {
        part: 'account',
        state: 'bad',
        summary: 'not connected: no Spotify account has been connected with this home so far',
        remedy: { text: '{command}', command: ['login'] },
      },
      { part: 'key', state: 'warning', summary: 'in a file', remedy: null },
      { part: 'jobs', state: 'off', summary: 'none', remedy: null },
    ],
    server: {
      pid: 42,
      version: '1.2.3',
      baseUrl: 'http://127.0.0.1:4980',
      mcpUrl: 'http://127.0.0.1:4980/mcp',
      startedAt: '2026-11-01T00:00:00.000Z',
    },
    account: {
      connected: false,
      reauthorizationRequired: false,
      name: null,
      id: null,
      scopes: [],
      missingScopes: [],
      accessTokenExpiresAt: null,
      loginExpiresAt: null,
      daysLeft: null,
    },
    key: { source: 'file', warning: null },
    database: {
      path: '/home/me/.config/relay/relay.db',
      status: 'ok',
      schemaVersion: 1,
      expectedVersion: 1,
      schemaState: 'current',
      sizeBytes: 4096,
      lastSavedAt: null,
    },
    mcp: { authMode: 'bearer', apiKeySet: true, clients: 0, registrationOpen: true, browsers: 0 },
    rateLimits: { blocked: [], requests24h: 0 },
    jobs: { byStatus: {}, committable: 0, reviewRequired: 0, nextRunAfter: null },
    kept: { total: 0, review: 0, waiting: 0, paused: 0 },
    recentErrors: [],
    ownerCode: null,
    problem: null,
    ...changes,
  };
}

/** The account part of a report for a connected account. */
export const CONNECTED: StatusReport['account'] = {
  connected: true,
  reauthorizationRequired: false,
  name: 'Ann',
  id: 'ann',
  scopes: ['playlist-read-private'],
  missingScopes: [],
  accessTokenExpiresAt: '2026-11-01T01:00:00.000Z',
  loginExpiresAt: '2027-05-01T00:00:00.000Z',
  daysLeft: 181,
};

/** A searching job, a quarter done; `changes` replace whole fields. */
export function exampleJob(changes: Partial<JobRecord> = {}): JobRecord {
  return {
    job_id: '1f0c2b3a-0000-4000-8000-000000000000',
    type: 'add_to_playlist',
    status: 'resolving',
    phase: 'resolve',
    payload: {
      playlist_id: 'p'.repeat(22),
      strict: true,
      dry_run: false,
      skip_existing: false,
      skip_duplicates: true,
    },
    playlist_id: 'p'.repeat(22),
    total_items: 400,
    pending: 300,
    resolved: 90,
    ambiguous: 4,
    unmatched: 6,
    failed: 0,
    skipped: 0,
    skipped_existing: 0,
    written: 0,
    attempts: 0,
    max_attempts: 5,
    run_after: null,
    reason: null,
    review_required: false,
    error: null,
    result: null,
    created_at: '2026-11-20T12:34:56.000Z',
    updated_at: '2026-11-20T12:34:57.000Z',
    started_at: '2026-11-20T12:34:57.000Z',
    completed_at: null,
    ...changes,
  };
}
