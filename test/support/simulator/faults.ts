/** Faults on demand: the kinds of rules, which of them apply to a request, and what they do. */
import { type Answer, apiError, type Incoming } from '../../../src/demo/http.ts';
import type { Delivery, Hook, RequestContext } from './hook.ts';

export type FaultAction =
  /** Waits on the provider's clock before the request is handled. */
  | { kind: 'latency'; ms: number }
  /** Answers without handling the request. A string `body` is sent as it is, anything else as JSON. */
  | {
      kind: 'status';
      status: number;
      body?: unknown;
      headers?: Record<string, string>;
      contentType?: string;
    }
  /** 429; null omits the header `Retry-After`. */
  | { kind: 'rate_limit'; retryAfterSeconds: number | string | null }
  /** 429 with the reason QUOTA_EXCEEDED. */
  | { kind: 'quota'; retryAfterSeconds: number | string | null }
  /** Cuts the connection before or after the request takes effect. */
  | { kind: 'drop'; when: 'before' | 'after' }
  /** The request takes effect, but the answer has this status. */
  | { kind: 'status_after'; status: number }
  /** Answers with this status, or cuts the connection or stays silent; the request takes effect `ms` later. */
  | { kind: 'late'; ms: number; answer: number | 'drop' | 'hang' }
  /** The request takes effect at once, but its answer comes `ms` later. */
  | { kind: 'slow_answer'; ms: number }
  /** Never answers; stops before or after the request takes effect. */
  | { kind: 'hang'; when: 'before' | 'after' }
  /** An HTML page instead of the answer, as a captive portal or a proxy sends it; by default with status 200. */
  | { kind: 'html'; effect: boolean; status?: number }
  /** A success without a `snapshot_id`. */
  | { kind: 'no_snapshot'; effect: boolean }
  /** 200 with truncated JSON; the request takes effect. */
  | { kind: 'malformed' }
  /** 200 without a body; the request takes effect. A refused request gets its normal answer. */
  | { kind: 'empty' }
  /** Sends the headers and the first half of the body, then nothing. */
  | { kind: 'slow_body' }
  /** Changes the JSON of the answer. */
  | { kind: 'transform'; fn: (body: unknown) => unknown }
  /** Runs before the request is handled, for example to change a playlist at that moment. */
  | { kind: 'hook'; fn: () => void | Promise<void> };

interface FaultMatch {
  method?: string;
  /** Path without `/v1`; a string must equal the whole path. */
  path?: string | RegExp;
  /** For searches: only if the text matches. */
  search?: RegExp;
  /** A further condition, for example on the query. */
  where?: (request: Incoming) => boolean;
  /** How many matching requests pass before the rule applies. */
  skip?: number;
  /** Applies to every n-th matching request only, from the first on; default 1. */
  every?: number;
  /** How often the rule applies; default 1, `Infinity` for always. */
  times?: number;
}

export type FaultRule = FaultMatch & FaultAction;

export interface FaultControl {
  add(...rules: FaultRule[]): void;
  clear(): void;
}

/** Kinds that do not decide the answer, so that other faults may follow. */
const PASSING: readonly FaultAction['kind'][] = ['latency', 'hook', 'transform'];

export class FaultList implements FaultControl {
  #rules: { rule: FaultRule; skip: number; times: number; seen: number }[] = [];

  add(...rules: FaultRule[]): void {
    for (const rule of rules)
      this.#rules.push({ rule, skip: rule.skip ?? 0, times: rule.times ?? 1, seen: 0 });
  }

  clear(): void {
    this.#rules = [];
  }

  /** The faults for this request, in the order of adding, up to the first that decides the answer. */
  take(request: Incoming): FaultAction[] {
    const taken: FaultAction[] = [];
    for (const entry of this.#rules) {
      if (!matches(entry.rule, request) || entry.times <= 0) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.seen += 1;
      if ((entry.seen - 1) % (entry.rule.every ?? 1) !== 0) continue;
      entry.times -= 1;
      taken.push(entry.rule);
      if (!PASSING.includes(entry.rule.kind)) break;
    }
    this.#rules = this.#rules.filter((entry) => entry.times > 0);
    return taken;
  }
}

function matches(rule: FaultMatch, request: Incoming): boolean {
  const { method, path } = request;
  if (rule.method !== undefined && rule.method.toUpperCase() !== method) return false;
  if (rule.search && !rule.search.test(request.query.get('q') ?? '')) return false;
  if (rule.where && !rule.where(request)) return false;
  if (rule.path === undefined) return true;
  return typeof rule.path === 'string' ? rule.path === path : path.search(rule.path) >= 0;
}

/** Handles each request with the faults that apply to it. */
export function faultHook(faults: FaultList): Hook {
  return (context) => underFaults(faults.take(context.request), context);
}

async function underFaults(
  actions: readonly FaultAction[],
  { handle, wait }: RequestContext,
): Promise<Delivery> {
  for (const action of actions) {
    if (action.kind === 'latency') await wait(action.ms);
    if (action.kind === 'hook') await action.fn();
  }
  const last = actions.at(-1);
  if (last?.kind === 'late') return late(last, { handle, wait });
  const delivery = deliver(last, handle);
  if (last?.kind === 'slow_answer') await wait(last.ms);
  const json = actions.reduce(
    (body, action) => (action.kind === 'transform' ? action.fn(structuredClone(body)) : body),
    delivery.answer.json,
  );
  return json === delivery.answer.json ? delivery : { ...delivery, answer: { ...delivery.answer, json } };
}

function late(
  { ms, answer }: FaultAction & { kind: 'late' },
  { handle, wait }: Pick<RequestContext, 'handle' | 'wait'>,
): Delivery {
  // Closing the provider ends the wait. The request then never takes effect.
  wait(ms).then(
    () => handle(),
    () => {},
  );
  return typeof answer === 'number'
    ? whole(apiError(answer, 'Server error.'))
    : { answer: { status: 0 }, manner: answer };
}

function deliver(action: FaultAction | undefined, handle: () => Answer): Delivery {
  switch (action?.kind) {
    case 'status':
      return whole(statusAnswer(action));
    case 'rate_limit':
      return whole(withRetryAfter(apiError(429, 'API rate limit exceeded'), action.retryAfterSeconds));
    case 'quota':
      return whole(
        withRetryAfter(apiError(429, 'Too many requests', 'QUOTA_EXCEEDED'), action.retryAfterSeconds),
      );
    case 'drop':
    case 'hang':
      return { answer: action.when === 'after' ? handle() : { status: 0 }, manner: action.kind };
    case 'status_after':
      handle();
      return whole(apiError(action.status, 'Server error.'));
    case 'html':
      if (action.effect) handle();
      return whole({ status: action.status ?? 200, text: PAGE, headers: HTML_TYPE });
    case 'no_snapshot':
      if (action.effect) handle();
      return whole({ status: 201, json: {} });
    case 'malformed':
      handle();
      return whole({ status: 200, text: '{"items": [{"id": "', headers: JSON_TYPE });
    case 'empty': {
      const answer = handle();
      return whole(answer.status < 300 ? { status: 200, text: '' } : answer);
    }
    case 'slow_body':
      return { answer: handle(), manner: 'half' };
    default:
      return whole(handle());
  }
}

const PAGE = '<!doctype html><html><title>Sign in to the network</title><body>Please sign in.</body></html>';
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

function whole(answer: Answer): Delivery {
  return { answer, manner: 'whole' };
}

function statusAnswer(action: FaultAction & { kind: 'status' }): Answer {
  const { status, body } = action;
  const headers: Record<string, string> = { ...action.headers };
  if (action.contentType !== undefined) headers['content-type'] = action.contentType;
  if (body === undefined) return { ...apiError(status, 'Server error.'), headers };
  return typeof body === 'string' ? { status, text: body, headers } : { status, json: body, headers };
}

function withRetryAfter(answer: Answer, seconds: number | string | null): Answer {
  return seconds === null ? answer : { ...answer, headers: { 'retry-after': String(seconds) } };
}
