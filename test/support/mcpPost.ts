/** Requests to the MCP endpoint that are written by hand, so that a test can also send invalid ones. */
import { type Answer, send } from './http.ts';
import { API_KEY, type Relay } from './world.ts';

/** The headers without which the endpoint refuses a request. */
export const MCP_HEADERS = {
  authorization: `Bearer ${API_KEY}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** What a request of the 2026 revision has in `params._meta`. */
export const META_2026 = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** @param message an object, or text to send unchanged as the body */
export function postMcp(
  { server }: Pick<Relay, 'server'>,
  message: object | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return send(server.mcpUrl, { method: 'POST', headers: { ...MCP_HEADERS, ...headers }, body });
}
