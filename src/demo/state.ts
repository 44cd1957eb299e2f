/**
 * The state of the simulated provider: accounts with their playlists, library, devices, player and history. The state is kept
 * in memory. At every start it is the same, except for times that depend on the clock. Tests may read and change it.
 */
import type { Clock, Random } from '../base/clock.ts';
import { base62Id } from './catalogue/seeded.ts';
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

export interface DemoPlaylist {
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

export interface SavedTrack {
  uri: string;
  addedAt: string;
}

export interface Play {
  uri: string;
  /** Unix milliseconds. */
  playedAt: number;
  contextUri: string | null;
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
  /** Index of the current entry of `queue`. */
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
export type TimeRange = (typeof TIME_RANGES)[number];

export interface DemoAccount {
  id: string;
  /** The pseudonymous `account_id`. */
  accountId: string;
  displayName: string;
  /** If false, player commands answer PREMIUM_REQUIRED. */
  premium: boolean;
  /** If false, every call gets the plain-text 403 about the owner of the app. */
  appOwnerPremium: boolean;
  /** If false, every call gets the plain-text 403 about the user list. */
  registered: boolean;
  /** Own and followed playlists, in the order of `GET /me/playlists`. */
  playlists: DemoPlaylist[];
  /** Newest first. */
  saved: SavedTrack[];
  /** URIs of everything else in the library: albums, shows, episodes, followed artists and users. */
  otherSaved: Set<string>;
  /** Newest first. */
  history: Play[];
  /** URIs, best first. */
  top: { tracks: Record<TimeRange, string[]>; artists: Record<TimeRange, string[]> };
  devices: DemoDevice[];
  player: DemoPlayer;
}

export interface World {
  readonly catalogue: Catalogue;
  readonly accounts: DemoAccount[];
  /** Playlists that no account lists: other people's, and deleted ones. */
  readonly unlisted: DemoPlaylist[];
  readonly clock: Clock;
  readonly random: Random;
  /** True to answer also with the field names from before February 2026. */
  readonly legacyShapes: boolean;
  /** Base of `href`, `next` and `previous`; known once the server listens. */
  apiUrl: string;
  /** Cache of track and user objects by URI, for callers that want each object only once. */
  readonly shapes?: Map<string, Record<string, unknown>>;
  /** Maximum number of rows of a playlist; by default Spotify's. */
  readonly maxRows?: number;
  /** How many player commands have succeeded; every second answer is a 204. */
  commands: number;
}

/** The user ID that owns the editorial playlists, which answer 404. */
export const PROVIDER_USER_ID = 'spotify';

/** The playlist with this ID, whether an account lists it or not. */
export function findPlaylist(world: World, id: string): DemoPlaylist | undefined {
  for (const account of world.accounts) {
    const listed = account.playlists.find((playlist) => playlist.id === id);
    if (listed) return listed;
  }
  return world.unlisted.find((playlist) => playlist.id === id);
}

/** The playlist's current `snapshot_id`. */
export function snapshotOf(playlist: DemoPlaylist): string {
  return Buffer.from(`${playlist.version},${playlist.id}`).toString('base64');
}

/** The owner, and collaborators while the playlist is collaborative, may read and change its rows. */
export function mayUseRows(account: DemoAccount, playlist: DemoPlaylist): boolean {
  if (playlist.ownerId === account.id) return true;
  return playlist.collaborative && playlist.collaboratorIds.includes(account.id);
}

export function newId(random: Random): string {
  return base62Id(random.bytes(22));
}
