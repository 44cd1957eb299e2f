/**
 * Turns failed answers of the Web API into relay's errors. Pure, and the only place that interprets the texts of these answers.
 * The status decides first. `reason` and fragments of the message only refine it, since the texts change without notice.
 */
import { TooLarge } from '../../base/bodyText.ts';
import { isObject, readJson } from '../../base/parsing.ts';
import { visibleText } from '../../base/visibleText.ts';
import { type ErrorCode, RelayError, systemCodeOf } from '../../domain/errors.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { ProviderRequest } from '../api.ts';

/** Maximum number of characters to keep of the provider's text, which may be a gateway's error page. */
const MAX_TEXT = 300;

/** What a failed answer says, whatever the form of its body. */
export interface FailureBody {
  /** One line of at most 300 characters; '' if the body has no message. */
  message: string;
  /** The `reason`, or the OAuth error code; null if the body has neither, or a text instead of a code. */
  reason: string | null;
  /** `api` for the JSON with which the Web API refuses; `page` for HTML or XML, whose text is not kept; otherwise `other`. */
  form: 'api' | 'page' | 'other';
}

/**
 * Reads `{"error":{status,message,reason?}}`, `{"error","error_description"}` or plain text.
 * @param secrets secret values in the request: a gateway may repeat the request in its error page, and the text goes to clients
 */
export function readFailureBody(answer: string, secrets: readonly string[] = []): FailureBody {
  const text = secrets
    .filter((secret) => secret !== '')
    .reduce((all, secret) => all.replaceAll(secret, '…'), answer);
  if (/^\s*</.test(text)) return { message: '', reason: null, form: 'page' };
  const body = readJson(text);
  if (body === undefined) return { message: cleaned(text) ?? '', reason: null, form: 'other' };
  const { error, error_description: description } = isObject(body) ? body : {};
  if (isObject(error)) {
    return { message: cleaned(error.message) ?? '', reason: codeIn(error.reason), form: 'api' };
  }
  return { message: cleaned(description) ?? cleaned(error) ?? '', reason: codeIn(error), form: 'other' };
}

/**
 * Returns `value` if it has the form of a code, such as `QUOTA_EXCEEDED` or `invalid_grant`; otherwise null. Any other text may
 * quote the request, which must not get into the error history.
 */
function codeIn(value: unknown): string | null {
  return typeof value === 'string' &&
    /^(?:[A-Z][A-Z0-9_]*|[a-z][a-z0-9_]*)$/.test(value) &&
    value.length <= 60
    ? value
    : null;
}

/** Foreign text as one short, visible line; null for a value that is not text. */
function cleaned(value: unknown): string | null {
  return typeof value === 'string' ? visibleText(value, MAX_TEXT) : null;
}

interface Explanation {
  code: ErrorCode;
  message: string;
  remedy: string | Remedy;
}

const byReason: Record<string, Explanation> = {
  NO_ACTIVE_DEVICE: {
    code: 'NO_ACTIVE_DEVICE',
    message: 'No Spotify device is active.',
    remedy:
      'Open Spotify on a device, or call get_devices and pass a device_id (transfer_playback wakes it).',
  },
  PREMIUM_REQUIRED: {
    code: 'PREMIUM_REQUIRED',
    message: 'Spotify lets only Premium accounts control playback.',
    remedy:
      'Use a Premium account. If the account has Premium, try again: Spotify sometimes says this by mistake.',
  },
  VOLUME_CONTROL_DISALLOW: {
    code: 'VOLUME_NOT_SUPPORTED',
    message: 'The volume of this device cannot be set remotely.',
    remedy: 'Set the volume on the device itself, or choose one with supports_volume true from get_devices.',
  },
  DEVICE_NOT_CONTROLLABLE: {
    code: 'DEVICE_RESTRICTED',
    message: 'The device does not accept commands.',
    remedy: 'Choose a device with is_restricted false from get_devices.',
  },
};

const restriction: Explanation = {
  code: 'RESTRICTION_VIOLATED',
  message: 'The player refuses this in its current state.',
  remedy: 'Call get_playback_state: disallows lists what the player refuses right now.',
};

/** Fragments of 403 texts, for an answer without a known reason. The first match decides. */
const forbiddenTexts: ReadonlyArray<readonly [RegExp, Explanation]> = [
  [
    /premium subscription required for the owner/i,
    {
      code: 'APP_OWNER_PREMIUM_REQUIRED',
      message: 'Spotify accepts requests from this app only while the owner of the app has Premium.',
      remedy: 'The owner of the Spotify app must renew Premium. Spotify may take a few hours to notice.',
    },
  ],
  [
    /registered/i,
    {
      code: 'USER_NOT_REGISTERED',
      message: 'This account is not on the user list of the Spotify app.',
      remedy:
        'The owner of the app must add the account under User Management on developer.spotify.com/dashboard (five users at most).',
    },
  ],
  [
    /scope/i,
    {
      code: 'SCOPE_MISSING',
      message: 'The login lacks a permission that this needs.',
      remedy: { text: 'Run {command} again and grant every permission.', command: ['login'] },
    },
  ],
  [/premium required/i, byReason.PREMIUM_REQUIRED as Explanation],
  [/control device volume/i, byReason.VOLUME_CONTROL_DISALLOW as Explanation],
  [/restricted device/i, byReason.DEVICE_NOT_CONTROLLABLE as Explanation],
  [/restriction violated|player command failed/i, restriction],
];

/** Reasons with which the player refuses a command because of its current state. */
const RESTRICTION_REASONS = new Set([
  'NO_PREV_TRACK',
  'NO_NEXT_TRACK',
  'NO_SPECIFIC_TRACK',
  'ALREADY_PAUSED',
  'NOT_PAUSED',
  'NOT_PLAYING_LOCALLY',
  'NOT_PLAYING_TRACK',
  'NOT_PLAYING_CONTEXT',
  'ENDLESS_CONTEXT',
  'CONTEXT_DISALLOW',
  'ALREADY_PLAYING',
  'REMOTE_CONTROL_DISALLOW',
]);

/** Makes the error for an answer that is not a success, other than 401 and 429. */
export function failureOf(request: ProviderRequest, status: number, body: FailureBody): RelayError {
  const explanation = explain(request, status, body);
  return new RelayError(explanation.code, explanation.message, {
    remedy: explanation.remedy,
    details: { status, ...(body.reason ? { reason: body.reason } : {}) },
  });
}

/**
 * Statuses with which Spotify refuses what a request contains. 413 and 414 say that it contains too much. Other answers may come
 * from a gateway between relay and Spotify, and say nothing about the request.
 */
const REFUSED_CONTENT = new Set([400, 413, 414]);

function explain(request: ProviderRequest, status: number, body: FailureBody): Explanation {
  // Spotify also sends 403 as plain text.
  if (status === 403 && body.form !== 'page') return forbidden(request, body);
  if (status === 404 && body.form === 'api') return notFound(request, body);
  if (REFUSED_CONTENT.has(status) && body.form === 'api') {
    return {
      code: 'INVALID_ARGUMENT',
      message: `Spotify refused the request (${status})${body.message ? `: ${body.message}` : ''}.`.replace(
        /\.\.$/,
        '.',
      ),
      remedy: 'Check that every ID exists and that no value is out of range.',
    };
  }
  if (status === 408 || status === 504) {
    return {
      code: 'PROVIDER_TIMEOUT',
      message: 'Spotify did not answer in time.',
      remedy: retryAdvice(request),
    };
  }
  if (status >= 500) {
    return {
      code: 'PROVIDER_UNAVAILABLE',
      message: `Spotify answered with a server error (${status}).`,
      remedy: retryAdvice(request),
    };
  }
  if (body.form === 'api' && body.message !== '' && !REDIRECTS.has(status)) {
    return {
      code: 'PROVIDER_INVALID_RESPONSE',
      message: `Spotify answered ${request.method} ${request.template} with an error that relay does not know (${status}): ${body.message.replace(/\.$/, '')}.`,
      remedy: oddAdvice(request, 'look for a newer version of relay'),
    };
  }
  return {
    code: 'PROVIDER_INVALID_RESPONSE',
    message: REDIRECTS.has(status)
      ? `The answer to ${request.method} ${request.template} leads to another address, and relay does not follow it (${status}).`
      : `relay got an answer that Spotify does not give to ${request.method} ${request.template} (${status}).`,
    remedy: oddAdvice(request, PROXY),
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const PROXY = 'a proxy or firewall may be answering in place of Spotify';

/** What to do after an odd answer. @param ifAgain completes the sentence "If it happens again, …" */
function oddAdvice(request: ProviderRequest, ifAgain: string): string {
  return request.method === 'GET'
    ? `Try again in a minute. If it happens again, ${ifAgain}.`
    : retryAdvice(request);
}

function forbidden(request: ProviderRequest, body: FailureBody): Explanation {
  const known = body.reason ? byReason[body.reason] : undefined;
  if (known) return known;
  if (body.reason && RESTRICTION_REASONS.has(body.reason)) return restriction;
  const match = forbiddenTexts.find(([fragment]) => fragment.test(body.message));
  if (match) return match[1];
  if (request.method === 'PUT' && request.template === '/playlists/{id}') {
    return {
      code: 'FORBIDDEN',
      message: 'Spotify lets only the owner of a playlist change its details.',
      remedy: 'Ask the owner to change them. Collaborators can change only the songs.',
    };
  }
  if (request.template.startsWith('/playlists/')) {
    return {
      code: 'FORBIDDEN',
      message: 'Spotify shows the content of a playlist only to its owner and collaborators.',
      remedy:
        'Use a playlist of your own ({get_my_playlists|relay playlists} lists them), or ask the owner to make it collaborative.',
    };
  }
  return {
    code: 'FORBIDDEN',
    message: 'Spotify refuses this for the connected account or for this app.',
    remedy: {
      text: 'Run {command} to see which account is connected, and permissions that it lacks.',
      command: ['status'],
    },
  };
}

function notFound(request: ProviderRequest, body: FailureBody): Explanation {
  const isPlayer = request.scope === 'player';
  // A reading of the player names no device and no item.
  const namesNothing = isPlayer && request.method === 'GET';
  if (namesNothing || body.reason === 'NO_ACTIVE_DEVICE' || /no active device/i.test(body.message)) {
    return byReason.NO_ACTIVE_DEVICE as Explanation;
  }
  if (isPlayer && (/device/i.test(body.message) || !namesContent(request))) {
    return {
      code: 'DEVICE_NOT_FOUND',
      message: 'Spotify cannot find this device, or it is asleep.',
      remedy: 'Call get_devices for current IDs; if the device is missing, open Spotify on it.',
    };
  }
  return { code: 'NOT_FOUND', message: 'Spotify cannot find this item.', remedy: checkId(request) };
}

/** What to check about the ID of something that Spotify cannot find. */
function checkId({ path, query, body }: ProviderRequest): string {
  if (path.startsWith('/tracks/')) {
    return 'Check the ID. It must be that of a track: episodes cannot be read.';
  }
  const named = JSON.stringify([path, query?.uri ?? null, body ?? null]);
  if (/playlist/.test(named)) {
    return "Check the ID. Apps can never read Spotify's own editorial and personalized playlists.";
  }
  return named.includes('spotify:track:')
    ? 'Check the ID. An episode is given as spotify:episode:ID.'
    : 'Check the ID.';
}

/** True for a command that says what to play or to queue. A 404 may then mean that this was not found, rather than the device. */
function namesContent({ query, body }: ProviderRequest): boolean {
  return query?.uri !== undefined || (isObject(body) && ('context_uri' in body || 'uris' in body));
}

/** Makes the error for a request that got no complete answer. */
export function transportFailure(request: ProviderRequest, error: unknown, timedOut: boolean): RelayError {
  if (timedOut) {
    return new RelayError('PROVIDER_TIMEOUT', 'Spotify did not answer in time.', {
      remedy: retryAdvice(request),
      cause: error,
    });
  }
  if (error instanceof TooLarge) {
    return new RelayError(
      'PROVIDER_INVALID_RESPONSE',
      `The answer to ${request.method} ${request.template} is too large for relay to read.`,
      { remedy: oddAdvice(request, PROXY), cause: error },
    );
  }
  const code = systemCodeOf(error);
  return new RelayError('PROVIDER_UNAVAILABLE', `Spotify cannot be reached${code ? ` (${code})` : ''}.`, {
    ...(isCertainlyUnsent(error)
      ? { remedy: 'Check the network connection, then try again.', details: { sent: false } }
      : { remedy: retryAdvice(request) }),
    cause: error,
  });
}

/** Codes of errors that occur before there is a connection. */
const UNSENT_CODES: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True for an error that says that no connection was made, so that not even a write can have taken effect. */
export function isCertainlyUnsent(error: unknown): boolean {
  return UNSENT_CODES.has(systemCodeOf(error));
}

function retryAdvice(request: ProviderRequest): string {
  return request.method === 'GET'
    ? 'Try again in a minute.'
    : 'The change may or may not have been made: read the current state before trying again.';
}

/** Makes the error for a 2xx answer whose body is not what the API's reference describes. */
export function invalidResponse(request: ProviderRequest, what: string): RelayError {
  return new RelayError(
    'PROVIDER_INVALID_RESPONSE',
    `Spotify's answer to ${request.method} ${request.template} is not valid: ${what}.`,
    {
      remedy:
        request.method === 'GET'
          ? 'Try again. If it happens again, Spotify has changed its API and relay needs an update.'
          : 'The change was accepted. Read the current state to see it.',
    },
  );
}
