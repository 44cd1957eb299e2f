import assert from 'node:assert/strict';
import { readdir, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { type StartOptions, startServer } from '../../src/server/start.ts';
import { testDisk } from '../store/testDisk.ts';
import { temporaryHome } from '../store/testStore.ts';
import { listening } from '../support/http.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

type More = { port?: number } & Pick<StartOptions, 'startOver' | 'ground'>;

function start(home: string, key: string, { port = 0, ...more }: More = {}) {
  const settings = loadSettings({
    env: { RELAY_HOME: home, RELAY_PORT: String(port), RELAY_ENCRYPTION_KEY: key },
  });
  const world = { clock: systemClock, random: systemRandom, log: silentLog };
  return startServer({ settings, ...world, version: '0.0.0-test', ...more });
}

async function apiKeyOf(home: string, key: string): Promise<string> {
  const server = await start(home, key);
  try {
    return (await server.local.showKey()).key;
  } finally {
    await server.close();
  }
}

test('starting over keeps the former state, which its own key still opens', async (t) => {
  const home = temporaryHome(t);
  const before = await apiKeyOf(home, keyOf(1));
  await (await start(home, keyOf(2), { startOver: true })).close();
  assert.notEqual(await apiKeyOf(home, keyOf(2)), before);
  const kept = (await readdir(home)).filter((name) => name.startsWith('relay.db.before-start-over-'));
  assert.equal(kept.length, 1);
  await rename(join(home, kept[0] as string), join(home, 'relay.db'));
  assert.equal(await apiKeyOf(home, keyOf(1)), before);
});

test('a taken port is noticed before anything is dropped', async (t) => {
  const home = temporaryHome(t);
  const before = await apiKeyOf(home, keyOf(1));
  const file = await readFile(join(home, 'relay.db'));
  const port = Number(new URL(await listening(t, createServer())).port);
  await assert.rejects(start(home, keyOf(2), { port, startOver: true }), { code: 'PORT_TAKEN' });
  assert.equal((await readFile(join(home, 'relay.db'))).equals(file), true);
  assert.equal(await apiKeyOf(home, keyOf(1)), before);
});

test('a start that a full disk ends does not promise to try again', async (t) => {
  const home = temporaryHome(t);
  await (await start(home, keyOf(1))).close();
  const disk = testDisk();
  disk.fail('ENOSPC');
  await assert.rejects(start(home, keyOf(2), { startOver: true, ground: { disk: disk.disk } }), {
    code: 'STORE_ERROR',
    message: `The state cannot be saved to ${join(home, 'relay.db')}: the disk is full.`,
    remedy: 'Free some space, then try again. Nothing already saved is lost.',
  });
});
