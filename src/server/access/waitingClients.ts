/**
 * Clients whose approval page was shown and not answered, so that the owner finds the way back to it. In memory and bounded:
 * anybody on this machine may ask.
 */
import type { Clock } from '../../base/clock.ts';

/** As long as an authorization request is worth answering: the client gives up sooner. */
const KEPT_MS = 10 * 60_000;
const MAX = 5;
/** A longer address is left out. */
const MAX_ADDRESS = 4_000;

interface WaitingClient {
  clientId: string;
  /** As the approval page shows it. */
  name: string;
  /** Of the approval page, below this server's. */
  address: string;
  /** Unix milliseconds. */
  at: number;
}

export interface WaitingClients {
  /** A later request of a client takes the place of the one before. */
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
