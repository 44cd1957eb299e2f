/**
 * Why a request was refused, as values. The exact reason is only for the log. The client gets the less exact answer in
 * `toWire.ts`.
 */

export type Reason =
  | 'parameter_repeated'
  | 'parameter_missing'
  | 'client_unknown'
  | 'client_secret_wrong'
  | 'client_secret_unexpected'
  | 'client_method_wrong'
  | 'client_credentials_twice'
  | 'client_credentials_malformed'
  | 'redirect_uri_missing'
  | 'redirect_uri_unregistered'
  | 'redirect_uri_unusable'
  | 'redirect_uri_own'
  | 'response_type_unsupported'
  | 'response_mode_unsupported'
  | 'challenge_missing'
  | 'challenge_method_unsupported'
  | 'challenge_malformed'
  | 'scope_unknown'
  | 'resource_foreign'
  | 'owner_denied'
  | 'grant_type_unsupported'
  | 'grant_type_unregistered'
  | 'code_unknown'
  | 'code_of_other_client'
  | 'code_replayed'
  | 'code_expired'
  | 'code_redirect_uri_wrong'
  | 'verifier_wrong'
  | 'refresh_unknown'
  | 'refresh_of_other_client'
  | 'refresh_expired'
  | 'refresh_reused'
  | 'grant_ended'
  | 'metadata_malformed'
  | 'metadata_redirect_uris'
  | 'clients_full'
  | 'too_many_requests'
  | 'state_not_saved'
  | 'fault';

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
