import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pluck } from '../support/entries.ts';
import { withKeychain, withoutKeychain } from '../support/keychain.ts';
import { withDesk } from '../support/program.ts';
import { longTest } from '../support/scale.ts';

longTest(
  'the master key is kept in the OS keychain, and opens the state again',
  {
    skip: withoutKeychain(),
  },
  async () => {
    await withKeychain((keychain) =>
      withDesk({ ...keychain, RELAY_KEYCHAIN: 'auto' }, async ({ home, start, serve }) => {
        const relay = (args: string[], env?: Record<string, string>) => start(args, env).ended;
        const { server } = await serve();
        const running = await relay(['status', '--json']);
        assert.deepEqual(JSON.parse(running.out).key, { source: 'keychain', warning: null });
        const key = await relay(['key']);
        assert.deepEqual([key.code, key.err], [0, '']);
        await server.stop('SIGKILL');

        const again = await serve();
        assert.deepEqual(await relay(['key']), key);
        assert.equal((await again.server.stop()).code, 0);
        assert.equal(readdirSync(home).includes('master.key'), false);

        const locked = await relay(['serve', '--port', '0'], {
          DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
        });
        assert.equal(locked.code, 3);
        assert.match(
          locked.err,
          /^relay: The keychain cannot be used: .*\n {2}Unlock the keychain, then try again\./m,
        );
        assert.deepEqual(await relay(['key']), key);
        assert.equal(readdirSync(join(home)).includes('master.key'), false);

        const erased = await relay(['uninstall', '--yes', '--json'], { PATH: '' });
        assert.deepEqual(pluck(JSON.parse(erased.out).removed, 'part'), ['state', 'key'], erased.err);
        assert.equal(existsSync(home), false);
        mkdirSync(home);
        const fresh = await relay(['key']);
        assert.deepEqual([fresh.code, fresh.out === key.out], [0, false]);
      }),
    );
  },
);
