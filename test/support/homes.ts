/** Fills homes with a long history: known tracks, jobs and changes. It writes them with relay's own storage code. */
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Track } from '../../src/domain/shapes.ts';
import { aliasKey, type TrackQuery } from '../../src/music/trackQuery.ts';
import { openCore } from '../../src/server/core.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { putAlias } from '../../src/store/tables/aliases.ts';
import { insertItems, type NewItem } from '../../src/store/tables/items.ts';
import { type Body, insertWork, pruneBodies, setWork } from '../../src/store/tables/works.ts';

export interface Past {
  /** Known tracks, each with an alias. */
  tracks: number;
  /** Ended jobs of 20 items each. */
  jobs: number;
  /** Number of days with three changes a day, each of 100 rows. Changes that relay would no longer keep are dropped. */
  days: number;
}

const ITEMS = 20;
const DAY_MS = 24 * 60 * 60_000;
const CHANGES_A_DAY = 3;
const ROWS = 100;
/** The limits of `work/write/writes.ts`. */
const KEPT = { count: 200, bytes: 8 * 1024 * 1024, days: 30 };

/** Makes a state whose API key is sealed, as the first start of a server does. Returns that key. */
export async function makeState(env: NodeJS.ProcessEnv): Promise<string> {
  const settings = loadSettings({ env });
  const world = { clock: systemClock, random: systemRandom, log: silentLog, version: '1.2.3' };
  const core = await openCore({ settings, ...world, purpose: 'relay serve', readClientId: () => null });
  const key = core.apiKey.current();
  await core.close();
  return key;
}

export async function fillHome(home: string, { tracks, jobs, days }: Past): Promise<void> {
  const store = await openStore({ home, clock: systemClock, log: silentLog });
  const now = Date.now();
  const uris = Array.from({ length: ROWS }, (_, row) => knownTrack(row).uri);
  const body = {
    former: { rows: new Array<string>(1_000).fill('') },
    ops: [{ op: 'append' as const, uris }],
  };
  store.transaction(() => {
    for (let index = 0; index < tracks; index++) rememberTrack(store, index, now);
    for (let index = 0; index < jobs; index++) endedJob(store, index, now - (index % 89) * DAY_MS);
    for (let day = days; day > 0; day--) {
      for (let count = 0; count < CHANGES_A_DAY; count++) endedChange(store, body, now - day * DAY_MS);
      pruneBodies(store, { ...KEPT, since: now - (day + KEPT.days) * DAY_MS });
    }
  });
  await store.close();
}

/** Returns the song by which a list names known track `index`. */
function knownSong(index: number): TrackQuery {
  return { title: `Known song number ${index}`, artist: `Somebody ${index % 997}` };
}

function knownTrack(index: number): Track {
  const id = `known${String(index).padStart(17, '0')}`;
  const { title, artist } = knownSong(index);
  return {
    id,
    uri: `spotify:track:${id}`,
    type: 'track',
    name: title,
    artists: [{ id: `someb${String(index % 997).padStart(17, '0')}`, name: artist }],
    album: {
      id: `album${String(index >> 3).padStart(17, '0')}`,
      name: `Long player ${index >> 3}`,
      release_date: '2001-02-03',
    },
    duration_ms: 200_000 + index,
    explicit: false,
    is_local: false,
    isrc: `XXRLY${String(index % 10_000_000).padStart(7, '0')}`,
    url: `https://open.spotify.com/track/${id}`,
  };
}

/** Stores a match as a person's choice, as `remember_track` does: relay limits the number of those that it learns by itself. */
function rememberTrack(store: Store, index: number, now: number): void {
  const song = knownSong(index);
  const alias = { key: aliasKey(song), title: song.title, artist: song.artist, album: null };
  putAlias(store, { ...alias, track: knownTrack(index), source: 'person' }, now);
}

const PAYLOAD = { strict: false, dry_run: false, skip_existing: false, skip_duplicates: true };
const ENDED = {
  phase: 'commit',
  status: 'completed',
  account: null,
  payload: PAYLOAD,
  maxAttempts: 5,
} as const;

function endedJob(store: Store, index: number, at: number): void {
  const who = { id: systemRandom.uuid(), kind: 'save', playlistId: null, askedBy: 'Some client' } as const;
  const { seq } = insertWork(store, { ...ENDED, ...who, listed: true, totalItems: ITEMS }, null, at);
  const items = Array.from({ length: ITEMS }, (_, item): NewItem => {
    const number = index * ITEMS + item;
    const track = knownTrack(number);
    const song = knownSong(number);
    return { input: song, key: aliasKey(song), uri: track.uri, status: 'written', track };
  });
  insertItems(store, seq, 0, items);
  setWork(store, seq, { completedAt: at, result: { written: ITEMS } }, at);
}

function endedChange(store: Store, body: Body, at: number): void {
  const who = { id: systemRandom.uuid(), kind: 'add', askedBy: 'Some client' } as const;
  const written = { outcome: 'done', requested: ROWS, written: ROWS, completedAt: at } as const;
  insertWork(store, { ...ENDED, ...who, ...written, playlistId: 'playlist0000000000000' }, body, at);
}
