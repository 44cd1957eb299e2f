import assert from 'node:assert/strict';
import test from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import type { BrowserSummary } from '../../src/domain/localApi.ts';
import { relay } from '../support/cli.ts';
import { pluck } from '../support/entries.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';

const FIREFOX: BrowserSummary = {
  id: '3f9c21aa',
  label: 'Firefox on Linux',
  origin: 'http://127.0.0.1:4980',
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: '2026-11-19T10:00:00.000Z',
  expiresAt: '2026-12-19T10:00:00.000Z',
};
const EDGE: BrowserSummary = { ...FIREFOX, id: '0b', label: 'Edge', origin: 'http://localhost:4980' };

test('browsers lists each remembered browser with its address and the time at which it expires', async (context) => {
  const listBrowsers = async () => ({ browsers: [FIREFOX, EDGE] });
  const { env } = await startFakeLocal(context, { answers: { listBrowsers } });
  assert.deepEqual(await relay(['browsers'], { env }), {
    code: 0,
    out: `ID        BROWSER           ADDRESS                SINCE       LAST USED   UNTIL
3f9c21aa  Firefox on Linux  http://127.0.0.1:4980  2026-11-01  2026-11-19  2026-12-19
0b        Edge              http://localhost:4980  2026-11-01  2026-11-19  2026-12-19
`,
    err: '',
  });
  const narrow = await relay(['browsers'], { env, columns: 50, terminal: { stdout: true } });
  assert.deepEqual(narrow, {
    code: 0,
    out: `ID        BROWSER   ADDRESS
3f9c21aa  Firefox…  http://127.0.0.1:4980
0b        Edge      http://localhost:4980
`,
    err: 'Hidden at this width: since, last used, until\n(--json has them)\n',
  });
  const json = await relay(['browsers', 'list', '--json'], { env });
  assert.deepEqual(JSON.parse(json.out), { browsers: [FIREFOX, EDGE] });
});

test('if no browser is remembered, browsers says that the approval page asks for the owner code', async (context) => {
  const answers = {
    listBrowsers: async () => ({ browsers: [] }),
    forgetBrowsers: async () => ({ forgotten: [] }),
  };
  const { env } = await startFakeLocal(context, { answers });
  assert.deepEqual(await relay(['browsers'], { env }), {
    code: 0,
    out: '',
    err: 'No browser is remembered: the approval page asks for the owner code.\n',
  });
  assert.equal((await relay(['browsers', 'forget', '--all'], { env })).out, 'No browser was remembered.\n');
});

test('browsers forget forgets one browser or all, and needs an ID or --all', async (context) => {
  const forgetBrowsers = async ({ id }: { id: string | null }) => {
    if (id === 'x')
      throw new RelayError('NOT_FOUND', 'There is no browser "x".', { remedy: 'See `relay browsers`.' });
    return { forgotten: id === null ? [FIREFOX, EDGE] : [FIREFOX] };
  };
  const { env, calls } = await startFakeLocal(context, { answers: { forgetBrowsers } });
  assert.deepEqual(await relay(['browsers', 'forget', '3f9c21aa'], { env }), {
    code: 0,
    out: 'Forgot Firefox on Linux (http://127.0.0.1:4980). Next time, the approval page asks for the owner code.\n',
    err: '',
  });
  assert.deepEqual(await relay(['browsers', 'forget', '--all'], { env }), {
    code: 0,
    out: 'Forgot 2 browsers. Next time, the approval page asks for the owner code.\n',
    err: '',
  });
  const json = await relay(['browsers', 'forget', '--all', '--json'], { env });
  assert.deepEqual(JSON.parse(json.out), { forgotten: [FIREFOX, EDGE] });
  assert.deepEqual(pluck(calls, 'body'), [{ id: '3f9c21aa' }, { id: null }, { id: null }]);
  assert.equal((await relay(['browsers', 'forget', 'x'], { env })).code, 1);
  assert.equal((await relay(['browsers', 'forget'], { env })).code, 2);
  assert.equal((await relay(['browsers', 'forget', '0b', '--all'], { env })).code, 2);
  assert.equal(calls.length, 4, 'wrong usage asks nothing');
});
