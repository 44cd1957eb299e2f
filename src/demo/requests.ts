/** The record of the requests that arrived, oldest first. */

export interface RecordedRequest {
  method: string;
  /** Without `/v1` for calls of the API. */
  path: string;
  query: Record<string, string>;
  /** Parsed JSON, the fields of a form, other text as it is, or null without a body. */
  body: unknown;
  /** Of the answer; 0 while there is none and where none was sent. */
  status: number;
  /** Unix milliseconds of the arrival. */
  at: number;
}

const KEPT = 20_000;

/** Adds to `requests` in place and drops the oldest ones above 20,000. */
export function recordRequest(requests: RecordedRequest[], request: RecordedRequest): void {
  requests.push(request);
  // In blocks, because taking one off the front of a long array moves all the others.
  if (requests.length >= KEPT + 1_000) requests.splice(0, requests.length - KEPT);
}

/** The body as tests want to compare it. */
export function recordedBody(text: string, contentType: string | undefined): unknown {
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
