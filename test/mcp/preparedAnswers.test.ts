/** The prepared answer to `tools/list` equals that of the SDK, and only requests in the common form get it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MCP_HEADERS, META_2026 } from '../support/mcpPost.ts';
import { type Relay, withRelay } from '../support/world.ts';

const MODERN = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
const modern = (more: object = {}) => ({ params: { _meta: META_2026, ...more } });
const IDS = [0, -7, 'one', '', '"\\ü\n', 2 ** 53 - 1];

/** An answer without the headers that always differ. Only a prepared one has a `content-length`. */
async function ask(relay: Relay, headers: Record<string, string>, message: object) {
  const answer = await fetch(relay.server.mcpUrl, {
    method: 'POST',
    headers: {
      ...MCP_HEADERS,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'tools/list', ...message }),
  });
  const { date: _, 'x-request-id': __, ...all } = Object.fromEntries(answer.headers);
  const { 'content-length': length, 'transfer-encoding': ___, ...rest } = all;
  return {
    status: answer.status,
    headers: rest,
    text: await answer.text(),
    isPrepared: length !== undefined,
  };
}

const FORMS = [
  ['2025-11-25', { 'mcp-protocol-version': '2025-11-25' }, {}],
  ['2025-06-18', { 'mcp-protocol-version': '2025-06-18' }, { params: {} }],
  ['no revision', {}, {}],
  ['2026-07-28', MODERN, modern()],
  ['a header for fewer tools', { ...MODERN, 'x-mcp-toolsets': 'playlists' }, modern()],
  ['a header for reading alone', { 'x-mcp-readonly': 'true' }, {}],
] as const;

test('the prepared answer to tools/list equals that of the SDK', () =>
  withRelay({ connect: false, client: false }, async (relay) => {
    for (const [what, headers, message] of FORMS) {
      for (const id of IDS) {
        // A progress token is not part of the common form and changes nothing in the answer.
        const isModern = 'mcp-method' in headers;
        const long = { params: { _meta: { ...(isModern ? META_2026 : {}), progressToken: 'x' } } };
        const { isPrepared, ...prepared } = await ask(relay, headers, { ...message, id });
        const { isPrepared: isOther, ...plain } = await ask(relay, headers, { ...long, id });
        assert.deepEqual(prepared, plain, `${what}, ${id}`);
        assert.deepEqual([isPrepared, isOther], [true, false], what);
        assert.equal(prepared.status, 200);
      }
    }
  }));

const OTHERS = [
  ['an unknown revision', { 'mcp-protocol-version': '2019-01-01' }, { id: 1 }, 400],
  ['a future revision', { ...MODERN, 'mcp-protocol-version': '2027-01-01' }, { id: 1 }, 400],
  ['no method in the header', { 'mcp-protocol-version': '2026-07-28' }, { id: 1, ...modern() }, 400],
  ['another method in the header', { ...MODERN, 'mcp-method': 'ping' }, { id: 1, ...modern() }, 400],
  ['no revision in the header', { 'mcp-method': 'tools/list' }, { id: 1, ...modern() }, 400],
  ['half an envelope', MODERN, { id: 1, params: { _meta: {} } }, 400],
  ['an ID of null', {}, { id: null }, 400],
  ['a broken ID', {}, { id: 1.5 }, 400],
  ['no ID', {}, {}, 202],
  ['one type to accept', { accept: 'application/json' }, { id: 1 }, 406],
  ['an unknown toolset', { 'x-mcp-toolsets': 'nothing' }, { id: 1 }, 400],
] as const;

test('every other request goes to the SDK and is refused as usual, even after a good request', () =>
  withRelay({ connect: false, client: false }, async (relay) => {
    await ask(relay, {}, { id: 1 });
    await ask(relay, MODERN, { id: 1, ...modern() });
    const got: unknown[] = [];
    for (const [what, headers, message] of OTHERS)
      got.push([what, (await ask(relay, headers, message)).status]);
    assert.deepEqual(
      got,
      OTHERS.map(([what, , , status]) => [what, status]),
    );
    const cursor = await ask(relay, MODERN, { id: 1, ...modern({ cursor: 5 }) });
    assert.match(cursor.text, /expected string, received number/);
  }));
