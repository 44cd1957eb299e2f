/**
 * The state of the simulated provider: accounts with their playlists, library, devices, player and history. The state is kept
 * in memory. At every start it is the same, except for times that depend on the clock. Tests may read and change it.
 */
import type { Clock, Random } from '../base/clock.ts';
import type { Catalogue } from './catalogue/types.ts';

export interface PlaylistRow {
  /** URI of a track, an episode or a local file (`spotify:local:…`). */
  uri: string;
  /** ISO 8601 time; null as in very old rows. */
  addedAt: string | null;
  /** User ID; null as in very old rows. */
  addedBy: string | null;
  /** True if the row is listed with `item: null`. */
  unavailable?: boolean;
}

/** Something that reads may show as it was some time ago. */
interface Dated<T> {
  /** Earlier states, oldest first, and when each ended, in Unix milliseconds. */
  former?: Array<T & { until: number }>;
}

export interface DemoPlaylist extends Dated<DemoPlaylist> {
  id: string;
  name: string;
  /** The text as typed, which answers escape as HTML; null if never set. */
  description: string | null;
  public: boolean;
  collaborative: boolean;
  ownerId: string;
  ownerName: string;
  /** Who besides the owner may read and change the rows while `collaborative` is true. */
  collaboratorIds: string[];
  /** Counts changes; `snapshot_id` is derived from it. */
  version: number;
  rows: PlaylistRow[];
}

export interface DemoDevice {
  id: string;
  name: string;
  type: string;
  isRestricted: boolean;
  volumePercent: number | null;
  supportsVolume: boolean;
  /** True if the device is not listed and commands do not accept it, until playback is transferred to it. */
  asleep: boolean;
}

export interface DemoPlayer {
  /** The active device; null if there is none, so the player answers 204. */
  deviceId: string | null;
  privateSession: boolean;
  queue: string[];
  index: number;
  /** How many of the next entries were queued by hand. */
  queued: number;
  contextUri: string | null;
  isPlaying: boolean;
  /** Milliseconds into the entry at the time `at` (Unix milliseconds). */
  positionMs: number;
  at: number;
  repeat: 'off' | 'track' | 'context';
  shuffle: boolean;
}

export const TIME_RANGES = ['short_term', 'medium_term', 'long_term'] as const;

/** URIs, best first. */
export type TopLists = Record<(typeof TIME_RANGES)[number], string[]>;

export interface DemoAccount extends Dated<DemoAccount> {
  id: string;
  /** The pseudonymous `account_id`. */
  accountId: string;
  displayName: string;
  /** If false, player commands answer PREMIUM_REQUIRED. */
  premium: boolean;
  /** Own and followed playlists, in the order of `GET /me/playlists`. */
  playlists: DemoPlaylist[];
  /** Newest first. */
  saved: Array<{ uri: string; addedAt: string }>;
  /** Newest first. */
  savedAlbums: Array<{ uri: string; addedAt: string }>;
  following: string[];
  /** Newest first; `playedAt` in Unix milliseconds. */
  history: Array<{ uri: string; playedAt: number; contextUri: string | null }>;
  top: { tracks: TopLists; artists: TopLists };
  devices: DemoDevice[];
  player: DemoPlayer;
}

/** How long reads do not show a change, in milliseconds; 0 unless a test asks for more, since Spotify's reads lag. @internal */
export interface Lags {
  /** For the rows and details of a playlist, the list of playlists, and the saved tracks. */
  lists: number;
  snapshots: number;
  totals: number;
}

export interface DemoWorld {
  readonly catalogue: Catalogue;
  readonly accounts: DemoAccount[];
  /** Playlists that no account lists any more. */
  readonly unlisted: DemoPlaylist[];
  readonly clock: Clock;
  readonly random: Random;
  lags: Lags;
  /** Base of `href`, `next` and `previous`; known once the server listens. */
  apiUrl: string;
  /** How many player commands have succeeded; every second answer is a 204. */
  commands: number;
}

/** The user ID that owns the editorial playlists, which answer 404. */
export const PROVIDER_USER_ID = 'spotify';

/** The playlist with this ID, whether an account lists it or not. */
export function findPlaylist(world: DemoWorld, id: string): DemoPlaylist | undefined {
  const listed = world.accounts.flatMap(({ playlists }) => playlists);
  return [...listed, ...world.unlisted].find((playlist) => playlist.id === id);
}

export function snapshotOf({ version, id }: DemoPlaylist): string {
  return Buffer.from(`${version},${id}`).toString('base64');
}

/** The owner, and collaborators while the playlist is collaborative, may read and change its rows. */
export function mayUseRows(account: DemoAccount, playlist: DemoPlaylist): boolean {
  if (playlist.ownerId === account.id) return true;
  return playlist.collaborative && playlist.collaboratorIds.includes(account.id);
}

/** Notes the state of an account, and of playlists, before a change. Without a lag, nothing has to be noted. */
export function remember(world: DemoWorld, account: DemoAccount, ...playlists: DemoPlaylist[]): void {
  const until = world.clock.now();
  const longest = Math.max(...Object.values(world.lags));
  const note = <T>(holder: Dated<T>, state: T) => {
    const needed = holder.former?.filter((one) => one.until > until - longest) ?? [];
    holder.former = [...needed, { ...state, former: undefined, until }];
  };
  if (longest === 0) return;
  note(account, {
    ...account,
    playlists: [...account.playlists],
    saved: [...account.saved],
    savedAlbums: [...account.savedAlbums],
  });
  for (const playlist of playlists) note(playlist, { ...playlist, rows: [...playlist.rows] });
}

/** The state that reads show if they lag by `lag` milliseconds. */
export function stateAt<T extends Dated<T>>(world: DemoWorld, holder: T, lag = world.lags.lists): T {
  const at = world.clock.now() - lag;
  return holder.former?.find(({ until }) => until > at) ?? holder;
}
