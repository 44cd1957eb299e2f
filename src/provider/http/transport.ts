/** Sends one HTTP request to the provider, with a time limit and a limit for the size of the answer. */
import { withDeadline } from '../../base/abort.ts';
import { bodyText } from '../../base/bodyText.ts';
import type { Clock } from '../../base/clock.ts';

/** Maximum size of an answer, far above the largest real one (50 playlist rows are about 150 KB). */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** One answer with its whole body. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export type FetchResult = HttpAnswer | { failure: unknown; timedOut: boolean };

/** Sends one request and reads the answer to its end; rejects as `fetch` does, and when `signal` aborts. */
export type Transport = (url: string, init: RequestInit & { signal: AbortSignal }) => Promise<HttpAnswer>;

/** The clock for deadlines, and what carries requests to the provider: `fetch` unless `transport` is given. */
export interface Network {
  clock: Clock;
  transport?: Transport | undefined;
}

interface FetchOptions extends Network {
  signal: AbortSignal;
  timeoutMs: number;
}

const overNetwork: Transport = async (url, init) => {
  // A redirect of an API call would carry the token to wherever the redirect points.
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const text = await bodyText(response, MAX_BODY_BYTES, init.signal);
  return { status: response.status, headers: response.headers, text };
};

/**
 * Sends one request once. Resolves even if the request fails; the result then has the `failure`.
 * @returns `timedOut` is true if the whole answer did not come within `timeoutMs`
 */
export async function fetchText(url: string, init: RequestInit, options: FetchOptions): Promise<FetchResult> {
  const { clock, timeoutMs: ms, transport = overNetwork } = options;
  let tooLate: Error | null = null;
  const late = () => {
    tooLate = new Error('The answer took too long.');
    return tooLate;
  };
  return withDeadline({ clock, ms, signal: options.signal, late }, async (signal) => {
    try {
      return await transport(url, { ...init, signal });
    } catch (failure) {
      return { failure, timedOut: signal.reason === tooLate };
    }
  });
}
