/**
 * Clients whose approval page was shown and not answered, so that the owner can find it again. In memory and bounded, since
 * anybody on this machine may ask.
 */
import type { Clock } from '../../base/clock.ts';

/** After this an answer is useless, since the client has given up. */
const KEPT_MS = 10 * 60_000;
const MAX = 5;
/** A longer address is left out. */
const MAX_ADDRESS = 4_000;

interface WaitingClient {
  clientId: string;
  /** The name on the approval page. */
  name: string;
  /** Path and query of the approval page. */
  address: string;
  /** Unix milliseconds. */
  at: number;
}

export interface WaitingClients {
  /** A later request of a client replaces the earlier one. */
  add(client: Omit<WaitingClient, 'at'>): void;
  answered(clientId: string): void;
  /** Oldest first. */
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
