/** The documents by which MCP clients find out how to get in (RFC 9728). Readable from any origin. */
import { type Exchange, end, sendJson } from '../exchange.ts';
import type { Route } from '../router.ts';
import { MCP_SCOPE } from './mcp.ts';

const ANY_ORIGIN = { 'access-control-allow-origin': '*' };

export function wellKnownRoutes(): Route[] {
  return [
    ...document('/.well-known/oauth-protected-resource', protectedResource),
    ...document('/.well-known/oauth-protected-resource/mcp', protectedResource),
  ];
}

/** `resource` is the MCP URL as the client dialled it: clients compare it byte by byte. */
function protectedResource(baseUrl: string): object {
  return {
    resource: `${baseUrl}/mcp`,
    resource_name: 'relay for Spotify (unofficial)',
    bearer_methods_supported: ['header'],
    scopes_supported: [MCP_SCOPE],
  };
}

function document(path: string, make: (baseUrl: string) => object): Route[] {
  return [
    {
      method: 'GET',
      path,
      anyOrigin: true,
      handle: (exchange) => sendJson(exchange, 200, make(exchange.baseUrl), ANY_ORIGIN),
    },
    { method: 'OPTIONS', path, anyOrigin: true, handle: preflight },
  ];
}

/** In-browser clients add a protocol header, which makes browsers ask first. */
function preflight(exchange: Exchange): void {
  const headers = {
    ...ANY_ORIGIN,
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'mcp-protocol-version',
    'access-control-max-age': '600',
  };
  end(exchange, 204, headers, '');
}
