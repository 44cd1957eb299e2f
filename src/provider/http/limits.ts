/**
 * The provider's rate limits as this program remembers them: one block per endpoint family, kept across restarts and
 * checked before any request. The provider's daily quotas last for hours, and requests in between only prolong them.
 */
import type { Clock } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Store } from '../../store/file/open.ts';
import { blockScope, countRequest, listRateLimits } from '../../store/tables/rateLimits.ts';
import { type LimitScope, PROVIDER_NAME } from '../api.ts';
import { PATIENCE_SECONDS } from './retry.ts';

const QUOTA_REASON = 'QUOTA_EXCEEDED';

export interface Limits {
  /**
   * Returns at once if the scope is not blocked; waits out a block of a few seconds.
   * @throws RelayError `RATE_LIMITED` or `QUOTA_EXCEEDED` with `retryAfterSeconds` for a longer block
   */
  admit(scope: LimitScope, signal: AbortSignal): Promise<void>;
  /** Remembers a 429, unless the scope is already blocked for longer, and returns its error. */
  block(scope: LimitScope, waitSeconds: number, reason: string | null): RelayError;
  /** Counts one request that is sent now. */
  count(scope: LimitScope): void;
}

export function createLimits(store: Store, clock: Clock): Limits {
  const until = new Map<string, { at: number; reason: string | null }>();
  for (const row of listRateLimits(store)) {
    if (row.provider === PROVIDER_NAME && row.blockedUntil !== null) {
      until.set(row.scope, { at: row.blockedUntil, reason: row.reason });
    }
  }
  return {
    async admit(scope, signal) {
      for (;;) {
        const block = until.get(scope);
        const now = clock.now();
        if (!block || block.at <= now) return;
        const waitMs = block.at - now;
        if (block.reason === QUOTA_REASON || waitMs > PATIENCE_SECONDS * 1000) {
          throw limitError(scope, block.at, block.reason, now);
        }
        await clock.sleep(waitMs, signal);
      }
    },
    block(scope, waitSeconds, reason) {
      const now = clock.now();
      const blockedUntil = now + waitSeconds * 1000;
      // Answers to parallel requests arrive in any order: a short wait must not end a quota's block.
      if ((until.get(scope)?.at ?? 0) <= blockedUntil) {
        until.set(scope, { at: blockedUntil, reason });
        blockScope(store, { provider: PROVIDER_NAME, scope, blockedUntil, reason, lastStatus: 429 }, now);
      }
      return limitError(scope, blockedUntil, reason, now);
    },
    count(scope) {
      countRequest(store, scope, clock.now());
    },
  };
}

function limitError(scope: string, until: number, reason: string | null, now: number): RelayError {
  const isQuota = reason === QUOTA_REASON;
  const seconds = Math.ceil((until - now) / 1000);
  const at = new Date(until).toISOString();
  const what = isQuota
    ? `The Spotify app's quota for ${scope} requests is used up until ${at}.`
    : `Spotify asks relay to wait ${inWords(seconds)} before the next ${scope} request (until ${at}).`;
  return new RelayError(isQuota ? 'QUOTA_EXCEEDED' : 'RATE_LIMITED', what, {
    remedy: {
      text: 'Do not retry before then; other kinds of requests still work. {command} shows what is blocked.',
      command: ['status'],
    },
    retryAfterSeconds: seconds,
    details: { scope, blocked_until: at },
  });
}

function inWords(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3600)} hours`;
}
