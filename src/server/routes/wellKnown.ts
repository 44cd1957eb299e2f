/** The documents from which MCP clients learn how to get access (RFC 9728, RFC 8414). Readable from any origin. */
import { authorizationServerMetadata, protectedResourceMetadata } from '../../oauth/metadata.ts';
import { end, type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';

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
