/** What `relay backup` asks of a running server. */
import assert from 'node:assert/strict';
import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { readOnlyDisk } from '../../src/store/disk.ts';
import { openStore } from '../../src/store/store.ts';
import { countAliases } from '../../src/store/tables/aliases.ts';
import { manualClock } from '../support/clock.ts';
import { at } from '../support/entries.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { withClock } from '../support/waiting.ts';
import type { Relay } from '../support/world.ts';

async function aliasesOnDisk(path: string): Promise<number> {
  const home = dirname(path);
  const store = await openStore({ home, clock: manualClock(), log: silentLog, disk: readOnlyDisk });
  const count = countAliases(store);
  await store.close(true);
  return count;
}

/** Makes a change that is saved after a while. While the clock stands still, it is never saved. */
const learn = (relay: Relay) => relay.call('find_track_exact', asQuery(at(uniqueTracks(relay, 1), 0)));

test('everything is on disk once the server says so', () =>
  withClock(async (relay, clock) => {
    const path = join(relay.home, 'relay.db');
    await learn(relay);
    assert.equal(await aliasesOnDisk(path), 0);
    const saved = await relay.door.saveState();
    const { size } = await stat(path);
    assert.deepEqual(
      { ...saved, schemaVersion: 0 },
      {
        path,
        savedAt: new Date(clock.now()).toISOString(),
        schemaVersion: 0,
        sizeBytes: size,
        keySource: 'environment',
      },
    );
    assert.equal(await aliasesOnDisk(path), 1);
  }));

test('a server that cannot save says so', () =>
  withClock(async (relay) => {
    await learn(relay);
    await rename(relay.home, `${relay.home}-gone`);
    // The door has gone with the home.
    await assert.rejects(relay.server.local.saveState(), { code: 'STORE_ERROR' });
    await rename(`${relay.home}-gone`, relay.home);
  }));

test('the status says why the state cannot be saved, and what to do about that cause', () =>
  withClock(async (relay) => {
    const path = join(relay.home, 'relay.db');
    const database = async () => (await relay.door.status()).entries.find(({ part }) => part === 'database');
    const before = await database();
    await learn(relay);
    await appendFile(path, Buffer.alloc(4096));
    await assert.rejects(relay.door.saveState(), { code: 'STORE_ERROR' });
    assert.deepEqual(await database(), {
      part: 'database',
      state: 'bad',
      summary: `Another relay process uses this home and has changed ${path}, so this process does not save over it (${before?.summary})`,
      remedy: {
        text: 'Stop the other process, perhaps in another container or on another machine, and start this one again. Changes that this process has not saved will be lost.',
      },
    });
    await rm(path);
    await relay.door.saveState();
    assert.equal((await database())?.state, 'ok');
  }));
