/** Keeps track of whether the server is in use: a server that runs only for MCP clients ends when the last of them has gone. */
import type { Clock } from '../base/clock.ts';

/**
 * How long a client over HTTP counts as using the server after a request, in milliseconds. Between requests nothing shows
 * whether such a client is there, since it need not keep a connection open.
 */
const AFTER_REQUEST_MS = 15 * 60_000;

export interface Presence {
  /** See `LocalApi.stay`. */
  stay(id: string, seconds: number): void;
  /** Reports that an MCP client has sent a request over HTTP. */
  request(): void;
  /** True while a program has said that it stays, and for 15 minutes after each request. */
  isUsed(): boolean;
}

export function createPresence(clock: Clock): Presence {
  const until = new Map<string, number>();
  let lastRequest = Number.NEGATIVE_INFINITY;

  function drop(): void {
    for (const [id, end] of until) if (end <= clock.monotonic()) until.delete(id);
  }

  return {
    stay(id, seconds) {
      drop();
      until.set(id, clock.monotonic() + seconds * 1000);
    },
    request() {
      lastRequest = clock.monotonic();
    },
    isUsed() {
      drop();
      return until.size > 0 || clock.monotonic() - lastRequest < AFTER_REQUEST_MS;
    },
  };
}
