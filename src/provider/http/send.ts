/**
 * Sends requests to the provider's Web API: limits, token, one attempt with its timeout, what to do with the answer, retries.
 * The rules are pure and live in `retry.ts` and `failure.ts`.
 */
import { withDeadline } from '../../base/abort.ts';
import type { Random } from '../../base/clock.ts';
import { readJson } from '../../base/parsing.ts';
import { RelayError } from '../../domain/errors.ts';
import { refusedWhenNew, type TokenSource } from '../account/tokenSource.ts';
import type { ProviderApi, ProviderRequest, ProviderResponse, SendCall } from '../api.ts';
import type { ErrorHistory } from './errorHistory.ts';
import {
  failureOf,
  invalidResponse,
  isCertainlyUnsent,
  readFailureBody,
  transportFailure,
} from './failure.ts';
import type { Limits } from './limits.ts';
import { type Outcome, retryDelay, secondsOf } from './retry.ts';
import { fetchText, type HttpAnswer, type Network } from './transport.ts';

/** Limit for one attempt of a read or a player command, from the connection to the last byte of the body. */
const ATTEMPT_TIMEOUT_MS = 12_000;
/** Limit for one attempt of any other write: better to wait for a slow write than not to know its outcome. */
const WRITE_TIMEOUT_MS = 30_000;
/** Limit for the whole request, including waits and retries. */
const TOTAL_TIMEOUT_MS = 40_000;

export interface SendOptions extends Network {
  /** Base URL of the Web API, without a slash at the end. */
  apiUrl: string;
  tokens: Pick<TokenSource, 'current' | 'replace'>;
  limits: Limits;
  history: ErrorHistory;
  random: Random;
}

type Attempt = { done: ProviderResponse } | { error: RelayError; outcome: Outcome } | { unauthorized: true };

export function createProviderApi(options: SendOptions): ProviderApi {
  const { clock, limits, tokens, history } = options;
  /** The last `Date` of a successful answer (Unix milliseconds), and when that answer came (monotonic); null before the first. */
  let told: { date: number; at: number } | null = null;

  async function send(request: ProviderRequest, call: SendCall): Promise<ProviderResponse> {
    const late = () => transportFailure(request, undefined, true);
    const { account, untilSent } = call;
    return withDeadline({ clock, ms: TOTAL_TIMEOUT_MS, signal: call.signal, late }, (signal) => {
      const within = (waiting: AbortSignal) => sendWithin(request, { account, signal, waiting });
      return within(untilSent ? AbortSignal.any([signal, untilSent]) : signal);
    });
  }

  /** @param call `waiting` stops the request only until it is sent; `signal` stops it afterwards too */
  async function sendWithin(
    request: ProviderRequest,
    { account, signal, waiting }: { account: string | undefined; signal: AbortSignal; waiting: AbortSignal },
  ): Promise<ProviderResponse> {
    let refreshed = false;
    for (let attempt = 1; ; attempt++) {
      waiting.throwIfAborted();
      await limits.admit(request.scope, waiting).catch(throwUnsent);
      const token = await tokens.current(waiting, account).catch(throwUnsent);
      const result = await tryOnce(request, token, signal);
      if ('done' in result) {
        history.succeeded(request);
        return result.done;
      }
      if ('unauthorized' in result) {
        if (refreshed) throw refusedWhenNew();
        refreshed = true;
        attempt -= 1;
        await tokens.replace(token, waiting).catch(throwUnsent);
        continue;
      }
      const delay = retryDelay(request.method, attempt, result.outcome, options.random.fraction());
      if (delay === null) throw result.error;
      await clock.sleep(delay, waiting);
    }
  }

  async function tryOnce(request: ProviderRequest, token: string, signal: AbortSignal): Promise<Attempt> {
    const sentAt = clock.monotonic();
    limits.count(request.scope);
    const isLongWrite = request.method !== 'GET' && request.scope !== 'player';
    const answer = await fetchText(urlOf(options.apiUrl, request), initOf(request, token), {
      signal,
      clock,
      transport: options.transport,
      timeoutMs: isLongWrite ? WRITE_TIMEOUT_MS : ATTEMPT_TIMEOUT_MS,
    });
    if ('failure' in answer) {
      signal.throwIfAborted();
      const error = transportFailure(request, answer.failure, answer.timedOut);
      history.failed(request, { statusCode: null, reason: null, error });
      const outcome: Outcome = answer.timedOut
        ? { kind: 'timeout' }
        : error.code === 'PROVIDER_INVALID_RESPONSE'
          ? { kind: 'unreadable' }
          : { kind: 'network', certainlyUnsent: isCertainlyUnsent(answer.failure) };
      return { error, outcome };
    }
    // A redirect comes from a gateway, and says nothing about the limit.
    const isAnswered = answer.status < 300 || (answer.status >= 400 && answer.status < 500);
    if (isAnswered && answer.status !== 429) limits.passed(request.scope, sentAt);
    if (answer.status >= 200 && answer.status < 300) return accepted(request, success(answer));
    return refused(request, token, sentAt, answer);
  }

  /** How an attempt with a 2xx answer ended. A read whose body is not JSON has failed; the body of a write may be anything. */
  function accepted(request: ProviderRequest, response: ProviderResponse): Attempt {
    if (response.date && !response.opaque) told = { date: response.date, at: clock.monotonic() };
    if (request.method !== 'GET' || !response.opaque) return { done: response };
    const error = invalidResponse(request, 'no JSON');
    history.failed(request, { statusCode: response.status, reason: null, error });
    return { error, outcome: { kind: 'status', status: response.status } };
  }

  function serverTime(): number | null {
    return told && told.date + Math.floor(clock.monotonic() - told.at);
  }

  function refused(request: ProviderRequest, token: string, sentAt: number, answer: HttpAnswer): Attempt {
    const body = readFailureBody(answer.text, [token]);
    if (answer.status === 429) {
      const retryAfter = secondsOf(answer.headers);
      const refusal = { retryAfter, reason: body.reason, sentAt };
      const { error, waitSeconds, quota } = limits.block(request.scope, refusal);
      history.failed(request, { statusCode: 429, reason: body.reason, error });
      return { error, outcome: { kind: 'rate_limited', waitSeconds, quota } };
    }
    const error = answer.status === 401 ? refusedToken() : failureOf(request, answer.status, body);
    history.failed(request, { statusCode: answer.status, reason: body.reason, error });
    if (answer.status === 401) return { unauthorized: true };
    return { error, outcome: { kind: 'status', status: answer.status } };
  }

  return { send, serverTime };
}

/** The error that the history keeps for a 401. Callers get an error only if a new token is refused too (`refusedWhenNew`). */
function refusedToken(): RelayError {
  return new RelayError('PROVIDER_UNAVAILABLE', 'Spotify refused the access token.');
}

function urlOf(apiUrl: string, request: ProviderRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return `${apiUrl}${request.path}${text === '' ? '' : `?${text}`}`;
}

function initOf(request: ProviderRequest, token: string): RequestInit {
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' };
  if (request.body === undefined) return { method: request.method, headers };
  headers['content-type'] = 'application/json';
  return { method: request.method, headers, body: JSON.stringify(request.body) };
}

function success({ status, text, headers }: HttpAnswer): ProviderResponse {
  const at = Date.parse(headers.get('date') ?? '');
  const date = Number.isNaN(at) ? null : at;
  const body = readJson(text);
  return { status, body: body ?? null, opaque: body === undefined && text.trim() !== '', date };
}

/**
 * Rethrows an error from before an attempt was sent; a `PROVIDER_*` error gets `details.sent` false. Earlier attempts of the
 * same request had no effect either, or there would have been no further attempt.
 */
function throwUnsent(error: unknown): never {
  if (!(error instanceof RelayError) || !error.code.startsWith('PROVIDER_')) throw error;
  throw error.with({ details: { ...error.details, sent: false } });
}
