/** Finds, fills and compares playlists of the simulated account. */
import assert from 'node:assert/strict';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { owner } from './entries.ts';
import type { Simulator } from './simulator/simulator.ts';
import type { Relay } from './world.ts';

/** The account's playlist of that name. */
export function named({ provider }: Pick<Relay, 'provider'>, name: string): DemoPlaylist {
  const found = owner(provider).playlists.find((playlist) => playlist.name === name);
  if (!found) throw new Error(`no playlist ${name}`);
  return found;
}

export const urisOf = (playlist: DemoPlaylist) => playlist.rows.map(({ uri }) => uri);

/** URIs of the account's saved tracks, newest first. */
export const savedUris = ({ provider }: Pick<Relay, 'provider'>) =>
  owner(provider).saved.map(({ uri }) => uri);

/** URIs of tracks of the catalogue, in its order. */
export const tracks = ({ provider }: Pick<Relay, 'provider'>, count: number, from = 0) =>
  provider.catalogue.tracks.slice(from, from + count).map(({ uri }) => uri);

/**
 * Adds a playlist to the account, with an ID made from the last eleven letters of its name.
 * @param addedAt when the account added the rows; null if Spotify reports neither time nor person
 */
export function addPlaylist(
  provider: Simulator,
  name: string,
  uris: readonly string[],
  addedAt: string | null = null,
): DemoPlaylist {
  const account = owner(provider);
  const addedBy = addedAt === null ? null : account.id;
  const playlist: DemoPlaylist = {
    id: Buffer.from(name).toString('hex').padEnd(22, '0').slice(-22),
    name,
    description: 'As it was',
    public: false,
    collaborative: false,
    ownerId: account.id,
    ownerName: account.displayName,
    collaboratorIds: [],
    version: 1,
    rows: uris.map((uri) => ({ uri, addedAt, addedBy })),
  };
  account.playlists.push(playlist);
  return playlist;
}

/** Sets a playlist's rows before the test begins. */
export function fill(playlist: DemoPlaylist, uris: readonly string[]): void {
  playlist.rows = uris.map((uri) => ({ uri, addedAt: '2026-01-01T00:00:00Z', addedBy: null }));
}

export function assertRows(playlist: DemoPlaylist, expected: readonly string[]): void {
  assertSame(urisOf(playlist), expected);
}

/** Fails unless both lists are the same. Says in few words how they differ, since the lists are long. */
function assertSame(present: readonly string[], expected: readonly string[]): void {
  const difference = differenceOf(present, expected);
  if (difference !== null) assert.fail(difference);
}

/** How the lists differ; null if both are the same. */
export function differenceOf(present: readonly string[], expected: readonly string[]): string | null {
  const at = expected.findIndex((uri, index) => uri !== present[index]);
  if (at < 0 && present.length === expected.length) return null;
  const twice = present.length - new Set(present).size;
  const there = new Set(present);
  const lost = expected.filter((uri) => !there.has(uri)).length;
  return `${present.length} rows instead of ${expected.length}, ${twice} repeated, ${lost} lost, first difference at ${at < 0 ? expected.length : at}`;
}
