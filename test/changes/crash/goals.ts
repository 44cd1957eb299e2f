/** What a job is to lead to, for each type: the items, and how to tell whether exactly that has come about. */
import assert from 'node:assert/strict';
import type { DemoPlaylist } from '../../../src/demo/state.ts';
import type { JobType } from '../../../src/domain/job.ts';
import { at, owner } from '../../support/shapes.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import type { Chance } from './chance.ts';

export interface Goal {
  type: JobType;
  payload: Record<string, unknown>;
  /** URIs and searches, mixed. */
  items: unknown[];
  /** Changes the target as another client would; absent where there is nothing to change. */
  edit?(): void;
  /** Fails unless exactly the intended tracks are there, in order, once. */
  verify(): void;
}

/** A goal of `type` on a target of its own. */
export function goalOf(provider: Simulator, type: JobType, chance: Chance, serial: number): Goal {
  const uris = draw(provider, chance, chance.whole(1, 330));
  const items = uris.map((uri) => (chance.fraction() < 0.05 ? (searchFor(provider, uri) ?? uri) : uri));
  if (type === 'save_tracks' || type === 'remove_saved_tracks')
    return libraryGoal(provider, type, uris, items);
  if (type === 'create_playlist') return createGoal(provider, `Crash ${serial}`, uris, items);
  const base = draw(provider, chance, chance.whole(0, 120));
  const playlist = addPlaylist(provider, `Target ${serial}`, base);
  const expected = type === 'add_to_playlist' ? [...base, ...uris] : uris;
  return {
    type,
    payload: { playlist_id: playlist.id, skip_duplicates: false },
    items,
    edit: () => void provider.editPlaylist(playlist.id, urisOf(playlist).toSpliced(0, 1)),
    verify: () => assertSame(urisOf(playlist), expected),
  };
}

function createGoal(provider: Simulator, name: string, uris: string[], items: unknown[]): Goal {
  const made = () => owner(provider).playlists.filter((playlist) => playlist.name === name);
  return {
    type: 'create_playlist',
    payload: { name, skip_duplicates: false },
    items,
    verify() {
      assert.equal(made().length, 1, `${made().length} playlists were made`);
      assertSame(made().flatMap(urisOf), uris);
    },
  };
}

function libraryGoal(
  provider: Simulator,
  type: 'save_tracks' | 'remove_saved_tracks',
  uris: string[],
  items: unknown[],
): Goal {
  const account = owner(provider);
  const others = account.saved.filter(({ uri }) => !uris.includes(uri));
  const saves = type === 'save_tracks';
  account.saved = saves
    ? others
    : [...uris.map((uri) => ({ uri, addedAt: '2026-01-01T00:00:00Z' })), ...others];
  const rest = others.map(({ uri }) => uri);
  const expected = saves ? [...uris.toReversed(), ...rest] : rest;
  return {
    type,
    payload: {},
    items,
    verify() {
      const saved = account.saved.map(({ uri }) => uri);
      assertSame(saved, expected);
    },
  };
}

/** Distinct tracks. */
function draw({ catalogue }: Simulator, chance: Chance, count: number): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(chance.pick(catalogue.tracks).uri);
  return [...drawn];
}

/** A search that only this track answers; null where there is none. */
function searchFor({ catalogue }: Simulator, uri: string): object | null {
  const track = catalogue.trackByUri.get(uri);
  if (!track || !/^[A-Za-z ]{14,}$/.test(track.name)) return null;
  // Neither itself again nor a version of it, which the matching might prefer.
  if (catalogue.tracks.filter(({ name }) => name.includes(track.name)).length !== 1) return null;
  return { title: track.name, artist: at(track.artists, 0).name };
}

function addPlaylist(provider: Simulator, name: string, uris: readonly string[]): DemoPlaylist {
  const account = owner(provider);
  const playlist: DemoPlaylist = {
    id: Buffer.from(name).toString('hex').padEnd(22, '0').slice(0, 22),
    name,
    description: null,
    public: false,
    collaborative: false,
    ownerId: account.id,
    ownerName: account.displayName,
    collaboratorIds: [],
    version: 1,
    rows: uris.map((uri) => ({ uri, addedAt: null, addedBy: null })),
  };
  account.playlists.push(playlist);
  return playlist;
}

function urisOf({ rows }: DemoPlaylist): string[] {
  return rows.map(({ uri }) => uri);
}

/** In few words, since the lists are long. */
function assertSame(present: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((uri, index) => uri !== present[index]);
  if (at < 0 && present.length === expected.length) return;
  const twice = present.length - new Set(present).size;
  const lost = expected.filter((uri) => !present.includes(uri)).length;
  assert.fail(
    `${present.length} rows instead of ${expected.length}, ${twice} doubled, ${lost} lost, first difference at ${at}`,
  );
}
