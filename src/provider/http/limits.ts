/**
 * The provider's rate limits as this program remembers them: one block per endpoint family, kept across restarts and checked
 * before each request. A used-up daily quota blocks for hours, and requests during that time only prolong the block.
 */
import { type Clock, waitWords } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Store } from '../../store/store.ts';
import { blockScope, countRequest, listRateLimits, noteLimitedApp } from '../../store/tables/rateLimits.ts';
import { type LimitScope, PROVIDER_NAME } from '../api.ts';
import { MAX_BLOCK_SECONDS, MAX_RETRIES, PATIENCE_SECONDS, rateLimitSeconds } from './retry.ts';

const QUOTA_REASON = 'QUOTA_EXCEEDED';

/** A 429 and the request that it answers. */
interface Refusal {
  /** Seconds to wait that it names; null if it names none. */
  retryAfter: number | null;
  /** The reason in the answer, such as `QUOTA_EXCEEDED`; null if it names none. */
  reason: string | null;
  /** Time when the refused request was sent, on the monotonic clock. */
  sentAt: number;
}

export interface Limits {
  /**
   * Resolves when a request may be sent: at once, unless the scope is blocked. A block of a few seconds is waited out, but at most
   * two in a row.
   * @throws RelayError `RATE_LIMITED` if the scope is blocked for longer, or for the third time; `QUOTA_EXCEEDED` if its quota is
   * used up. If `signal` aborts, its reason is thrown.
   */
  admit(scope: LimitScope, signal: AbortSignal): Promise<void>;
  /**
   * Counts a 429, and blocks the scope unless it is already blocked for longer.
   * @returns the error and the wait for this 429, and whether it says that a quota is used up
   */
  block(scope: LimitScope, refusal: Refusal): { error: RelayError; waitSeconds: number; quota: boolean };
  /**
   * Records that a request sent at `sentAt` (monotonic) got an answer other than a 429 or a server error. If it was sent after
   * the last 429, the next 429 counts as the first in a row.
   */
  passed(scope: LimitScope, sentAt: number): void;
  /** Says which Spotify app sends requests. Each app has its own limits, so those of another app end. */
  useApp(clientId: string): void;
  free(scope: LimitScope): void;
  count(scope: LimitScope): void;
}

/**
 * A block ends at the earlier of its two times. A wall clock that is set back must not prolong the block, and the monotonic
 * clock may stand still while the computer sleeps.
 */
interface Block {
  /** End of the block on the monotonic clock. */
  end: number;
  /** End of the block on the wall clock, in Unix milliseconds. */
  wallEnd: number;
  reason: string | null;
}

export function createLimits(store: Store, clock: Clock): Limits {
  const blocks = new Map<string, Block>();
  /** By scope, the number of 429s in a row, and when the last one that was counted arrived, on the monotonic clock. */
  const failures = new Map<string, { inRow: number; at: number }>();

  function remaining({ end, wallEnd }: Block): number {
    return Math.round(Math.min(end - clock.monotonic(), wallEnd - clock.now()));
  }

  function put(scope: string, waitMs: number, reason: string | null): void {
    const wallEnd = clock.now() + waitMs;
    blocks.set(scope, { end: clock.monotonic() + waitMs, wallEnd, reason });
    keep(scope, wallEnd, reason);
  }

  function keep(scope: string, blockedUntil: number | null, reason: string | null): void {
    const block = { provider: PROVIDER_NAME, scope, blockedUntil, reason, lastStatus: 429 };
    blockScope(store, block, clock.now());
  }

  /** The block as it is now; null if there is none. */
  function current(scope: string): { waitMs: number; reason: string | null } | null {
    const block = blocks.get(scope);
    const waitMs = block ? remaining(block) : 0;
    if (block && waitMs > 0) return { waitMs, reason: block.reason };
    blocks.delete(scope);
    return null;
  }

  /**
   * Number of 429s in a row, this one included. Requests that ran at the same time met the same limit, so their 429s count
   * once.
   */
  function countInRow(scope: string, sentAt: number): number {
    const last = failures.get(scope);
    if (last && sentAt <= last.at) return last.inRow;
    const inRow = (last?.inRow ?? 0) + 1;
    failures.set(scope, { inRow, at: clock.monotonic() });
    return inRow;
  }

  function free(scope: string): void {
    failures.delete(scope);
    if (blocks.delete(scope)) keep(scope, null, null);
  }

  for (const { scope, blockedUntil, reason } of listRateLimits(store, { provider: PROVIDER_NAME })) {
    const waitMs = Math.min((blockedUntil ?? 0) - clock.now(), MAX_BLOCK_SECONDS * 1000);
    if (waitMs > 0) put(scope, waitMs, reason);
  }

  return {
    async admit(scope, signal) {
      for (let waits = 1; ; waits++) {
        const block = current(scope);
        if (!block) return;
        const isLong = block.waitMs > PATIENCE_SECONDS * 1000 || waits > MAX_RETRIES;
        if (isLong || block.reason === QUOTA_REASON) throw limitError(scope, block, clock.now());
        await clock.sleep(block.waitMs, signal);
      }
    },
    block(scope, { retryAfter, reason, sentAt }) {
      const quota = reason === QUOTA_REASON;
      const waitSeconds = rateLimitSeconds(retryAfter, countInRow(scope, sentAt), quota);
      const waitMs = waitSeconds * 1000;
      // Answers to parallel requests arrive in any order: a short wait must not end a quota's block.
      if ((current(scope)?.waitMs ?? 0) <= waitMs) put(scope, waitMs, reason);
      return { error: limitError(scope, { waitMs, reason }, clock.now()), waitSeconds, quota };
    },
    passed(scope, sentAt) {
      const last = failures.get(scope);
      if (last && sentAt > last.at) failures.delete(scope);
    },
    useApp(clientId) {
      if (noteLimitedApp(store, clientId)) return;
      for (const scope of new Set([...blocks.keys(), ...failures.keys()])) free(scope);
    },
    free,
    count(scope) {
      countRequest(store, scope, clock.now());
    },
  };
}

/** What relay may not do while a scope is blocked, in the words of the error. */
const ACTIONS: Readonly<Record<LimitScope, string>> = {
  search: 'search',
  tracks: 'read tracks and albums',
  artists: 'read artists',
  'playlists.read': 'read playlists',
  'playlists.write': 'change playlists',
  'library.read': 'read the library',
  'library.write': 'change the library',
  top: 'read top tracks and artists',
  recently_played: 'read recent plays',
  player: 'use the player',
  me: 'read the account',
  login: 'renew its access',
};

function limitError(
  scope: LimitScope,
  { waitMs, reason }: Pick<Block, 'reason'> & { waitMs: number },
  now: number,
): RelayError {
  const isQuota = reason === QUOTA_REASON;
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(now + waitMs).toISOString();
  const what = isQuota
    ? `The Spotify app's quota is used up: relay may ${ACTIONS[scope]} again at ${at}.`
    : `Spotify asks relay to wait ${waitWords(seconds)} before it may ${ACTIONS[scope]} again (until ${at}).`;
  return new RelayError(isQuota ? 'QUOTA_EXCEEDED' : 'RATE_LIMITED', what, {
    remedy:
      scope === 'login'
        ? {
            text: 'Wait until then: the login is kept, and no other request works. {command} may end the wait.',
            command: ['login'],
          }
        : {
            text: 'Do not retry before then; other kinds of requests still work. {command} shows what is blocked.',
            command: ['status'],
          },
    retryAfterSeconds: seconds,
    details: { scope, blocked_until: at },
  });
}
