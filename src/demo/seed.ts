/** The initial account. Tests rely on the names of its playlists. */
import { lazy } from '../base/memoised.ts';
import { sharedCatalogue } from './catalogue/generate.ts';
import { derivedId, everyNth } from './catalogue/seeded.ts';
import type { Catalogue } from './catalogue/types.ts';
import type { DemoAccount, DemoDevice, DemoPlaylist, PlaylistRow, TopLists } from './state.ts';
import { PROVIDER_USER_ID } from './state.ts';

type Person = Pick<DemoPlaylist, 'ownerId' | 'ownerName'>;

const OWNER: Person = { ownerId: 'demo.listener', ownerName: 'Demo Listener' };
const FRIEND: Person = { ownerId: 'demo-guest', ownerName: 'Demo Guest' };
const STRANGER: Person = { ownerId: 'náutica.42', ownerName: 'Náutica' };
const PROVIDER: Person = { ownerId: PROVIDER_USER_ID, ownerName: 'Spotify' };

const MINUTE = 60_000;

/** Made once, since going through the whole catalogue is slow. Every provider gets a copy. */
const seed = lazy(() => makeAccount(sharedCatalogue()));

/**
 * @param now Unix milliseconds; the history ends shortly before it
 * @param savedUntil Unix milliseconds: when the newest saved track was saved
 */
export function seedAccount(now: number, savedUntil: number = Date.UTC(2026, 5, 1)): DemoAccount {
  const account = structuredClone(seed());
  account.player.at = now;
  for (const play of account.history) play.playedAt += now;
  // Two saved tracks a day, so that some are new and some are older than a season.
  for (const [n, one] of account.saved.entries())
    one.addedAt = new Date(savedUntil - n * 12 * 60 * MINUTE).toISOString();
  return account;
}

/** The account with the times of its history as before the present, and without the times of the saved tracks. */
function makeAccount(catalogue: Catalogue): DemoAccount {
  const { tracks, artists } = catalogue;
  const playlists = makePlaylists(catalogue);
  const devices = makeDevices();
  const queue = playlists[0]?.rows.map(({ uri }) => uri) ?? [];
  const contextUri = `spotify:playlist:${playlists[0]?.id}`;
  return {
    id: OWNER.ownerId,
    accountId: derivedId(`account:${OWNER.ownerId}`),
    displayName: OWNER.ownerName,
    premium: true,
    playlists,
    saved: everyNth(tracks, 11, 5, 600).map(({ uri }) => ({ uri, addedAt: '' })),
    savedAlbums: everyNth(catalogue.albums, 53, 2, 30).map(({ uri }, n) => {
      return { uri, addedAt: new Date(Date.UTC(2026, 4, 30 - n)).toISOString() };
    }),
    following: everyNth(artists, 29, 4, 40).map(({ uri }) => uri),
    // About one play every four minutes, the last one six minutes ago.
    history: everyNth(tracks, 101, 3, 50).map(({ uri, album }, n) => ({
      uri,
      playedAt: -6 * MINUTE - n * 4 * MINUTE - (n % 7) * 1_000,
      contextUri: [contextUri, album.uri, null][n % 3] ?? null,
    })),
    top: { tracks: topLists(tracks), artists: topLists(artists) },
    devices,
    // Paused one minute into the first track of the first playlist, so that `play` has something to resume.
    player: {
      ...{ deviceId: devices[0]?.id ?? null, privateSession: false, repeat: 'off', shuffle: false },
      ...{ queue, index: 0, queued: 0, contextUri, isPlaying: false, positionMs: 61_000, at: 0 },
    },
  };
}

function topLists(entries: ReadonlyArray<{ uri: string; popularity: number }>): TopLists {
  const best = entries.toSorted((a, b) => b.popularity - a.popularity || (a.uri < b.uri ? -1 : 1));
  const range = (n: number) => everyNth(best, 3, n, 60).map(({ uri }) => uri);
  return { short_term: range(0), medium_term: range(1), long_term: range(2) };
}

function makeDevices(): DemoDevice[] {
  const device = (name: string, type: string, rest: Partial<DemoDevice>): DemoDevice => {
    const usual = { isRestricted: false, volumePercent: 50, supportsVolume: true, asleep: false };
    return { id: derivedId(`device:${name}`), name, type, ...usual, ...rest };
  };
  return [
    device('Writing Desk', 'Computer', { volumePercent: 64 }),
    device('Pocket Phone', 'Smartphone', { supportsVolume: false, volumePercent: 100 }),
    device('Kitchen Speaker', 'Speaker', { volumePercent: 35 }),
    device('Hall Screen', 'TV', { isRestricted: true, volumePercent: null, supportsVolume: false }),
  ];
}

function makePlaylists(catalogue: Catalogue): DemoPlaylist[] {
  const pick = picker(catalogue);
  const bothAdded = pick(40, 11).map((row, n) => (n % 3 === 0 ? { ...row, addedBy: FRIEND.ownerId } : row));
  const foreign = catalogue.tracks.filter(({ name }) => /[^\p{Script=Latin}\p{Script=Common}]/u.test(name));
  const ofTheWorld = everyNth(foreign, 20, 0, 1_000).map(({ uri }, n) => rowOf(uri, n));
  return [
    playlist('Morning Ferry', pick(120, 7), { description: 'For the early boat' }),
    playlist('Odds and Ends', mixedRows(catalogue)),
    playlist('Empty Shelf', []),
    playlist('The Whole Granary', pick(2_500, 3), { public: false }),
    playlist('Kitchen Committee', bothAdded, sharedWith(FRIEND)),
    playlist('Café Noctelle', pick(18, 13)),
    playlist('cafe NOCTELLE', pick(9, 17)),
    playlist('Tea & Biscuits', pick(22, 19), { description: 'Quiet <b>evenings</b> & "slow" mornings' }),
    playlist('Exactly Two Hundred', pick(200, 23)),
    playlist('灯台 Ночь Φάρος', ofTheWorld),
    playlist('Running, Badly', pick(55, 29), { public: false }),
    playlist('Road Atlas', pick(25, 31), { ...FRIEND, ...sharedWith(OWNER) }),
    playlist('Mareas y Mapas', pick(64, 37), STRANGER),
    playlist('Guest Favourites', pick(30, 41), FRIEND),
    playlist('Daily Weather Mix', [], PROVIDER),
  ];
}

/** Every `step`th track of the catalogue, so that no two rows are the same. */
function picker({ tracks }: Catalogue): (count: number, step: number) => PlaylistRow[] {
  return (count, step) =>
    Array.from({ length: count }, (_, n) => tracks[(n * step + step) % tracks.length]?.uri ?? '').map(rowOf);
}

function rowOf(uri: string, n: number): PlaylistRow {
  return { uri, addedAt: new Date(Date.UTC(2023, 4, 2, 7, n * 97)).toISOString(), addedBy: OWNER.ownerId };
}

/** 31 rows: tracks, some of them two or three times, episodes, a local file, and a track that is no longer available. */
function mixedRows(catalogue: Catalogue): PlaylistRow[] {
  const tracks = picker(catalogue)(20, 53);
  const episodes = catalogue.episodes.slice(0, 3).map(({ uri }, n) => rowOf(uri, 40 + n));
  const local = rowOf('spotify:local:Kettle+Household:Tape+Two:Kettle+Song+%28take+3%29:187', 60);
  const gone = catalogue.tracks.slice(-1).map(({ uri }) => ({ ...rowOf(uri, 61), unavailable: true }));
  const old = tracks.slice(0, 1).map((row) => ({ ...row, addedAt: null, addedBy: null }));
  const repeated = [...tracks.slice(0, 5), ...tracks.slice(2, 3)].map(({ uri }, n) => rowOf(uri, 70 + n));
  const [earlier, later] = [repeated.slice(0, 3), repeated.slice(3)];
  return [
    ...old,
    ...tracks.slice(1, 8),
    ...episodes,
    local,
    ...earlier,
    ...gone,
    ...tracks.slice(8),
    ...later,
  ];
}

function sharedWith({ ownerId }: Person): Partial<DemoPlaylist> {
  return { public: false, collaborative: true, collaboratorIds: [ownerId] };
}

/** A playlist of the account's owner, who added its rows, unless `rest` names another owner. */
function playlist(
  name: string,
  rows: readonly PlaylistRow[],
  rest: Partial<DemoPlaylist> = {},
): DemoPlaylist {
  const { ownerId = OWNER.ownerId } = rest;
  return {
    id: derivedId(`playlist:${ownerId}:${name}`),
    ...{ name, description: null, public: true, collaborative: false, collaboratorIds: [], version: 1 },
    rows: rows.map((row) => ({ ...row, addedBy: row.addedBy === OWNER.ownerId ? ownerId : row.addedBy })),
    ...OWNER,
    ...rest,
  };
}
