/**
 * Requests that the owner denied. A client that sends such a request again is refused without asking the owner. A client's next
 * request has a new `state` and challenge, so an old denial is hardly ever needed. That is why denials are kept only in memory,
 * for 24 hours, and at most 1,000 of them.
 */
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/digest.ts';

const KEPT_MS = 24 * 3600_000;
const MAX = 1000;

export interface DeniedRequests {
  /** @param subject identifies the request */
  add(subject: string): void;
  has(subject: string): boolean;
}

export function createDeniedRequests(clock: Clock): DeniedRequests {
  // When each denial ends, oldest first. The key is a hash of the request, since a `state` may be long.
  const until = new Map<string, number>();
  return {
    add(subject) {
      const hash = hashOf(subject);
      until.delete(hash);
      until.set(hash, clock.now() + KEPT_MS);
      for (const [first, end] of until) {
        if (until.size <= MAX && end > clock.now()) break;
        until.delete(first);
      }
    },
    has: (subject) => (until.get(hashOf(subject)) ?? 0) > clock.now(),
  };
}
