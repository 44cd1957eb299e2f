/** Spotify as a function: the rules of the simulated provider over a small world. Reads may show a write some time later. */
import type { Catalogue, DemoAlbum, DemoArtist, DemoTrack } from '../../../src/demo/catalogue/types.ts';
import type { Answer, Incoming } from '../../../src/demo/http.ts';
import { createDemoRules } from '../../../src/demo/rules.ts';
import {
  type DemoAccount,
  type DemoPlaylist,
  type DemoWorld,
  findPlaylist,
  type PlaylistRow,
} from '../../../src/demo/state.ts';
import { chanceFor, randomOf } from './chance.ts';
import type { VirtualTime } from './time.ts';

/** Number of tracks. The catalogue is small, since a history would spend most of its time on the JSON of a large one. */
const TRACKS = 4_000;
/** How much longer than rows a `snapshot_id` may lag. */
const VERSIONS_LAG = 10;
const SINCE = '2026-01-05T08:00:00Z';

const ARTIST: DemoArtist = { id: idOf('A', 0), uri: '', name: 'Somebody', genres: [], popularity: 0 };
const ALBUM: DemoAlbum = {
  ...{ id: idOf('L', 0), uri: '', name: 'Songs', type: 'album', artists: [], releaseDate: '2020' },
  ...{ popularity: 0, tracks: [] },
};

function idOf(kind: string, index: number): string {
  return `${kind}${String(index).padStart(21, '0')}`;
}

function trackOf(index: number): DemoTrack {
  const id = idOf('T', index);
  return {
    ...{ id, uri: `spotify:track:${id}`, name: `Song ${index}`, artists: [ARTIST], album: ALBUM },
    ...{ durationMs: 200_000 + index, explicit: false, isrc: `ISRC${index}`, trackNumber: 1, popularity: 0 },
  };
}

const ALL = Array.from({ length: TRACKS }, (_, at) => trackOf(at));
const CATALOGUE: Catalogue = {
  ...{ artists: [ARTIST], albums: [ALBUM], tracks: ALL, episodes: [] },
  trackByUri: new Map(ALL.map((track) => [track.uri, track])),
  ...{ episodeByUri: new Map(), albumByUri: new Map(), artistByUri: new Map(), showByUri: new Map() },
};

/** The URI of a track. */
export function uriOf(index: number): string {
  return `spotify:track:${idOf('T', index)}`;
}

export function urisOf({ rows }: Pick<DemoPlaylist, 'rows'>): string[] {
  return rows.map(({ uri }) => uri);
}

/** A row as a person adds it. */
export function rowOf(uri: string): PlaylistRow {
  return { uri, addedAt: SINCE, addedBy: 'owner' };
}

export class Spotify {
  readonly world: DemoWorld;
  readonly account: DemoAccount;
  readonly rules: ReturnType<typeof createDemoRules>;
  /** Hears of each write of relay to a playlist, and of the rows before. */
  onWrite: ((playlist: DemoPlaylist, before: readonly string[]) => void) | null = null;

  constructor(time: VirtualTime, seed: number) {
    this.world = {
      ...{ catalogue: CATALOGUE, accounts: [accountOf('owner')], unlisted: [], clock: time.clock() },
      random: randomOf(chanceFor(seed, 'spotify')),
      ...{ apiUrl: 'https://api/v1', commands: 0 },
      lags: { lists: 0, snapshots: 0, totals: 0 },
    };
    this.account = this.world.accounts[0] as DemoAccount;
    this.rules = createDemoRules(this.world);
  }

  /** How long reads do not show what relay has written, in milliseconds. What a person does shows at once. */
  set lag(ms: number) {
    this.world.lags = { lists: ms, totals: ms, snapshots: ms * VERSIONS_LAG };
  }

  /** Adds a playlist that the account has before the history begins. */
  addPlaylist(name: string, uris: readonly string[]): DemoPlaylist {
    const { account } = this;
    const playlist: DemoPlaylist = {
      ...{ id: `P${account.playlists.length}`.padEnd(22, '0'), name, description: 'As it was', version: 1 },
      ...{ public: false, collaborative: false, ownerId: account.id, ownerName: account.displayName },
      ...{ collaboratorIds: [], rows: uris.map(rowOf) },
    };
    account.playlists.push(playlist);
    return playlist;
  }

  /** A person changes which songs are saved; the newest come first. */
  save(uris: readonly string[]): void {
    this.account.former = [];
    this.account.saved = uris.map((uri) => ({ uri, addedAt: SINCE }));
  }

  /** A person changes a playlist in Spotify's own app. */
  edit(playlist: DemoPlaylist, rows: (present: readonly PlaylistRow[]) => PlaylistRow[]): void {
    playlist.rows = rows(playlist.rows);
    playlist.version += 1;
    playlist.former = [];
  }

  /** Lets a request of the program take effect, and answers with the state that reads show by now. */
  handle(request: Incoming): Answer {
    const id = /^\/playlists\/([^/]+)/.exec(request.path)?.[1];
    const playlist = id === undefined ? undefined : findPlaylist(this.world, id);
    const before = playlist && this.onWrite ? urisOf(playlist) : [];
    const answer = this.rules.handle(request);
    if (playlist && request.method !== 'GET' && answer.status < 300) this.onWrite?.(playlist, before);
    return answer;
  }
}

function accountOf(name: string): DemoAccount {
  const none = () => ({ short_term: [], medium_term: [], long_term: [] });
  return {
    ...{
      id: name,
      accountId: name.padEnd(22, '0'),
      displayName: name,
      playlists: [],
      saved: [],
      savedAlbums: [],
      following: [],
      devices: [],
    },
    ...{ premium: true, history: [] },
    top: { tracks: none(), artists: none() },
    player: {
      ...{ deviceId: null, privateSession: false, queue: [], index: 0, queued: 0, contextUri: null },
      ...{ isPlaying: false, positionMs: 0, at: 0, repeat: 'off', shuffle: false },
    },
  };
}
