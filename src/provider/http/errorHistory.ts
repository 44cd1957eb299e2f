/** Error history: failed requests to the provider, kept for the owner and for `get_recent_api_errors`. */
import type { Clock } from '../../base/clock.ts';
import type { RelayError } from '../../domain/errors.ts';
import type { Store } from '../../store/store.ts';
import { listOpenApiErrors, recordApiError, resolveApiErrors } from '../../store/tables/apiErrors.ts';
import { PROVIDER_NAME, type ProviderRequest } from '../api.ts';

interface Failure {
  statusCode: number | null;
  reason: string | null;
  error: RelayError;
}

export interface ErrorHistory {
  failed(request: ProviderRequest, failure: Failure): void;
  /** Marks earlier errors with the same method and path template as resolved. */
  succeeded(request: ProviderRequest): void;
}

export function createErrorHistory(store: Store, clock: Clock): ErrorHistory {
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  /** Method and path template of each request with unresolved errors: for any other request, a success need not ask the store. */
  const open = new Set(listOpenApiErrors(store).map(nameOf));
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
        message: withoutWords(error, statusCode),
      };
      recordApiError(store, entry, clock.now());
      open.add(nameOf(entry));
    },
    succeeded({ method, template }) {
      const name = nameOf({ method, path: template });
      if (!open.has(name)) return;
      resolveApiErrors(store, method, template, clock.now());
      open.delete(name);
    },
  };
}

/** The provider's words about a request may quote a value, so only the caller gets them. */
function withoutWords({ code, message }: RelayError, status: number | null): string {
  if (code === 'INVALID_ARGUMENT') return `Spotify refused the request (${status}).`;
  const isUnknown = code === 'PROVIDER_INVALID_RESPONSE' && status !== null && status >= 400;
  return isUnknown ? `An unknown error (${status}).` : message;
}
