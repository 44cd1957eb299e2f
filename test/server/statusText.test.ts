import assert from 'node:assert/strict';
import test from 'node:test';
import { reportOf } from '../../src/server/status/status.ts';
import { CONNECTED, exampleReport } from '../support/reports.ts';

function summaries(count: number): Record<string, string> {
  const example = exampleReport();
  const { entries } = reportOf({
    ...example,
    account: { ...CONNECTED, scopes: Array.from({ length: count }, (_, n) => `scope-${n}`), daysLeft: count },
    mcp: { ...example.mcp, clients: count, browsers: count },
    rateLimits: { blocked: [], requests24h: count },
  });
  return Object.fromEntries(entries.map(({ part, summary }) => [part, summary]));
}

test('the status lines count one thing in the singular', () => {
  const { account, mcp, rate_limits } = summaries(1);
  assert.deepEqual(
    { account, mcp, rate_limits },
    {
      account: 'Ann, 1 permission, login ends in 1 day',
      mcp: 'API key and OAuth, 1 approved client, 1 remembered browser',
      rate_limits: 'nothing blocked, 1 request in 24 hours',
    },
  );
});

test('the status lines count several things in the plural', () => {
  const { account, mcp, rate_limits } = summaries(2);
  assert.deepEqual(
    { account, mcp, rate_limits },
    {
      account: 'Ann, 2 permissions, login ends in 2 days',
      mcp: 'API key and OAuth, 2 approved clients, 2 remembered browsers',
      rate_limits: 'nothing blocked, 2 requests in 24 hours',
    },
  );
});

const COMMIT = { text: '{command}, to write', command: ['jobs', 'commit', 'ID'] };
const SHOW = { text: '{command} goes through the songs that need you', command: ['jobs', 'fix', 'ID'] };

test('the status suggests a commit only if it would not be refused', () => {
  const { jobs, database } = exampleReport();
  const remedyOf = (ready: number, committable: number, status: 'ok' | 'degraded') => {
    const { entries } = reportOf({
      ...exampleReport(),
      jobs: { ...jobs, byStatus: { ready }, committable },
      database: { ...database, status },
    });
    return entries.find(({ part }) => part === 'jobs')?.remedy;
  };
  assert.deepEqual(remedyOf(2, 1, 'ok'), COMMIT);
  assert.deepEqual(remedyOf(2, 0, 'ok'), SHOW);
  assert.equal(remedyOf(2, 1, 'degraded'), null);
  assert.equal(remedyOf(0, 0, 'ok'), null);
});

test('the status counts failed jobs apart from those under review, and leads to them', () => {
  const { jobs } = exampleReport();
  const lineOf = (failed: number, reviewRequired: number) => {
    const { entries } = reportOf({
      ...exampleReport(),
      jobs: { ...jobs, byStatus: { failed, paused: 1 }, reviewRequired },
    });
    return entries.find(({ part }) => part === 'jobs');
  };
  const LIST = { text: '{command}', command: ['jobs'] };
  const line = { part: 'jobs', state: 'ok', summary: '1 paused; 2 failed', remedy: LIST };
  assert.deepEqual(lineOf(2, 0), line);
  assert.equal(
    lineOf(2, 1)?.summary,
    '1 paused; 1 failed; 1 stopped because someone else changed the playlist',
  );
  assert.equal(lineOf(1, 1)?.summary, '1 paused; 1 stopped because someone else changed the playlist');
});
