/** What `relay backup` asks of a running server. */
import assert from 'node:assert/strict';
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLocalClient } from '../../src/local/localClient.ts';
import { openDetached } from '../../src/store/file/open.ts';
import { countAliases } from '../../src/store/tables/aliases.ts';
import { at } from '../support/entries.ts';
import { asQuery, uniqueTracks } from '../support/songs.ts';
import { watchedClock, withClock } from '../support/waiting.ts';
import type { Relay } from '../support/world.ts';

const localOf = ({ baseUrl, localKey }: Relay) => createLocalClient({ baseUrl, key: localKey });

async function aliasesOnDisk(path: string): Promise<number> {
  const { store } = await openDetached(path, { bytes: await readFile(path), savedAt: 0 }, watchedClock());
  const count = countAliases(store);
  await store.close();
  return count;
}

/** Makes a change that is saved after a while. While the clock stands still, it is never saved. */
const learn = (relay: Relay) => relay.call('find_track_exact', asQuery(at(uniqueTracks(relay, 1), 0)));

test('everything is on disk once the server says so', () =>
  withClock(async (relay, clock) => {
    const path = join(relay.home, 'relay.db');
    await learn(relay);
    assert.equal(await aliasesOnDisk(path), 0);
    const saved = await localOf(relay).saveState();
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
    await assert.rejects(localOf(relay).saveState(), { code: 'STORE_ERROR' });
    await rename(`${relay.home}-gone`, relay.home);
  }));
