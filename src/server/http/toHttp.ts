/** The one mapping from an error to an HTTP answer. Only `/oauth` and the tools behind `/mcp` have mappings of their own. */
import { type ErrorCode, RelayError } from '../../domain/errors.ts';
import { hasOwnWords } from '../../domain/remedy.ts';

/** The HTTP layer's own refusals. */
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

/** A refusal of the HTTP layer. */
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

const statusOf: Record<ErrorCode, number> = {
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  LOGIN_REQUIRED: 409,
  SCOPE_MISSING: 409,
  FORBIDDEN: 403,
  PREMIUM_REQUIRED: 403,
  APP_OWNER_PREMIUM_REQUIRED: 403,
  USER_NOT_REGISTERED: 403,
  NO_ACTIVE_DEVICE: 409,
  DEVICE_NOT_FOUND: 404,
  DEVICE_RESTRICTED: 409,
  VOLUME_NOT_SUPPORTED: 409,
  RESTRICTION_VIOLATED: 409,
  RATE_LIMITED: 503,
  QUOTA_EXCEEDED: 503,
  PROVIDER_UNAVAILABLE: 502,
  PROVIDER_TIMEOUT: 504,
  PROVIDER_INVALID_RESPONSE: 502,
  UNSUPPORTED_ITEMS: 409,
  RESOLUTION_FAILED: 409,
  PARTIAL_WRITE: 409,
  CONFLICT: 409,
  ALIAS_MISMATCH: 409,
  JOB_NOT_FOUND: 404,
  JOB_STATE: 409,
  STORE_ERROR: 503,
  DEADLINE_EXCEEDED: 504,
  CANCELLED: 409,
  SHUTTING_DOWN: 503,
  INTERNAL: 500,
  USAGE: 400,
  SETTINGS_INVALID: 409,
  PORT_TAKEN: 500,
  ALREADY_RUNNING: 409,
  NO_SERVER: 503,
  STATE_DAMAGED: 503,
  STATE_TOO_NEW: 503,
  KEY_UNAVAILABLE: 503,
  KEY_MISMATCH: 503,
  HOME_UNUSABLE: 503,
  LOGIN_FAILED: 409,
  SERVICE_FAILED: 500,
  INTERRUPTED: 409,
};

/** The answer for an error. Anything that is neither a refusal nor a `RelayError` is a bug; its answer reveals nothing. */
export function toHttp(error: unknown, requestId: string) {
  if (error instanceof HttpError) {
    const { code, message, status, headers } = error;
    return { status, headers, error: { code, message, requestId } };
  }
  if (error instanceof RelayError) {
    const { code, message, remedy, remedyValue: fix, details } = error;
    return {
      status: statusOf[code],
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
