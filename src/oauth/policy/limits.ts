/** Every lifetime and limit of the authorization server, with its reason. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Lifetime of a code, from the approval to the exchange. It is short, since a code travels through the browser. */
export const CODE_MS = 60_000;

/**
 * Lifetime of an access token. A failed refresh logs the client's user out. An hour keeps refreshes rare, and still limits the
 * harm of a leaked token.
 */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Lifetime of a refresh token. Each refresh begins a new one, so a client that is used once a month stays connected. */
export const REFRESH_TOKEN_MS = 30 * DAY_MS;

/** How long a refresh token still works after its first use: several processes of a client may use one stored token at once. */
export const ROTATION_GRACE_MS = 60_000;

/** Lifetime of an approval, however often its tokens are refreshed: the owner is asked again at least once a year. */
export const GRANT_MS = 365 * DAY_MS;

/** How long a client that was never approved is kept. Clients register just before they ask, so a late approval is unlikely. */
export const UNAPPROVED_CLIENT_MS = DAY_MS;

/**
 * How long an unused client is kept. The client remembers its ID for good, and stops working once this server has forgotten it.
 */
export const UNUSED_CLIENT_MS = 365 * DAY_MS;

/**
 * Maximum number of clients that registered themselves. Clients register again at every new connection, so those that never
 * had a token are dropped to make room.
 */
export const MAX_CLIENTS = 200;

/** Maximum number of requests a minute from one address. */
export const REGISTRATIONS_PER_MINUTE = 20;
export const TOKEN_REQUESTS_PER_MINUTE = 60;

/** Several uses of a token within this time are stored as one. */
export const TOUCH_MS = MINUTE_MS;

/** Minimum time between two sweeps of expired tokens. */
export const SWEEP_MS = 60 * MINUTE_MS;

/** The usual scope of clients: all tools that the server offers. */
export const SCOPE = 'relay';

/** The smaller scope, which the owner may approve or a client may ask for: only the tools that change nothing. */
export const READ_SCOPE = 'relay:read';
