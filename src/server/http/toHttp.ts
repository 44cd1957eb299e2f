/** The one mapping from an error to an HTTP answer. Only `/oauth` and the tools behind `/mcp` have mappings of their own. */
import { type ErrorCode, RelayError } from '../../domain/errors.ts';
import { hasOwnWords } from '../../domain/remedy.ts';

const HTTP_ERRORS = {
  BAD_REQUEST: [400, 'Bad request.'],
  MALFORMED_JSON: [400, 'The body is not valid JSON.'],
  UNAUTHORIZED: [401, 'The credential is missing or wrong.'],
  FORBIDDEN_HOST: [403, 'This server answers only under its own address.'],
  FORBIDDEN_ORIGIN: [403, 'Requests from other web pages are refused.'],
  FORBIDDEN_USER: [403, 'Requests from other users of this computer are refused.'],
  ROUTE_NOT_FOUND: [404, 'There is nothing at this path.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not allow that method.'],
  BODY_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'This path does not accept that content type.'],
} as const satisfies Record<string, readonly [number, string]>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

export class HttpError extends Error {
  readonly code: HttpErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(code: HttpErrorCode, options: { message?: string; headers?: Record<string, string> } = {}) {
    super(options.message ?? HTTP_ERRORS[code][1]);
    this.name = 'HttpError';
    this.code = code;
    this.status = HTTP_ERRORS[code][0];
    this.headers = options.headers ?? {};
  }
}

/** The status of each error code; those that are not listed are 409: the request is right, but not now. */
const STATUSES: ReadonlyArray<readonly [status: number, codes: readonly ErrorCode[]]> = [
  [400, ['INVALID_ARGUMENT', 'USAGE']],
  [403, ['FORBIDDEN', 'PREMIUM_REQUIRED', 'APP_OWNER_PREMIUM_REQUIRED', 'USER_NOT_REGISTERED']],
  [404, ['NOT_FOUND', 'JOB_NOT_FOUND', 'DEVICE_NOT_FOUND']],
  [500, ['INTERNAL', 'PORT_TAKEN', 'SERVICE_FAILED']],
  [502, ['PROVIDER_UNAVAILABLE', 'PROVIDER_INVALID_RESPONSE']],
  [503, ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'STORE_ERROR', 'SHUTTING_DOWN', 'NO_SERVER', 'HOME_UNUSABLE']],
  [503, ['STATE_DAMAGED', 'STATE_TOO_NEW', 'KEY_UNAVAILABLE', 'KEY_MISMATCH']],
  [504, ['PROVIDER_TIMEOUT', 'DEADLINE_EXCEEDED']],
];

/** The answer for an error. Anything that is neither a refusal nor a `RelayError` is a bug; its answer reveals nothing. */
export function toHttp(error: unknown, requestId: string) {
  if (error instanceof HttpError) {
    const { code, message, status, headers } = error;
    return { status, headers, error: { code, message, requestId } };
  }
  if (error instanceof RelayError) {
    const { code, message, remedy, remedyValue: fix, details } = error;
    return {
      status: STATUSES.find(([, codes]) => codes.includes(code))?.[0] ?? 409,
      headers: {},
      error: {
        code,
        message,
        requestId,
        ...(remedy ? { remedy } : {}),
        // A remedy that a terminal writes in its own way is sent as data too.
        ...(fix && hasOwnWords(fix) ? { fix } : {}),
        ...(details ? { details } : {}),
      },
    };
  }
  const message = 'Internal error. See the log for details.';
  return { status: 500, headers: {}, error: { code: 'INTERNAL', message, requestId } };
}
