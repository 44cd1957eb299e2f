/**
 * Why a request was refused, as values, and what the client is told. The exact reason is only for the log. The client gets one of
 * the few codes of RFC 6749 (4.1.2.1, 5.2), RFC 7591 (3.2.2) and RFC 8707 (2). Messages about credentials are vague on purpose, so
 * that a thief does not learn what was nearly right.
 */

const CLIENT_REFUSED = 'The client is unknown, or its credentials are wrong.';
const CODE_REFUSED = 'The authorization code is not valid. Start the authorization again.';
const REFRESH_REFUSED = 'The refresh token is no longer valid. Start the authorization again.';

const WIRE = {
  parameter_repeated: ['invalid_request', 400, 'A parameter appears more than once.'],
  parameter_missing: ['invalid_request', 400, 'A required parameter is missing.'],
  client_unknown: ['invalid_client', 401, CLIENT_REFUSED],
  client_secret_wrong: ['invalid_client', 401, CLIENT_REFUSED],
  client_secret_unexpected: ['invalid_client', 401, CLIENT_REFUSED],
  client_method_wrong: ['invalid_client', 401, CLIENT_REFUSED],
  client_credentials_twice: ['invalid_request', 400, 'The client authenticates in more than one way.'],
  client_credentials_malformed: ['invalid_client', 401, CLIENT_REFUSED],
  redirect_uri_missing: ['invalid_request', 400, 'redirect_uri is missing.'],
  redirect_uri_unregistered: ['invalid_request', 400, 'redirect_uri is not registered for this client.'],
  redirect_uri_unusable: ['invalid_request', 400, 'No browser may be sent to this redirect_uri.'],
  redirect_uri_own: ['invalid_request', 400, 'redirect_uri leads to this server itself.'],
  response_type_unsupported: ['unsupported_response_type', 400, 'Only response_type=code is supported.'],
  response_mode_unsupported: ['invalid_request', 400, 'Only response_mode=query is supported.'],
  challenge_missing: ['invalid_request', 400, 'PKCE is required: code_challenge is missing.'],
  challenge_method_unsupported: ['invalid_request', 400, 'Only code_challenge_method=S256 is supported.'],
  challenge_malformed: ['invalid_request', 400, 'code_challenge is not a SHA-256 in base64url.'],
  state_malformed: ['invalid_request', 400, 'state has characters that are not printable ASCII.'],
  resource_foreign: ['invalid_target', 400, "The resource is not this server's MCP URL."],
  owner_denied: ['access_denied', 400, 'The owner did not approve.'],
  grant_type_unsupported: ['unsupported_grant_type', 400, 'This grant type is not supported.'],
  grant_type_unregistered: ['unauthorized_client', 400, 'The client did not register this grant type.'],
  code_unknown: ['invalid_grant', 400, CODE_REFUSED],
  code_of_other_client: ['invalid_grant', 400, CODE_REFUSED],
  code_replayed: ['invalid_grant', 400, CODE_REFUSED],
  code_expired: ['invalid_grant', 400, CODE_REFUSED],
  code_redirect_uri_wrong: ['invalid_grant', 400, CODE_REFUSED],
  verifier_wrong: ['invalid_grant', 400, CODE_REFUSED],
  refresh_unknown: ['invalid_grant', 400, REFRESH_REFUSED],
  refresh_of_other_client: ['invalid_grant', 400, REFRESH_REFUSED],
  refresh_expired: ['invalid_grant', 400, REFRESH_REFUSED],
  refresh_reused: ['invalid_grant', 400, REFRESH_REFUSED],
  grant_ended: ['invalid_grant', 400, REFRESH_REFUSED],
  metadata_malformed: ['invalid_client_metadata', 400, 'The client metadata is not valid.'],
  metadata_redirect_uris: ['invalid_redirect_uri', 400, 'A redirect URI cannot be used.'],
  clients_full: [
    'temporarily_unavailable',
    503,
    'There is no room for more clients. The owner can remove some with relay clients revoke --forget.',
  ],
  too_many_requests: ['temporarily_unavailable', 429, 'Too many requests. Try again later.'],
  state_not_saved: ['temporarily_unavailable', 503, 'The server cannot save its state right now.'],
  fault: ['server_error', 500, 'Internal server error.'],
} as const satisfies Readonly<Record<string, readonly [error: string, status: number, words: string]>>;

export type Reason = keyof typeof WIRE;

/** What the client is told; `status` is for an answer that is no redirect. */
export interface Wire {
  error: (typeof WIRE)[Reason][0];
  error_description: string;
  status: number;
}

export interface Refusal {
  reason: Reason;
  /** A name or a rule that helps to correct the request; never a value from the request. */
  detail: string | null;
}

export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

export function accepted<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refused(reason: Reason, detail: string | null = null): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { reason, detail } };
}

/** `error_description` has only characters of RFC 6749 5.2: no quotation mark, no backslash. */
export function toWire({ reason, detail }: Refusal): Wire {
  const [error, status, words] = WIRE[reason];
  const described = detail === null ? words : `${words} ${detail}`;
  return { error, status, error_description: described.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'") };
}
