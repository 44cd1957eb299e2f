import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hook } from '../../src/demo/hook.ts';
import { type Answer, apiError } from '../../src/demo/http.ts';
import { named, tracks } from '../support/playlists.ts';
import { withProvider } from './withProvider.ts';

const rowCount = async (call: Parameters<Parameters<typeof withProvider>[0]>[0]['call'], id: string) =>
  (await call('GET', `/playlists/${id}/items`)).json.total;

test('a hook can let a write take effect after it has answered', async () => {
  const held: (() => Answer)[] = [];
  const late =
    (next: Hook): Hook =>
    async (context) => {
      if (context.request.method !== 'POST' || !context.request.isApi) return next(context);
      held.push(context.handle);
      return { answer: apiError(504, 'Gateway timeout'), manner: 'whole' };
    };
  await withProvider(
    async ({ provider, call }) => {
      const { id } = named({ provider }, 'Empty Shelf');
      const { status } = await call('POST', `/playlists/${id}/items`, { uris: tracks({ provider }, 2) });
      assert.deepEqual([status, await rowCount(call, id)], [504, 0]);
      const applied = held.map((handle) => handle().status);
      assert.deepEqual([applied, await rowCount(call, id)], [[201], 2]);
    },
    { around: late },
  );
});

test('a hook can answer one read from an older state', async () => {
  let former: unknown = null;
  await withProvider(
    async ({ provider, call }) => {
      const playlist = named({ provider }, 'Empty Shelf');
      former = structuredClone(playlist.rows);
      await call('POST', `/playlists/${playlist.id}/items`, { uris: tracks({ provider }, 2) });
      const seen = [await rowCount(call, playlist.id), await rowCount(call, playlist.id)];
      assert.deepEqual(seen, [0, 2]);
    },
    {
      around: (next, simulator) => async (context) => {
        if (former === null || !context.request.path.endsWith('/items') || context.request.method !== 'GET')
          return next(context);
        const playlist = named({ provider: simulator() }, 'Empty Shelf');
        const present = playlist.rows;
        playlist.rows = former as typeof present;
        former = null;
        const answer = context.handle();
        playlist.rows = present;
        return { answer, manner: 'whole' };
      },
    },
  );
});
