/** A second account, without Premium, which has little. */
import { derivedId } from '../../../src/demo/catalogue/seeded.ts';
import type { DemoAccount } from '../../../src/demo/state.ts';

/** Makes the account of the friend with whom `owner` shares a playlist. */
export function guestOf(owner: DemoAccount): DemoAccount {
  const id = 'demo-guest';
  const { player, saved } = structuredClone(owner);
  return {
    ...structuredClone(owner),
    id,
    accountId: derivedId(`account:${id}`),
    displayName: 'Demo Guest',
    premium: false,
    playlists: owner.playlists.filter(({ ownerId }) => ownerId === id),
    saved: saved.slice(0, 12),
    history: [],
    devices: [],
    player: { ...player, deviceId: null, queue: [], contextUri: null, positionMs: 0 },
  };
}
