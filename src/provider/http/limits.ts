/**
 * The provider's rate limits as this program remembers them: one block per endpoint family, kept across restarts and checked
 * before each request. A used-up daily quota blocks for hours, and requests during that time only prolong the block.
 */
import { interruptible } from '../../base/abort.ts';
import { type Clock, waitWords } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Store } from '../../store/file/open.ts';
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
   * Resolves when a request may be sent: at once, unless the scope is blocked or a block has just ended. A block of a few
   * seconds is waited out, but at most two in a row. When a block has ended, one request goes first, and the others follow if it was not refused.
   * @returns a function to call when the request has its answer, or has failed
   * @throws RelayError `RATE_LIMITED` if the scope is blocked for longer, or for the third time; `QUOTA_EXCEEDED` if its quota is
   * used up. If `signal` aborts, its reason is thrown.
   */
  admit(scope: LimitScope, signal: AbortSignal): Promise<() => void>;
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
  /** Ends the block of a scope. */
  free(scope: LimitScope): void;
  /** Counts one request that is sent now. */
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
  /** The provider's reason; null if it named none. */
  reason: string | null;
  /** False if the provider did not name this time: then relay chose it. After a restart nothing tells, so it counts as named. */
  isNamed: boolean;
}

/** How a scope continues after a block: one request goes first. */
interface Recovery {
  /** Number of 429s in this scope since it was last free; a block that was read from the store counts as one. */
  refusals: number;
  /** Resolves when the first request has its answer or has failed; null while no first request is under way. */
  first: Promise<void> | null;
}

export function createLimits(store: Store, clock: Clock): Limits {
  const blocks = new Map<string, Block>();
  /** By scope, the number of 429s in a row, and when the last one that was counted arrived, on the monotonic clock. */
  const failures = new Map<string, { inRow: number; at: number }>();
  /** Scopes that are blocked, or whose first request after a block has not been answered yet. */
  const recovering = new Map<string, Recovery>();

  function remaining({ end, wallEnd }: Block): number {
    return Math.round(Math.min(end - clock.monotonic(), wallEnd - clock.now()));
  }

  function put(scope: string, waitMs: number, reason: string | null, isNamed = true): void {
    const wallEnd = clock.now() + waitMs;
    blocks.set(scope, { end: clock.monotonic() + waitMs, wallEnd, reason, isNamed });
    keep(scope, wallEnd, reason);
  }

  function keep(scope: string, blockedUntil: number | null, reason: string | null): void {
    const block = { provider: PROVIDER_NAME, scope, blockedUntil, reason, lastStatus: 429 };
    blockScope(store, block, clock.now());
  }

  /** The block as it is now; null if there is none. If the wall clock was set back, the stored end is corrected. */
  function current(scope: string): (Block & { waitMs: number }) | null {
    const block = blocks.get(scope);
    if (!block) return null;
    const waitMs = remaining(block);
    const wasSetBack = block.wallEnd > clock.now() + Math.max(0, waitMs) + 1_000;
    if (waitMs > 0) {
      if (wasSetBack) put(scope, waitMs, block.reason, block.isNamed);
      return { ...block, waitMs };
    }
    blocks.delete(scope);
    if (wasSetBack) keep(scope, null, block.reason);
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

  function expectRecovery(scope: string): void {
    const recovery = recovering.get(scope) ?? { refusals: 0, first: null };
    recovery.refusals += 1;
    recovering.set(scope, recovery);
  }

  function free(scope: string): void {
    recovering.delete(scope);
    failures.delete(scope);
    if (blocks.delete(scope)) keep(scope, null, null);
  }

  function goFirst(scope: string, recovery: Recovery): () => void {
    const { refusals } = recovery;
    let wake = () => {};
    recovery.first = new Promise((resolve) => {
      wake = resolve;
    });
    return () => {
      recovery.first = null;
      if (recovery.refusals === refusals) recovering.delete(scope);
      wake();
    };
  }

  for (const { scope, blockedUntil, reason } of listRateLimits(store, { provider: PROVIDER_NAME })) {
    const waitMs = Math.min((blockedUntil ?? 0) - clock.now(), MAX_BLOCK_SECONDS * 1000);
    if (waitMs <= 0) continue;
    put(scope, waitMs, reason);
    expectRecovery(scope);
  }

  return {
    async admit(scope, signal) {
      for (let waits = 0; ; ) {
        const block = current(scope);
        if (block) {
          const { waitMs, reason, isNamed } = block;
          waits += 1;
          if (reason === QUOTA_REASON || waitMs > PATIENCE_SECONDS * 1000 || waits > MAX_RETRIES) {
            throw limitError(scope, { waitMs, reason, isNamed }, clock.now());
          }
          await clock.sleep(waitMs, signal);
          continue;
        }
        const recovery = recovering.get(scope);
        if (!recovery) return () => {};
        if (!recovery.first) return goFirst(scope, recovery);
        await interruptible(signal, recovery.first);
      }
    },
    block(scope, { retryAfter, reason, sentAt }) {
      const quota = reason === QUOTA_REASON;
      const waitSeconds = rateLimitSeconds(retryAfter, countInRow(scope, sentAt), quota);
      const waitMs = waitSeconds * 1000;
      const isNamed = waitSeconds === retryAfter;
      // Answers to parallel requests arrive in any order: a short wait must not end a quota's block.
      if ((current(scope)?.waitMs ?? 0) <= waitMs) put(scope, waitMs, reason, isNamed);
      expectRecovery(scope);
      return { error: limitError(scope, { waitMs, reason, isNamed }, clock.now()), waitSeconds, quota };
    },
    passed(scope, sentAt) {
      const last = failures.get(scope);
      if (last && sentAt > last.at) failures.delete(scope);
    },
    useApp(clientId) {
      if (noteLimitedApp(store, clientId)) return;
      for (const scope of new Set([...blocks.keys(), ...recovering.keys(), ...failures.keys()])) free(scope);
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
  { waitMs, reason, isNamed }: Pick<Block, 'reason' | 'isNamed'> & { waitMs: number },
  now: number,
): RelayError {
  const isQuota = reason === QUOTA_REASON;
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(now + waitMs).toISOString();
  const what = isQuota
    ? `The Spotify app's quota is used up: relay may ${ACTIONS[scope]} again at ${at}.`
    : isNamed
      ? `Spotify asks relay to wait ${waitWords(seconds)} before it may ${ACTIONS[scope]} again (until ${at}).`
      : `Spotify limits these requests and names no usable time, so relay waits ${waitWords(seconds)} before it will ${ACTIONS[scope]} again (until ${at}).`;
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
