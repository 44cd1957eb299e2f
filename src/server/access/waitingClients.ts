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

interface WaitingClient {
  clientId: string;
  /** Name of the client, as on the approval page. */
  name: string;
  /** Path and query of the approval page. */
  address: string;
  /** Time of the request, in Unix milliseconds. */
  at: number;
}

export interface WaitingClients {
  /** Adds a request; it replaces an earlier one of the same client. */
  add(client: Omit<WaitingClient, 'at'>): void;
  answered(clientId: string): void;
  /** The waiting clients, oldest first. */
  list(): WaitingClient[];
}

export function createWaitingClients(clock: Clock): WaitingClients {
  const waiting = new Map<string, WaitingClient>();
  return {
    add(client) {
      waiting.delete(client.clientId);
      if (client.address.length > MAX_ADDRESS) return;
      waiting.set(client.clientId, { ...client, at: clock.now() });
      for (const oldest of waiting.keys()) if (waiting.size > MAX) waiting.delete(oldest);
    },
    answered: (clientId) => void waiting.delete(clientId),
    list: () => [...waiting.values()].filter(({ at }) => clock.now() - at < KEPT_MS),
  };
}
