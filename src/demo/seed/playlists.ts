/** The initial playlists. Tests rely on their names. */
import { derivedId } from '../catalogue/seeded.ts';
import type { Catalogue } from '../catalogue/types.ts';
import { type DemoPlaylist, type PlaylistRow, PROVIDER_USER_ID } from '../state.ts';

export interface Person {
  readonly id: string;
  readonly name: string;
}

export const OWNER: Person = { id: 'demo.listener', name: 'Demo Listener' };
export const SECOND: Person = { id: 'demo-guest', name: 'Demo Guest' };
const STRANGER: Person = { id: 'náutica.42', name: 'Náutica' };
const PROVIDER: Person = { id: PROVIDER_USER_ID, name: 'Spotify' };

export interface SeedPlaylists {
  readonly owner: DemoPlaylist[];
  readonly second: DemoPlaylist[];
  readonly unlisted: DemoPlaylist[];
}

export function seedPlaylists(catalogue: Catalogue): SeedPlaylists {
  const pick = picker(catalogue);
  const shared = { ...playlist(SECOND, 'Road Atlas', pick(25, 31)), ...sharedWith(OWNER) };
  const foreign = playlist(STRANGER, 'Mareas y Mapas', pick(64, 37));
  const followed = playlist(SECOND, 'Guest Favourites', pick(30, 41));
  const editorial = playlist(PROVIDER, 'Daily Weather Mix', []);
  return {
    owner: [...ownPlaylists(catalogue), shared, foreign, followed, editorial],
    second: [shared, followed, playlist(SECOND, 'Commute', pick(45, 43))],
    unlisted: strangersPlaylists(pick),
  };
}

/** Makes deep copies. A playlist that is in several lists is copied once, and the lists share the copy. */
export function copyPlaylists({ owner, second, unlisted }: SeedPlaylists): SeedPlaylists {
  const copies = new Map<DemoPlaylist, DemoPlaylist>();
  const copyOf = (playlist: DemoPlaylist): DemoPlaylist => {
    const { rows, collaboratorIds } = playlist;
    const copy = copies.get(playlist) ?? {
      ...playlist,
      collaboratorIds: [...collaboratorIds],
      rows: rows.map((row) => ({ ...row })),
    };
    copies.set(playlist, copy);
    return copy;
  };
  return { owner: owner.map(copyOf), second: second.map(copyOf), unlisted: unlisted.map(copyOf) };
}

function ownPlaylists(catalogue: Catalogue): DemoPlaylist[] {
  const pick = picker(catalogue);
  const own = (name: string, rows: PlaylistRow[], rest: Partial<DemoPlaylist> = {}): DemoPlaylist => {
    return { ...playlist(OWNER, name, rows), ...rest };
  };
  return [
    own('Morning Ferry', pick(120, 7), { description: 'For the early boat' }),
    own('Odds and Ends', mixedRows(catalogue)),
    own('Empty Shelf', []),
    own('The Whole Granary', pick(2_500, 3), { public: false }),
    own('Kitchen Committee', bothAdded(pick(40, 11)), sharedWith(SECOND)),
    own('Café Noctelle', pick(18, 13)),
    own('cafe NOCTELLE', pick(9, 17)),
    own('Tea & Biscuits', pick(22, 19), { description: 'Quiet <b>evenings</b> & "slow" mornings' }),
    own('Exactly Two Hundred', pick(200, 23)),
    own('灯台 Ночь Φάρος', worldRows(catalogue)),
    own('Running, Badly', pick(55, 29), { public: false }),
  ];
}

/** Every `step`th track of the catalogue, so that no two rows are the same. */
function picker(catalogue: Catalogue): (count: number, step: number) => PlaylistRow[] {
  return (count, step) =>
    Array.from({ length: count }, (_, n) => {
      const track = catalogue.tracks[(n * step + step) % Math.max(1, catalogue.tracks.length)];
      return row(track?.uri ?? '', n, OWNER);
    }).filter(({ uri }) => uri !== '');
}

function row(uri: string, n: number, by: Person): PlaylistRow {
  return { uri, addedAt: new Date(Date.UTC(2023, 4, 2, 7, n * 97)).toISOString(), addedBy: by.id };
}

/** 31 rows: tracks, some of them two or three times, episodes, a local file, and a track that is no longer available. */
function mixedRows(catalogue: Catalogue): PlaylistRow[] {
  const tracks = picker(catalogue)(20, 53);
  const episodes = catalogue.episodes.slice(0, 3).map((episode, n) => row(episode.uri, 40 + n, OWNER));
  const repeated = [...tracks.slice(0, 5), ...tracks.slice(2, 3)];
  const local = row('spotify:local:Kettle+Household:Tape+Two:Kettle+Song+%28take+3%29:187', 60, OWNER);
  const gone = catalogue.tracks
    .slice(-1)
    .map((track) => ({ ...row(track.uri, 61, OWNER), unavailable: true }));
  const old = tracks.slice(0, 1).map((first) => ({ ...first, addedAt: null, addedBy: null }));
  const later = repeated.map(({ uri }, n) => row(uri, 70 + n, OWNER));
  return [
    ...old,
    ...tracks.slice(1, 8),
    ...episodes,
    local,
    ...later.slice(0, 3),
    ...gone,
    ...tracks.slice(8),
    ...later.slice(3),
  ];
}

function worldRows(catalogue: Catalogue): PlaylistRow[] {
  const foreign = catalogue.tracks.filter((track) =>
    /[^\p{Script=Latin}\p{Script=Common}]/u.test(track.name),
  );
  return foreign.filter((_, n) => n % 20 === 0).map((track, n) => row(track.uri, n, OWNER));
}

function bothAdded(rows: PlaylistRow[]): PlaylistRow[] {
  return rows.map((one, n) => (n % 3 === 0 ? { ...one, addedBy: SECOND.id } : one));
}

function sharedWith(person: Person): Partial<DemoPlaylist> {
  return { public: false, collaborative: true, collaboratorIds: [person.id] };
}

function strangersPlaylists(pick: (count: number, step: number) => PlaylistRow[]): DemoPlaylist[] {
  return ['Evening', 'Morning', 'Rainy', 'Slow', 'Loud', 'Quiet'].map((mood, n) => {
    return playlist(STRANGER, `${mood} Ferry Music`, pick(20 + n, 59));
  });
}

function playlist(owner: Person, name: string, rows: PlaylistRow[]): DemoPlaylist {
  return {
    id: derivedId(`playlist:${owner.id}:${name}`),
    name,
    description: null,
    public: true,
    collaborative: false,
    ownerId: owner.id,
    ownerName: owner.name,
    collaboratorIds: [],
    version: 1,
    rows: rows.map((one) => ({ ...one, addedBy: one.addedBy === OWNER.id ? owner.id : one.addedBy })),
  };
}
