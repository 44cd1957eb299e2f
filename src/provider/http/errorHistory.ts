/** Error history: failed requests to the provider, kept for the owner and for `get_recent_api_errors`. */
import type { Clock } from '../../base/clock.ts';
import type { RelayError } from '../../domain/errors.ts';
import type { Store } from '../../store/file/open.ts';
import { recordApiError, resolveApiErrors } from '../../store/tables/apiErrors.ts';
import { PROVIDER_NAME, type ProviderRequest } from '../api.ts';

interface Failure {
  /** null if there was no answer. */
  statusCode: number | null;
  reason: string | null;
  error: RelayError;
}

export interface ErrorHistory {
  failed(request: ProviderRequest, failure: Failure): void;
  /** Marks earlier errors of the same method and path as resolved. */
  succeeded(request: ProviderRequest): void;
}

export function createErrorHistory(store: Store, clock: Clock): ErrorHistory {
  return {
    failed(request, { statusCode, reason, error }) {
      const entry = {
        provider: PROVIDER_NAME,
        scope: request.scope,
        method: request.method,
        path: request.template,
        statusCode,
        code: error.code,
        reason,
        message: ownWords(statusCode, error),
      };
      recordApiError(store, entry, clock.now());
    },
    succeeded(request) {
      resolveApiErrors(store, request.method, request.template, clock.now());
    },
  };
}

/** The message of a refused argument is the provider's and may repeat an ID or a value: it is for the caller only. */
function ownWords(statusCode: number | null, error: RelayError): string {
  return error.code === 'INVALID_ARGUMENT' ? `Spotify refused the request (${statusCode}).` : error.message;
}
