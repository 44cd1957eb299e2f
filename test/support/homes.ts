/** Prepares homes with relay's own storage code. */
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { aliasKey } from '../../src/music/trackQuery.ts';
import { openCore } from '../../src/server/core.ts';
import { openStore } from '../../src/store/store.ts';
import { putAlias } from '../../src/store/tables/aliases.ts';

/** Makes a state whose API key is sealed, as the first start of a server does. Returns that key. */
export async function makeState(env: NodeJS.ProcessEnv): Promise<string> {
  const settings = loadSettings({ env });
  const world = { clock: systemClock, random: systemRandom, log: silentLog, version: '1.2.3' };
  const core = await openCore({ settings, ...world, purpose: 'relay serve', readClientId: () => null });
  const key = core.apiKey.current();
  await core.close();
  return key;
}

/** Makes a state that knows `count` tracks by heart, each as `remember_track` stores it. */
export async function rememberTracks(home: string, count: number): Promise<void> {
  const store = await openStore({ home, clock: systemClock, log: silentLog });
  store.transaction(() => {
    for (let index = 0; index < count; index++) {
      const [title, artist] = [`Known song number ${index}`, `Somebody ${index % 997}`];
      const id = `known${String(index).padStart(17, '0')}`;
      const track = {
        ...{ id, uri: `spotify:track:${id}`, type: 'track' as const, name: title, duration_ms: 200_000 },
        ...{ artists: [{ id: null, name: artist }], album: { id: null, name: 'LP', release_date: null } },
        ...{ explicit: false, is_local: false, isrc: null, url: null },
      };
      const alias = { key: aliasKey({ title, artist }), title, artist, album: null };
      putAlias(store, { ...alias, track, source: 'person' }, Date.now());
    }
  });
  await store.close();
}
