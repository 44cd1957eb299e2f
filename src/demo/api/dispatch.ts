/** Answers a request below `/v1`. Checks token, account, endpoint and scope, in this order, then calls the handler. */

import { percentDecoded } from '../../base/parsing.ts';
import { type Answer, type ApiCall, apiError, type Incoming, needScope, Refusal } from '../http.ts';
import type { AccessGrant } from '../oauth/grants.ts';
import type { World } from '../state.ts';
import { API_ROUTES, REMOVED_ROUTES } from './routes.ts';

const OWNER_NEEDS_PREMIUM =
  'Active premium subscription required for the owner of the app. When the subscription status changes, ' +
  'it can take a few hours before requests are allowed again.';
const NOT_REGISTERED = 'Check settings on developer.spotify.com/dashboard, the user may not be registered.';

const ROUTES = [...API_ROUTES, ...REMOVED_ROUTES].map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(':id', '([^/]+)')}$`),
}));
/** The routes by the first part of their path, since a request would otherwise be compared with all of them. */
const ROUTES_BY_PART = new Map<string, typeof ROUTES>();
for (const entry of ROUTES) {
  const part = firstPartOf(entry.route.path);
  ROUTES_BY_PART.set(part, [...(ROUTES_BY_PART.get(part) ?? []), entry]);
}

/** @param grantOf returns the grant of an access token, or undefined if the token is not valid */
export function dispatch(
  world: World,
  incoming: Incoming,
  grantOf: (token: string) => AccessGrant | undefined,
): Answer {
  try {
    const bearer = /^Bearer (.+)$/i.exec(incoming.headers.authorization ?? '')?.[1];
    if (bearer === undefined) return unauthorized('missing_token');
    const grant = grantOf(bearer);
    if (!grant) return unauthorized('invalid_token');
    if (!grant.account.appOwnerPremium) return plainForbidden(OWNER_NEEDS_PREMIUM);
    if (!grant.account.registered) return plainForbidden(NOT_REGISTERED);
    return route({ ...incoming, ...grant, world, now: world.clock.now(), id: '' });
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function route(call: ApiCall): Answer {
  const here = (ROUTES_BY_PART.get(firstPartOf(call.path)) ?? []).filter(({ pattern }) =>
    pattern.test(call.path),
  );
  const found = here.find(({ route }) => route.method === call.method);
  if (!found)
    return here.length > 0 ? apiError(405, 'Method not allowed') : apiError(404, 'Service not found');
  if (call.query.get('market') === 'from_token') needScope(call, 'user-read-private');
  if (found.route.scope !== undefined) needScope(call, found.route.scope);
  const id = percentDecoded(found.pattern.exec(call.path)?.[1] ?? '');
  return found.route.handle({ ...call, id });
}

function firstPartOf(path: string): string {
  return path.split('/', 2)[1] ?? '';
}

function unauthorized(error: 'missing_token' | 'invalid_token'): Answer {
  const headers = { 'www-authenticate': `Bearer realm="spotify", error="${error}"` };
  return { ...apiError(401, 'Missing/invalid/expired access token'), headers };
}

function plainForbidden(text: string): Answer {
  return { status: 403, text, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}
