/** Every fault that the simulated provider knows. Each kind comes up equally often among the requests that it fits. */
import type { Incoming } from '../../../src/demo/http.ts';
import type { Chance } from '../../changes/crash/chance.ts';
import type { FaultAction, FaultRule } from '../../support/simulator/faults.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';

/** A fault, and the requests for which it makes sense; by default all. */
interface Fault {
  action: FaultAction;
  fits?(request: Incoming): boolean;
}

const isPlayer = ({ path }: Incoming) => path.startsWith('/me/player');
const isRead = ({ method }: Incoming) => method === 'GET';
const isWriteOfRows = ({ method, path }: Incoming) => method !== 'GET' && path.endsWith('/items');
/**
 * False for commands to the player. The real player answers them with a 200 and any text, which the program has to accept as a
 * success. The program could not tell such an answer from the page of a proxy, which means that the command had no effect.
 */
const isTold = (request: Incoming) => !isPlayer(request) || isRead(request);

/** The longest time, in milliseconds, after which a request that was not answered may still take effect. */
export const LATEST_MS = 14_000;

/** The faults by kind. Each kind comes up equally often, and so does each form of a kind. */
const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  latency: [{ action: { kind: 'latency', ms: 400 } }, { action: { kind: 'latency', ms: 3_000 } }],
  status: [
    { action: { kind: 'status', status: 500 } },
    { action: { kind: 'status', status: 502 } },
    { action: { kind: 'status', status: 503 } },
    { action: { kind: 'status', status: 504, body: 'upstream timed out', contentType: 'text/plain' } },
  ],
  'wrong 401': [{ action: { kind: 'status', status: 401 } }],
  refusal: [{ action: { kind: 'status', status: 400 } }, { action: { kind: 'status', status: 404 } }],
  rate_limit: [
    { action: { kind: 'rate_limit', retryAfterSeconds: 1 } },
    { action: { kind: 'rate_limit', retryAfterSeconds: 3 } },
    { action: { kind: 'rate_limit', retryAfterSeconds: null } },
    { action: { kind: 'rate_limit', retryAfterSeconds: 'soon' } },
  ],
  quota: [{ action: { kind: 'quota', retryAfterSeconds: 2 } }],
  'drop before': [{ action: { kind: 'drop', when: 'before' } }],
  'drop after': [{ action: { kind: 'drop', when: 'after' } }],
  'hang before': [{ action: { kind: 'hang', when: 'before' } }],
  'hang after': [{ action: { kind: 'hang', when: 'after' } }],
  status_after: [
    { action: { kind: 'status_after', status: 500 } },
    { action: { kind: 'status_after', status: 502 } },
  ],
  late: [
    { action: { kind: 'late', ms: 300, answer: 502 } },
    { action: { kind: 'late', ms: 2_000, answer: 'drop' } },
    { action: { kind: 'late', ms: 9_000, answer: 504 } },
    { action: { kind: 'late', ms: LATEST_MS, answer: 'hang' } },
  ],
  slow_answer: [
    { action: { kind: 'slow_answer', ms: 5_000 } },
    { action: { kind: 'slow_answer', ms: 13_000 } },
  ],
  html: [
    { action: { kind: 'html', effect: true }, fits: isTold },
    { action: { kind: 'html', effect: false }, fits: isTold },
    { action: { kind: 'html', effect: true, status: 502 } },
  ],
  no_snapshot: [
    { action: { kind: 'no_snapshot', effect: true }, fits: isWriteOfRows },
    { action: { kind: 'no_snapshot', effect: false }, fits: isWriteOfRows },
  ],
  malformed: [{ action: { kind: 'malformed' } }],
  empty: [{ action: { kind: 'empty' } }],
  slow_body: [{ action: { kind: 'slow_body' } }],
  transform: [{ action: { kind: 'transform', fn: withNews }, fits: ({ isApi }) => isApi }],
};

/** Adds a field that relay does not know to every object in the answer. */
function withNews(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withNews);
  if (typeof body !== 'object' || body === null) return body;
  const known = Object.entries(body).map(([name, value]) => [name, withNews(value)]);
  return { ...Object.fromEntries(known), is_new: { since: 2027 } };
}

export interface Weather {
  /** How often each kind came up. */
  readonly met: Record<string, number>;
  /** Ends all faults and lags; reads then show the present state. */
  clear(): void;
}

/**
 * Lets each request meet a fault with the probability `share`, and lists follow writes with a lag.
 * @param chance decides which requests meet which fault
 */
export function beginFaults(provider: Simulator, chance: Chance, share: number): Weather {
  const kinds = Object.keys(FAULTS);
  const met: Record<string, number> = {};
  /** Drawn once for each request, by the first rule that is asked. */
  let drawn: { request: Incoming; action: FaultAction | null } | null = null;
  const draw = (request: Incoming): FaultAction | null => {
    if (chance.fraction() >= share) return null;
    const kind = chance.pick(kinds);
    const { action, fits } = chance.pick(FAULTS[kind] as readonly Fault[]);
    if (fits && !fits(request)) return null;
    met[kind] = (met[kind] ?? 0) + 1;
    return action;
  };
  const rules = Object.values(FAULTS).flatMap((forms) =>
    forms.map(({ action }): FaultRule => {
      const where = (request: Incoming) => {
        if (drawn?.request !== request) drawn = { request, action: draw(request) };
        return drawn.action === action;
      };
      return { ...action, times: Number.POSITIVE_INFINITY, where };
    }),
  );
  provider.faults.add(...rules);
  provider.lag.set(LAGS);
  return {
    met,
    clear() {
      provider.faults.clear();
      provider.lag.set({});
    },
  };
}

const LAGS = { lists: 600, totals: 900, snapshots: 1_500, created: 300 };
/** Age of the oldest state that a read may show, in milliseconds. */
export const OLDEST_MS = Math.max(...Object.values(LAGS));
