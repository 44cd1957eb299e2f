/**
 * One HTTP request to the provider, with its result as a value: never throws, ends in time, reads a bounded body.
 */
import { withDeadline } from '../../base/abort.ts';
import { bodyText } from '../../base/bodyText.ts';
import type { Clock } from '../../base/clock.ts';

/** Far above the largest real answer (50 playlist rows are about 150 KB). */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export type FetchResult =
  | { status: number; headers: Headers; text: string }
  | { failure: unknown; timedOut: boolean };

interface FetchOptions {
  signal: AbortSignal;
  clock: Clock;
  timeoutMs: number;
}

export async function fetchText(url: string, init: RequestInit, options: FetchOptions): Promise<FetchResult> {
  const { clock, timeoutMs: ms } = options;
  let tooLate: Error | null = null;
  const late = () => {
    tooLate = new Error('The answer took too long.');
    return tooLate;
  };
  return withDeadline({ clock, ms, signal: options.signal, late }, async (signal) => {
    try {
      // A redirect of an API call would carry the token to wherever it points.
      const response = await fetch(url, { ...init, signal, redirect: 'error' });
      const text = await bodyText(response, MAX_BODY_BYTES, signal);
      return { status: response.status, headers: response.headers, text };
    } catch (failure) {
      return { failure, timedOut: signal.reason === tooLate };
    }
  });
}
