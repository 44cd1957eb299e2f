/** Spotify as a function: the rules of the simulated provider over a small world. Reads may show a write some time later. */
import { trackObject } from '../../../src/demo/api/shapes.ts';
import type { Catalogue, DemoAlbum, DemoArtist, DemoTrack } from '../../../src/demo/catalogue/types.ts';
import type { Answer, Incoming } from '../../../src/demo/http.ts';
import { createDemoRules } from '../../../src/demo/provider.ts';
import {
  type DemoAccount,
  type DemoPlaylist,
  findPlaylist,
  type PlaylistRow,
  type World,
} from '../../../src/demo/state.ts';
import { chanceFor, randomOf } from './chance.ts';
import type { VirtualTime } from './time.ts';

/** What reads showed of a playlist, or of the account, until a moment. */
type Former<T> = T & { until: number };
type Shown = Pick<DemoPlaylist, 'rows' | 'version' | 'name' | 'description'>;
type Held = Pick<DemoAccount, 'playlists' | 'saved'>;

/** Number of tracks. The catalogue is small, since a history would spend most of its time on the JSON of a large one. */
const TRACKS = 4_000;
/** How much longer than rows a `snapshot_id` may lag. */
const VERSIONS_LAG = 10;
/** One song in so many is shown under another ID, if any are. */
const RELINKED = 50;
const SINCE = '2026-01-05T08:00:00Z';

const ARTIST: DemoArtist = { id: idOf('A', 0), uri: '', name: 'Somebody', genres: [], popularity: 0 };
const ALBUM: DemoAlbum = {
  ...{ id: idOf('L', 0), uri: '', name: 'Songs', type: 'album', artists: [], releaseDate: '2020' },
  ...{ precision: 'year', upc: '', popularity: 0, tracks: [] },
};

function idOf(kind: string, index: number): string {
  return `${kind}${String(index).padStart(21, '0')}`;
}

/** @param kind `T`, or `R` for the same recording under the ID that another country has */
function trackOf(index: number, kind: 'T' | 'R'): DemoTrack {
  const id = idOf(kind, index);
  return {
    ...{ id, uri: `spotify:track:${id}`, name: `Song ${index}`, artists: [ARTIST], album: ALBUM },
    ...{ durationMs: 200_000 + index, explicit: false, isrc: `ISRC${index}`, trackNumber: 1, popularity: 0 },
  };
}

const ALL = (['T', 'R'] as const).map((kind) => Array.from({ length: TRACKS }, (_, at) => trackOf(at, kind)));
const CATALOGUE: Catalogue = {
  ...{ artists: [ARTIST], albums: [ALBUM], tracks: ALL[0] ?? [], shows: [], episodes: [] },
  trackByUri: new Map(ALL.flat().map((track) => [track.uri, track])),
  ...{ episodeByUri: new Map(), albumByUri: new Map(), artistByUri: new Map(), showByUri: new Map() },
};
/** The JSON of tracks, kept from one history to the next, since tracks never change. */
const SHAPES = new Map<string, Record<string, unknown>>();

/** The URI of a track. */
export function uriOf(index: number): string {
  return `spotify:track:${idOf('T', index)}`;
}

const numberOf = (uri: string): number => Number(uri.slice(-21));

/** What a playlist holds. A row under another ID of a recording counts as that recording. */
export function urisOf({ rows }: Pick<DemoPlaylist, 'rows'>): string[] {
  return rows.map(({ uri }) => (uri.startsWith('spotify:track:R') ? uriOf(numberOf(uri)) : uri));
}

/** A row as a person adds it. */
export function rowOf(uri: string): PlaylistRow {
  return { uri, addedAt: SINCE, addedBy: 'owner' };
}

export class Spotify {
  readonly world: World;
  readonly account: DemoAccount;
  readonly rules: ReturnType<typeof createDemoRules>;
  /** How long reads do not show what relay has written, in milliseconds. What a person does shows at once. */
  lag = 0;
  /** True if some songs are shown under another ID. */
  isRelinking = false;
  /** Hears of each write of relay to a playlist, and of the rows before. */
  onWrite: ((playlist: DemoPlaylist, before: readonly string[]) => void) | null = null;
  /** The playlist whose pages lack their last rows, although their total counts these; null if none does. */
  shortened: DemoPlaylist | null = null;
  #time: VirtualTime;
  #formers = new Map<DemoPlaylist, Array<Former<Shown>>>();
  #held: Array<Former<Held>> = [];

  constructor(time: VirtualTime, seed: number) {
    this.#time = time;
    this.world = {
      ...{ catalogue: CATALOGUE, accounts: [accountOf('owner')], unlisted: [], clock: time.clock() },
      random: randomOf(chanceFor(seed, 'spotify')),
      ...{ legacyShapes: false, apiUrl: 'https://api/v1', commands: 0, shapes: SHAPES },
    };
    this.account = this.world.accounts[0] as DemoAccount;
    this.rules = createDemoRules(this.world);
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
    this.#held = [];
    this.account.saved = uris.map((uri) => ({ uri, addedAt: SINCE }));
  }

  /** A person changes a playlist in Spotify's own app. */
  edit(playlist: DemoPlaylist, rows: (present: readonly PlaylistRow[]) => PlaylistRow[]): void {
    playlist.rows = rows(playlist.rows);
    playlist.version += 1;
    this.#formers.delete(playlist);
  }

  /** Lets a request of the program take effect, and answers with the state that reads show by now. */
  handle(request: Incoming): Answer {
    const id = /^\/playlists\/([^/]+)/.exec(request.path)?.[1];
    const playlist = id === undefined ? null : (findPlaylist(this.world, id) ?? null);
    if (!request.isApi) return this.rules.handle(request);
    if (request.method === 'GET') return this.#read(request, playlist);
    this.#remember(playlist);
    const before = playlist && this.onWrite ? urisOf(playlist) : [];
    const answer = this.rules.handle(request);
    if (playlist && answer.status < 300) this.onWrite?.(playlist, before);
    return answer;
  }

  /** Answers a read while the world is as it was some time ago. */
  #read(request: Incoming, playlist: DemoPlaylist | null): Answer {
    const { account, lag } = this;
    const back: Array<() => void> = [];
    const show = <T extends object>(target: T, was: Partial<T> | undefined) => {
      const { ...now } = target;
      back.unshift(() => void Object.assign(target, now));
      Object.assign(target, was);
    };
    if (!playlist) show<Held>(account, this.#until(this.#held, lag));
    for (const one of playlist ? [playlist] : account.playlists) {
      const formers = this.#formers.get(one) ?? [];
      const { rows, name, description } = this.#until(formers, lag) ?? one;
      const { version } = this.#until(formers, lag * VERSIONS_LAG) ?? one;
      if (formers.length > 0) show<Shown>(one, { rows, name, description, version });
    }
    try {
      const answer = this.rules.handle(request);
      if (playlist && this.isRelinking) this.#relink(answer);
      if (playlist && playlist === this.shortened) this.#shorten(answer);
      return answer;
    } finally {
      for (const undo of back) undo();
    }
  }

  #until<T>(formers: ReadonlyArray<Former<T>>, lag: number): Former<T> | undefined {
    return formers.find(({ until }) => until > this.#time.at - lag);
  }

  /** Shows some songs under another ID. The answer is this call's own, so it is changed in place. */
  #relink({ json }: Answer): void {
    const page = json as { items?: unknown } | undefined;
    for (const items of [page?.items, (page?.items as { items?: unknown } | undefined)?.items]) {
      if (!Array.isArray(items)) continue;
      for (const row of items as Array<{ item: { uri: string } | null }>) {
        const number = numberOf(row.item?.uri ?? '');
        if (number % RELINKED === 1)
          row.item = trackObject(this.world, trackOf(number, 'R')) as { uri: string };
      }
    }
  }

  /** Leaves out the second half of a page. The answer is this call's own, so it is changed in place. */
  #shorten({ json }: Answer): void {
    const page = json as { items?: unknown } | undefined;
    for (const paging of [page, page?.items] as Array<{ items?: unknown } | undefined>) {
      if (!paging || !Array.isArray(paging.items)) continue;
      paging.items = paging.items.slice(0, Math.floor(paging.items.length / 2));
    }
  }

  /** Notes the state before a write. */
  #remember(playlist: DemoPlaylist | null): void {
    if (this.lag === 0) return;
    const until = this.#time.at;
    const isNeeded = (former: { until: number }) => former.until > until - this.lag * VERSIONS_LAG;
    if (playlist) {
      const { rows, version, name, description } = playlist;
      const formers = (this.#formers.get(playlist) ?? []).filter(isNeeded);
      this.#formers.set(playlist, [...formers, { until, rows: [...rows], version, name, description }]);
    }
    const { playlists, saved } = this.account;
    this.#held = [...this.#held.filter(isNeeded), { until, playlists: [...playlists], saved: [...saved] }];
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
      devices: [],
    },
    ...{ premium: true, appOwnerPremium: true, registered: true, otherSaved: new Set(), history: [] },
    top: { tracks: none(), artists: none() },
    player: {
      ...{ deviceId: null, privateSession: false, queue: [], index: 0, queued: 0, contextUri: null },
      ...{ isPlaying: false, positionMs: 0, at: 0, repeat: 'off', shuffle: false },
    },
  };
}
