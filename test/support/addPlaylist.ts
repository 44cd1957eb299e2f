import type { DemoPlaylist } from '../../src/demo/state.ts';
import { owner } from './shapes.ts';
import type { Simulator } from './simulator/simulator.ts';

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
