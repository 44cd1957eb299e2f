/** What anyone may read: the shell of the owner's page and its files, that the server runs, and how clients get access (RFC 9728, RFC 8414). */

import { authorizationServerMetadata, protectedResourceMetadata } from '../../oauth/metadata.ts';
import type { Core } from '../core.ts';
import { end, type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { coverSources } from '../owner/pageState.ts';
import { ASSETS, type Asset, ICON, sendPage } from '../pages/page.ts';
import { ownerPage } from '../pages/wholePages.ts';

/** A year: the address changes with the content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

export function assetRoutes(): Route[] {
  const send = (context: HttpContext, { type, text }: Asset, headers: Record<string, string>) =>
    end(context, 200, { 'content-type': type, ...headers }, text);
  return [
    ...ASSETS.map(
      (asset): Route => ({
        method: 'GET',
        path: asset.path,
        handle(context) {
          // Only addresses that this server gave out since its start may be cached.
          const isOurs = context.query.has(context.site.startId);
          send(context, asset, isOurs ? { 'cache-control': FOR_GOOD } : {});
        },
      }),
    ),
    // Browsers request this path also for answers that are not pages.
    { method: 'GET', path: '/favicon.ico', handle: (context) => send(context, ICON, {}) },
  ];
}

export function homeRoutes(core: Core): Route[] {
  const handle = (context: HttpContext) =>
    sendPage(context, 200, ownerPage(coverSources(core), core.settings.demo));
  return [{ method: 'GET', path: '/', handle }];
}

export function healthRoutes(core: Core): Route[] {
  return [
    {
      method: 'GET',
      path: '/auth/status',
      handle(context) {
        const account = core.account.view();
        sendJson(context, 200, {
          providerConnected: account.connected,
          reauthorizationRequired: account.reauthorizationRequired,
        });
      },
    },
    {
      method: 'GET',
      path: '/health',
      handle(context) {
        const { status, schemaVersion, expectedVersion, schemaState } = core.store.state();
        sendJson(context, status === 'ok' ? 200 : 503, {
          status,
          providerConnected: core.account.view().connected,
          version: core.version,
          mcpUrl: `${context.baseUrl}/mcp`,
          database: { status, schemaVersion, expectedVersion, schemaState },
        });
      },
    },
  ];
}

const ANY_ORIGIN = { 'access-control-allow-origin': '*' };

export function wellKnownRoutes(registrationOpen: boolean): Route[] {
  return [
    ...document('/.well-known/oauth-authorization-server', (baseUrl) =>
      authorizationServerMetadata(baseUrl, registrationOpen),
    ),
    ...document('/.well-known/oauth-protected-resource', protectedResourceMetadata),
    ...document('/.well-known/oauth-protected-resource/mcp', protectedResourceMetadata),
  ];
}

/** Some clients add a slash to the path. */
function document(name: string, make: (baseUrl: string) => object): Route[] {
  return [name, `${name}/`].flatMap((path): Route[] => [
    {
      method: 'GET',
      path,
      anyOrigin: true,
      handle: (context) => sendJson(context, 200, make(context.baseUrl), ANY_ORIGIN),
    },
    { method: 'OPTIONS', path, anyOrigin: true, handle: preflight },
  ]);
}

/** In-browser clients add a protocol header, which makes browsers send a preflight request. */
function preflight(context: HttpContext): void {
  const headers = {
    ...ANY_ORIGIN,
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'mcp-protocol-version',
    'access-control-max-age': '600',
  };
  end(context, 204, headers, '');
}
