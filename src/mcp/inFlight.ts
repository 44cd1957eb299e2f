/**
 * Calls at work, so that `notifications/cancelled` of the 2025 revisions finds the call it means: with stateless serving
 * the notification arrives as a request of its own.
 */
import { RelayError } from '../domain/errors.ts';

export interface InFlight {
  /** Registers a call; the returned function takes it off again. */
  add(key: string, controller: AbortController): () => void;
  /**
   * Cancels the call with this key if there is exactly one: two clients that share a credential and a name may use the
   * same request ID at one moment, and stopping the wrong one is worse than stopping none.
   */
  cancel(key: string): boolean;
  cancelAll(reason: RelayError): void;
}

export function createInFlight(): InFlight {
  const calls = new Set<{ key: string; controller: AbortController }>();
  return {
    add(key, controller) {
      const entry = { key, controller };
      calls.add(entry);
      return () => calls.delete(entry);
    },
    cancel(key) {
      const matches = [...calls].filter((call) => call.key === key);
      if (matches.length !== 1) return false;
      matches[0]?.controller.abort(new RelayError('CANCELLED', 'The client cancelled the call.'));
      return true;
    },
    cancelAll(reason) {
      for (const call of calls) call.controller.abort(reason);
    },
  };
}
