/** The provider without a network: takes requests and returns answers. */
import { createHash } from 'node:crypto';
import { percentDecoded } from '../base/parsing.ts';
import { CATALOGUE_ROUTES } from './api/catalogue.ts';
import { PERSONAL_ROUTES } from './api/personal.ts';
import { PLAYER_ROUTES } from './api/player.ts';
import { PLAYLIST_ROUTES } from './api/playlists.ts';
import { type Answer, apiError, type Incoming, Refusal, type Routes } from './http.ts';
import { Logins } from './oauth.ts';
import type { DemoWorld } from './state.ts';

const COVER_PATH = /^GET \/image\/([0-9A-Za-z]{1,64})$/;

const ROUTES: Routes = {
  ...CATALOGUE_ROUTES,
  ...PERSONAL_ROUTES,
  ...PLAYER_ROUTES,
  ...PLAYLIST_ROUTES,
};

export function createDemoRules(world: DemoWorld, accessTokenSeconds = 3600) {
  const logins = new Logins(world, accessTokenSeconds);
  const handle = (request: Incoming): Answer => {
    if (request.isApi) return dispatch(world, request, logins);
    const target = `${request.method} ${request.path}`;
    if (target === 'GET /authorize') return logins.authorize(request);
    if (target === 'POST /api/token') return logins.exchange(request);
    const cover = COVER_PATH.exec(target)?.[1];
    return cover === undefined ? apiError(404, 'Service not found') : coverImage(cover);
  };
  return { logins, handle };
}

/** Answers a request below `/v1`: checks the token, finds the endpoint, and calls its handler. */
function dispatch(world: DemoWorld, incoming: Incoming, logins: Logins): Answer {
  const { method, path, headers } = incoming;
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const grant = bearer === undefined ? undefined : logins.accessOf(bearer);
  if (!grant) return unauthorized(bearer === undefined ? 'missing_token' : 'invalid_token');
  // In each path with an ID, the ID is the second part.
  const [, start = '', id = '', end = ''] = /^(\/[^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const handle = ROUTES[`${method} ${path}`] ?? ROUTES[`${method} ${start}/:id${end}`];
  if (!handle) return apiError(404, 'Service not found');
  const { account, scope } = grant;
  const scopes = new Set(scope.split(' '));
  try {
    return handle({ ...incoming, account, scopes, world, now: world.clock.now(), id: percentDecoded(id) });
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

function unauthorized(error: 'missing_token' | 'invalid_token'): Answer {
  const headers = { 'www-authenticate': `Bearer realm="spotify", error="${error}"` };
  return { ...apiError(401, 'Missing/invalid/expired access token'), headers };
}

/** The cover of a playlist: a mosaic of four colours, derived from its ID. */
function coverImage(id: string): Answer {
  const bytes = createHash('sha256').update(id).digest();
  const tiles = [0, 1, 2, 3].map((tile) => {
    const hue = Math.round(((bytes[tile] ?? 0) / 255) * 360);
    const lightness = 35 + ((bytes[tile + 4] ?? 0) % 30);
    const place = `x="${(tile % 2) * 30}" y="${Math.floor(tile / 2) * 30}"`;
    return `<rect ${place} width="30" height="30" fill="hsl(${hue} 45% ${lightness}%)"/>`;
  });
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60">${tiles.join('')}</svg>`;
  return {
    status: 200,
    text,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' },
  };
}
