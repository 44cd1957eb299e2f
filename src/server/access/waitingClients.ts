/**
 * Clients whose approval page was shown but not answered, so that the owner can find the page again. The list is bounded and
 * only in memory, since any program on this machine may ask for approval.
 */
import type { Clock } from '../../base/clock.ts';

/** How long a client is listed. After that, the client has given up, and an answer is useless. */
const KEPT_MS = 10 * 60_000;
const MAX = 5;
/** Maximum length of an address; a longer one is left out. */
const MAX_ADDRESS = 4_000;

export type WaitingClients = ReturnType<typeof createWaitingClients>;

export function createWaitingClients(clock: Clock) {
  const waiting = new Map<string, { name: string; address: string; at: number }>();
  return {
    /**
     * Adds a request; it replaces an earlier one of the same client.
     * @param name of the client, as on the approval page
     * @param address path and query of the approval page
     */
    add(clientId: string, name: string, address: string): void {
      waiting.delete(clientId);
      if (address.length <= MAX_ADDRESS) waiting.set(clientId, { name, address, at: clock.now() });
      for (const oldest of waiting.keys()) if (waiting.size > MAX) waiting.delete(oldest);
    },
    answered: (clientId: string) => void waiting.delete(clientId),
    /** The waiting clients, oldest first; `at` is the time of the request, in Unix milliseconds. */
    list: () =>
      [...waiting]
        .map(([clientId, request]) => ({ clientId, ...request }))
        .filter(({ at }) => clock.now() - at < KEPT_MS),
  };
}
