/** Every lifetime and limit of the authorization server, with its reason. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** From approval to exchange; a code travels through the browser, so it ends before anyone could copy it. */
export const CODE_MS = 60_000;

/** A client that fails to refresh logs its user out. An hour keeps that rare, and a leaked token short-lived. */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Sliding: a client that is used once a month stays connected. */
export const REFRESH_TOKEN_MS = 30 * DAY_MS;

/** Several processes of a client may refresh one stored token at once. Without the grace all but one would be logged out. */
export const ROTATION_GRACE_MS = 60_000;

/** From approval to its end, however often it was refreshed: the owner is asked again at least once a year. */
export const GRANT_MS = 365 * DAY_MS;

/** Clients register before they ask, so one that was not approved by then was abandoned, or never meant to be. */
export const UNAPPROVED_CLIENT_MS = DAY_MS;

/** A client that has held a token remembers its ID for good, and stops working once the ID is forgotten here. */
export const UNUSED_CLIENT_MS = 365 * DAY_MS;

/** Clients register again at every new connection. Those that never got a token make room. */
export const MAX_CLIENTS = 200;

/** Requests a minute from one address. */
export const REGISTRATIONS_PER_MINUTE = 20;
export const TOKEN_REQUESTS_PER_MINUTE = 60;

/** Several uses of a token within this time are stored once. */
export const TOUCH_MS = MINUTE_MS;
/** How long uses may wait to be saved with another change, so that there is no write every minute. */
export const SAVE_TOUCHES_MS = 10 * MINUTE_MS;

/** What clients ask for: all tools that the server offers. */
export const SCOPE = 'relay';

/** The smaller scope, which the owner may approve or a client may ask for: only the tools that change nothing. */
export const READ_SCOPE = 'relay:read';
