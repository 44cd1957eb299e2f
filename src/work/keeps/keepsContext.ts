/** What kept playlists depend on. */
import { isDeepStrictEqual } from 'node:util';
import type { Library } from '../../library/library.ts';
import type { Store } from '../../store/file/open.ts';
import { getAccount } from '../../store/tables/account.ts';
import { getKeep, type Keep, type KeepChange, setKeep } from '../../store/tables/keeps.ts';
import type { WorkContext } from '../record.ts';
import type { Works } from '../works.ts';
import type { Writes } from '../write/writes.ts';

export interface KeepsContext extends WorkContext {
  writes: Writes;
  library: Library;
  works: Pick<Works, 'cancel'>;
}

/** Who asked for the changes of a kept playlist. */
export function askedBy({ id }: Keep): string {
  return `keep ${id}`;
}

/** Why a kept playlist waits for a login. */
export const NOT_CONNECTED = 'The account that it was made for is not connected.';

/** The ID of the account that requests can be sent for; null if nobody is logged in. */
export function connectedAccount(store: Store): string | null {
  const account = getAccount(store);
  return account === null || account.reauthorizationRequired ? null : account.providerUserId;
}

/**
 * Updates the row of a kept playlist, and saves. A playlist that waits often records the same again: then its row is not
 * written.
 * @throws RelayError `STORE_ERROR`
 */
export async function putKeep(store: Store, { id }: Keep, change: KeepChange): Promise<void> {
  const present = getKeep(store, id);
  if (present && !isDeepStrictEqual(present, { ...present, ...change })) setKeep(store, id, change);
  await store.saveNow();
}

/**
 * True if a person has paused the playlist, or stopped keeping it, since the run began.
 * @param keep the row from the start of the run
 */
export function isHalted(store: Store, { id, status }: Keep): boolean {
  const now = getKeep(store, id);
  return now === null || (now.status === 'paused' && status !== 'paused');
}
