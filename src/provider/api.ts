/** The interface that the resources (catalog, playlists, player, …) are written against: a request, its answer, and `send`. */

/** What a caller passes in: a signal that stops the work, a function that receives progress, and who the work is for. */
export interface Call {
  /** Aborts when the caller has left or time is up; nothing new is sent to the provider after that. */
  signal: AbortSignal;
  /** Reports that `done` of `total` steps are done. Called only for work that takes more than one request to the provider. */
  progress(done: number, total: number, message?: string): void;
  /** The provider's ID of the user whom the work is for; by default the connected user. */
  account?: string;
  /** Who asks: `command-line`, `page`, `api-key`, `client` and its ID, or `stdio` and the name that the client gives. */
  by?: string;
}

export interface SendCall extends Pick<Call, 'signal' | 'account'> {
  /** Stops the request too, but only until it is sent: for a write whose answer has to be awaited. */
  untilSent?: AbortSignal;
}

export interface ProviderApi {
  /**
   * Sends one request: checks limits, gets a valid token, applies timeouts, retries, and refreshes the token once after a 401.
   * A write is tried again only if it certainly was not sent, or after a 401. If `call.account` is given, only that user's tokens
   * are used.
   * @throws RelayError with the code for what went wrong and a remedy; `LOGIN_REQUIRED` with `details.reason` `other_account`
   * if another account is connected now. A `PROVIDER_*` error with `details.sent` false means that the request had no effect.
   * If a signal of the call aborts, its reason is thrown.
   */
  send(request: ProviderRequest, call: SendCall): Promise<ProviderResponse>;
  /** Current time by the provider's clock, in Unix milliseconds, from the last success with a `Date`; null before the first. */
  serverTime(): number | null;
}

/**
 * One rate-limit scope per endpoint family: the provider blocks each family separately, so a used-up search quota
 * must not stop the player.
 */
export type LimitScope =
  | 'search'
  | 'tracks'
  | 'artists'
  | 'playlists.read'
  | 'playlists.write'
  | 'library.read'
  | 'library.write'
  | 'top'
  | 'recently_played'
  | 'player'
  | 'me'
  /** The login service, which renews access tokens. */
  | 'login';

/** The provider's name in stored limits and errors; there is one provider today. */
export const PROVIDER_NAME = 'spotify';

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the API's base URL. */
  path: string;
  /** The path with names in place of values, such as `/playlists/{id}`. The error history shows it instead of the path. */
  template: string;
  scope: LimitScope;
  query?: Record<string, string | number | undefined>;
  /** The body, which is sent as JSON. */
  body?: unknown;
}

export interface ProviderResponse {
  status: number;
  /** The parsed JSON; null for a body that is empty or not JSON (player commands get such answers). */
  body: unknown;
  /** True if there was a body that is not JSON. */
  opaque: boolean;
  /** Time of the answer by the provider's clock, in Unix milliseconds (its `Date` header, to the second); null without one. */
  date?: number | null;
}

/**
 * Builds a request whose path comes from a template such as `/playlists/{id}/items`.
 * @param values for the names in the template; every value is percent-encoded
 */
export function requestFor(
  method: ProviderRequest['method'],
  template: string,
  scope: LimitScope,
  {
    values = {},
    ...content
  }: Pick<ProviderRequest, 'query' | 'body'> & { values?: Record<string, string> } = {},
): ProviderRequest {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  return { method, path, template, scope, ...content };
}
