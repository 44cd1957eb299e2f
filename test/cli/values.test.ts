/** A value that is empty (as from an unset shell variable) or too long is a usage error, with or without a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOffline } from '../../src/server/offline.ts';
import { relay, run, temporaryHome } from '../support/cli.ts';
import { longTest } from '../support/scale.ts';
import { withRelay } from '../support/world.ts';

const URI = 'http://127.0.0.1/callback';
const LONG = 'x'.repeat(201);

const CASES: ReadonlyArray<readonly [args: string[], message: string]> = [
  [['undo', ''], 'The ID of the change is empty.'],
  [['clients', 'add', ' ', '--redirect-uri', URI], 'The name is empty.'],
  [['clients', 'add', LONG, '--redirect-uri', URI], 'The name has more than 200 characters.'],
  [['playlists', 'versions', ''], 'The name or ID of the playlist is empty.'],
  [['library', 'ask', ''], 'The query is empty.'],
  [['keep', 'add', '', '--like', 'fresh'], 'The name is empty.'],
  [['keep', 'add', 'Fresh', ''], 'The query is empty.'],
  [['keep', 'add', 'x'.repeat(101), '--like', 'fresh'], 'The name has more than 100 characters.'],
];

longTest('a value that is empty or too long is wrong usage', () =>
  withRelay({}, async (world) => {
    for (const [args, message] of CASES) {
      const { code, out, err } = await run(world, args);
      assert.deepEqual([code, out, err], [2, '', `relay: ${message}\n`], args.join(' '));
    }
  }),
);

test('without a server, a client whose name is empty or too long is refused too', async (context) => {
  const env = { RELAY_HOME: temporaryHome(context), RELAY_KEYCHAIN: 'file' };
  const parts = { openOffline };
  for (const name of ['', 'Script', LONG, '']) {
    const { code } = await relay(['clients', 'add', name, '--redirect-uri', URI], { env, parts });
    assert.equal(code, name === 'Script' ? 0 : 2, name);
  }
});
