/** A server uses only the settings that it was given, not the variables of its process. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { startServer } from '../../src/server/start.ts';
import { temporaryHome } from '../store/testStore.ts';

const OURS = 'a'.repeat(32);
const FOREIGN = 'f'.repeat(32);

test('a client ID is read again from the config.json of the server’s own home, whatever RELAY_HOME says', async (t) => {
  const home = temporaryHome(t);
  const another = temporaryHome(t);
  const configOf = (folder: string, providerClientId: string) =>
    writeFile(join(folder, 'config.json'), JSON.stringify({ providerClientId }), { mode: 0o600 });
  await configOf(another, FOREIGN);
  const before = { ...process.env };
  t.after(() => {
    for (const name of ['RELAY_HOME', 'PROVIDER_CLIENT_ID']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  const env = { RELAY_PORT: '0', RELAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64') };
  const settings = loadSettings({ env, flags: { home } });
  process.env.RELAY_HOME = another;
  process.env.PROVIDER_CLIENT_ID = FOREIGN;
  const world = { clock: systemClock, random: systemRandom, log: silentLog };
  const server = await startServer({ settings, ...world, version: '0.0.0-test' });
  t.after(() => server.close());

  await assert.rejects(server.local.startLogin({ switchAccount: false }), { code: 'SETTINGS_INVALID' });
  await configOf(home, OURS);
  const { providerUrl } = await server.local.startLogin({ switchAccount: false });
  assert.equal(new URL(providerUrl).searchParams.get('client_id'), OURS);
});
