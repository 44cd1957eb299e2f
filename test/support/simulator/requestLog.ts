/** The requests that arrived, oldest first, and how each was answered. */
import type { Hook } from './hook.ts';

export interface RecordedRequest {
  method: string;
  /** Path of the request, without `/v1` for calls of the API. */
  path: string;
  query: Record<string, string>;
  /** Parsed JSON, the fields of a form, any other text, or null without a body. */
  body: unknown;
  /** Status of the answer; 0 until there is one, or if none was sent. */
  status: number;
  /** Unix milliseconds of the arrival. */
  at: number;
}

const MAX_KEPT = 20_000;

/** Adds every request to `requests` when it arrives, and its status when `next` has decided it. */
export function logHook(requests: RecordedRequest[], now: () => number, next: Hook): Hook {
  return async (context) => {
    const { method, path, query, text, headers } = context.request;
    const body = recordedBody(text, headers['content-type']);
    const request = { method, path, query: Object.fromEntries(query), body, status: 0, at: now() };
    keep(requests, request);
    const delivery = await next(context);
    if (delivery.manner === 'whole' || delivery.manner === 'half') request.status = delivery.answer.status;
    return delivery;
  };
}

/** Adds a request. Whenever there are 21,000, drops the oldest 1,000. */
function keep(requests: RecordedRequest[], request: RecordedRequest): void {
  requests.push(request);
  // In blocks, since removing the first entry of a long array moves all others.
  if (requests.length >= MAX_KEPT + 1_000) requests.splice(0, requests.length - MAX_KEPT);
}

/** The body in a form that tests can compare. */
function recordedBody(text: string, contentType: string | undefined): unknown {
  if (text === '') return null;
  if (contentType?.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
