/** Sorts error codes by what is at fault, and so by what helps. Pure. */
import type { ErrorCode, RelayError } from './errors.ts';

/** The kinds of failure, each with its own way of waiting (`pause.ts`). */
export type FailureClass =
  /** The network or the provider as a whole, not this request. Passes by itself. */
  | 'connectivity'
  /** The login has ended or lacks a permission: only the owner can fix this. */
  | 'login'
  /** The account, the app or this installation is refused. relay does not learn when it is accepted. */
  | 'account'
  /** The provider asks relay to wait. */
  | 'limit'
  /** This request as a whole was refused, for a reason that may pass or not. */
  | 'request'
  /** Something in the request is refused, such as one of its items. */
  | 'item'
  /** relay's own disk or state file. */
  | 'store';

const CLASSES: Readonly<Record<ErrorCode, FailureClass>> = {
  PROVIDER_UNAVAILABLE: 'connectivity',
  PROVIDER_TIMEOUT: 'connectivity',
  PROVIDER_INVALID_RESPONSE: 'connectivity',
  // Stopped on our side before there was an answer.
  DEADLINE_EXCEEDED: 'connectivity',
  CANCELLED: 'connectivity',
  SHUTTING_DOWN: 'connectivity',
  INTERRUPTED: 'connectivity',

  LOGIN_REQUIRED: 'login',
  SCOPE_MISSING: 'login',

  APP_OWNER_PREMIUM_REQUIRED: 'account',
  USER_NOT_REGISTERED: 'account',
  LOGIN_FAILED: 'account',
  SETTINGS_INVALID: 'account',
  KEY_UNAVAILABLE: 'account',
  KEY_MISMATCH: 'account',

  RATE_LIMITED: 'limit',
  QUOTA_EXCEEDED: 'limit',

  INVALID_ARGUMENT: 'item',

  NOT_FOUND: 'request',
  FORBIDDEN: 'request',
  CONFLICT: 'request',
  PARTIAL_WRITE: 'request',
  INTERNAL: 'request',
  PREMIUM_REQUIRED: 'request',
  NO_ACTIVE_DEVICE: 'request',
  DEVICE_NOT_FOUND: 'request',
  DEVICE_RESTRICTED: 'request',
  VOLUME_NOT_SUPPORTED: 'request',
  RESTRICTION_VIOLATED: 'request',
  UNSUPPORTED_ITEMS: 'request',
  RESOLUTION_FAILED: 'request',
  ALIAS_MISMATCH: 'request',
  JOB_NOT_FOUND: 'request',
  JOB_STATE: 'request',
  USAGE: 'request',
  PORT_TAKEN: 'request',
  ALREADY_RUNNING: 'request',
  NO_SERVER: 'request',
  SERVICE_FAILED: 'request',

  STORE_ERROR: 'store',
  STATE_DAMAGED: 'store',
  STATE_TOO_NEW: 'store',
  HOME_UNUSABLE: 'store',
};

/** Returns the class of an error. Every code has a class. */
export function failureClassOf({ code }: Pick<RelayError, 'code'>): FailureClass {
  return CLASSES[code];
}

/** True if the request or an item in it was refused: only a few more attempts make sense. */
export function isRefusal(error: Pick<RelayError, 'code'>): boolean {
  const failureClass = failureClassOf(error);
  return failureClass === 'request' || failureClass === 'item';
}

/** True if the master key is missing, is a different one, or cannot be read. */
export function isKeyFailure({ code }: Pick<RelayError, 'code'>): boolean {
  return code === 'KEY_UNAVAILABLE' || code === 'KEY_MISMATCH';
}

/** Returns the codes of failures of these classes. */
export function codesOf(...classes: readonly FailureClass[]): ErrorCode[] {
  return (Object.keys(CLASSES) as ErrorCode[]).filter((code) => classes.includes(CLASSES[code]));
}
