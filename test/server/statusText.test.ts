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
      mcp: 'API key (relay key) and OAuth, 1 approved client, 1 remembered browser',
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
      mcp: 'API key (relay key) and OAuth, 2 approved clients, 2 remembered browsers',
      rate_limits: 'nothing blocked, 2 requests in 24 hours',
    },
  );
});
