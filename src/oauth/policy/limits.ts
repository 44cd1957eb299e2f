/** Every lifetime and limit of the authorization server, with what a larger or smaller value would mean. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** From approval to exchange; a code travels through the browser, so it ends before anyone could copy it. */
export const CODE_MS = 60_000;

/** Clients that fail to refresh log their user out; an hour keeps that rare, and a leaked token short-lived. */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Sliding: a client that is used once a month stays connected. */
export const REFRESH_TOKEN_MS = 30 * DAY_MS;

/** Clients run several processes that refresh one stored token at the same time; without this all but one are logged out. */
export const ROTATION_GRACE_MS = 60_000;

/** From approval to its end, however often it was refreshed: the owner is asked again at least once a year. */
export const GRANT_MS = 365 * DAY_MS;

/** Clients register before they ask: what nobody approved by then was abandoned, or never meant to be approved. */
export const UNAPPROVED_CLIENT_MS = DAY_MS;

/** A client that has held a token remembers its ID for good, and stops working once the ID is forgotten here. */
export const UNUSED_CLIENT_MS = 365 * DAY_MS;

/** Clients register again at every new connection. Those that never got a token make room. */
export const MAX_CLIENTS = 200;

/** Requests a minute from one address. */
export const REGISTRATIONS_PER_MINUTE = 20;
export const TOKEN_REQUESTS_PER_MINUTE = 60;

/** Uses of a token within this time are one. */
export const TOUCH_MS = MINUTE_MS;
/** How long uses wait for another change to be saved with: a write now and then instead of one a minute. */
export const SAVE_TOUCHES_MS = 10 * MINUTE_MS;

/** What clients ask for: all tools that the server offers. */
export const SCOPE = 'relay';

/** What the owner may approve instead, or a client ask for: only the tools that change nothing. */
export const READ_SCOPE = 'relay:read';
