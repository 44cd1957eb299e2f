/** The initial accounts: the default account, which has everything, and an account without Premium, which has little. */
import { derivedId } from '../catalogue/seeded.ts';
import type { Catalogue, DemoTrack } from '../catalogue/types.ts';
import {
  type DemoAccount,
  type DemoDevice,
  type DemoPlayer,
  type DemoPlaylist,
  type Play,
  type SavedTrack,
  TIME_RANGES,
  type TimeRange,
} from '../state.ts';
import { copyPlaylists, OWNER, type Person, SECOND, type SeedPlaylists, seedPlaylists } from './playlists.ts';

const HISTORY_LENGTH = 50;
const SAVED_COUNT = 600;
const TOP_COUNT = 60;

export interface SeedState {
  readonly accounts: DemoAccount[];
  readonly unlisted: DemoPlaylist[];
}

/** The part of the state that depends on the catalogue alone. */
interface Base {
  readonly playlists: SeedPlaylists;
  readonly saved: readonly DemoTrack[];
  readonly history: readonly DemoTrack[];
  readonly top: DemoAccount['top'];
}

/** One base per catalogue, since going through a whole catalogue is slow. Every state gets copies. */
const bases = new WeakMap<Catalogue, Base>();

function baseOf(catalogue: Catalogue): Base {
  const known = bases.get(catalogue);
  if (known) return known;
  const base = {
    playlists: seedPlaylists(catalogue),
    saved: catalogue.tracks.filter((_, n) => n % 11 === 5).slice(0, SAVED_COUNT),
    history: catalogue.tracks.filter((_, n) => n % 101 === 3).slice(0, HISTORY_LENGTH),
    top: { tracks: topUris(catalogue.tracks), artists: topUris(catalogue.artists) },
  };
  bases.set(catalogue, base);
  return base;
}

/**
 * @param now Unix milliseconds; the history ends shortly before it
 * @param savedUntil Unix milliseconds: when the newest saved track was saved
 */
export function seedState(
  catalogue: Catalogue,
  now: number,
  savedUntil: number = Date.UTC(2026, 5, 1),
): SeedState {
  const base = baseOf(catalogue);
  const playlists = copyPlaylists(base.playlists);
  const times = { now, savedUntil };
  const owner = account(catalogue, base, times, OWNER, playlists.owner);
  const second = account(catalogue, base, times, SECOND, playlists.second);
  const guest: DemoAccount = {
    ...second,
    premium: false,
    saved: second.saved.slice(0, 12),
    history: [],
    devices: [],
    player: { ...second.player, deviceId: null, queue: [], contextUri: null, positionMs: 0 },
  };
  return { accounts: [owner, guest], unlisted: playlists.unlisted };
}

function account(
  catalogue: Catalogue,
  base: Base,
  { now, savedUntil }: { now: number; savedUntil: number },
  person: Person,
  playlists: DemoPlaylist[],
): DemoAccount {
  const devices = seedDevices();
  return {
    id: person.id,
    accountId: derivedId(`account:${person.id}`),
    displayName: person.name,
    premium: true,
    appOwnerPremium: true,
    registered: true,
    playlists,
    saved: seedSaved(base.saved, savedUntil),
    otherSaved: new Set(catalogue.albums.slice(0, 5).map((album) => album.uri)),
    history: seedHistory(base.history, now, playlists[0]),
    top: structuredClone(base.top),
    devices,
    player: seedPlayer(now, devices[0], playlists[0]),
  };
}

/** Two saved tracks a day, so that some are new and some are older than a season. */
function seedSaved(tracks: readonly DemoTrack[], until: number): SavedTrack[] {
  return tracks.map((track, n) => {
    return { uri: track.uri, addedAt: new Date(until - n * 12 * 3_600_000).toISOString() };
  });
}

/** About one play every four minutes, the last one six minutes ago. */
function seedHistory(tracks: readonly DemoTrack[], now: number, context: DemoPlaylist | undefined): Play[] {
  return tracks.map((track, n) => ({
    uri: track.uri,
    playedAt: now - 6 * 60_000 - n * 4 * 60_000 - (n % 7) * 1_000,
    contextUri:
      context && n % 3 === 0 ? `spotify:playlist:${context.id}` : n % 3 === 1 ? track.album.uri : null,
  }));
}

function topUris(entries: readonly { uri: string; popularity: number }[]): Record<TimeRange, string[]> {
  const best = [...entries].sort((a, b) => b.popularity - a.popularity || (a.uri < b.uri ? -1 : 1));
  const range = (n: number) => best.filter((_, at) => at % TIME_RANGES.length === n).slice(0, TOP_COUNT);
  const uris = (n: number) => range(n).map((entry) => entry.uri);
  return { short_term: uris(0), medium_term: uris(1), long_term: uris(2) };
}

function seedDevices(): DemoDevice[] {
  const device = (name: string, type: string, rest: Partial<DemoDevice>): DemoDevice => ({
    id: derivedId(`device:${name}`),
    name,
    type,
    isRestricted: false,
    volumePercent: 50,
    supportsVolume: true,
    asleep: false,
    ...rest,
  });
  return [
    device('Writing Desk', 'Computer', { volumePercent: 64 }),
    device('Pocket Phone', 'Smartphone', { supportsVolume: false, volumePercent: 100 }),
    device('Kitchen Speaker', 'Speaker', { volumePercent: 35 }),
    device('Hall Screen', 'TV', { isRestricted: true, volumePercent: null, supportsVolume: false }),
  ];
}

/** Paused one minute into the first track of the first playlist, so that `play` has something to resume. */
function seedPlayer(
  now: number,
  device: DemoDevice | undefined,
  playlist: DemoPlaylist | undefined,
): DemoPlayer {
  return {
    deviceId: device?.id ?? null,
    privateSession: false,
    queue: playlist?.rows.map((one) => one.uri) ?? [],
    index: 0,
    queued: 0,
    contextUri: playlist ? `spotify:playlist:${playlist.id}` : null,
    isPlaying: false,
    positionMs: 61_000,
    at: now,
    repeat: 'off',
    shuffle: false,
  };
}
