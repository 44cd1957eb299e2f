/** Any arguments to a tool, and any message to the MCP endpoint, get a result or an error that says what to do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { silentLog } from '../../src/base/log.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { Answer } from '../support/http.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { postMcp } from '../support/mcpPost.ts';
import { API_KEY, type Relay, withRelay } from '../support/world.ts';
import { anyJson, anyText, near } from './inputs.ts';
import { holdsForAll } from './property.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Mostly values that a schema allows, and some that it does not. */
function valuesOf(schema: Schema, ids: [string, ...string[]], depth = 0): fc.Arbitrary<unknown> {
  const right = rightValues(schema, ids, depth);
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anyJson });
}

function rightValues(schema: Schema, ids: [string, ...string[]], depth: number): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one) => rightValues(one as Schema, ids, depth)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  switch (schema.type) {
    case 'string':
      return near(...ids);
    case 'integer': {
      const min = Math.max(schema.minimum ?? -2, -2);
      return fc.integer({ min, max: Math.max(min, Math.min(schema.maximum ?? 60, 60)) });
    }
    case 'number':
      return fc.double({ min: schema.minimum ?? -1, max: schema.maximum ?? 100, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as Schema, ids, depth + 1), { maxLength: 4 });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
        name,
        valuesOf(field as Schema, ids, depth + 1),
      ]);
      const values = Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>;
      const requiredKeys = depth === 0 ? [...(schema.required ?? [])] : Object.keys(values);
      return fc.record(values, { requiredKeys });
    }
    default:
      return anyJson;
  }
}

function argumentsOf(tool: Tool, ids: [string, ...string[]]): fc.Arbitrary<unknown> {
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fc.oneof(
    { weight: 8, arbitrary: rightValues(schema, ids, 0) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        near(...(['detail', ...Object.keys(schema.properties ?? {})] as [string])),
        anyJson,
      ),
    },
    { weight: 1, arbitrary: anyJson },
  );
}

/** The JSON-RPC messages of an answer, whole or as an event stream. */
function messagesOf({ headers, text }: Answer): Array<Record<string, unknown>> {
  if (text === '') return [];
  if (!String(headers['content-type']).includes('event-stream')) return [JSON.parse(text)].flat();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {') || line.startsWith('data: ['));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

interface RpcError {
  code: number;
  message: string;
}

/** The SDK uses the code of an internal error for malformed parameters too. The message is then a list of what is wrong. */
function isBug(error: RpcError | undefined): boolean {
  return error?.code === -32603 && !error.message.startsWith('[');
}

function idsOf({ provider }: Relay): [string, ...string[]] {
  const { tracks, albums, artists } = provider.catalogue;
  const playlists = provider.accounts[0]?.playlists ?? [];
  const [track, album, artist] = [tracks[0], albums[0], artists[0]];
  assert.ok(track && album && artist && playlists[0]);
  return [
    track.id,
    `spotify:track:${track.id}`,
    `spotify:track:${tracks[7]?.id}`,
    album.id,
    `spotify:album:${album.id}`,
    artist.id,
    ...playlists.slice(0, 4).map(({ id }) => id),
    track.name,
    `${artist.name} - ${track.name}`,
    'title,artist\nPlinth,Ovo',
  ];
}

/** Runs `work` with a relay, a client for it, and the bugs in its log. */
function withTools(work: (relay: Relay, bugs: unknown[]) => Promise<void>): Promise<void> {
  const bugs: unknown[] = [];
  const log = { ...silentLog, error: (fields: object) => void bugs.push(fields) };
  const env = { RELAY_ACCESS: 'everything' };
  return withRelay({ client: false, clock: jumpingClock(), log, env }, (relay) => work(relay, bugs));
}

test('whatever its arguments are, no tool fails internally or hangs', (t) =>
  withTools(async (relay, bugs) => {
    const ids = idsOf(relay);
    const calls = fc.oneof(
      ...ALL_TOOLS.map((tool) => argumentsOf(tool, ids).map((args) => ({ tool: tool.name, args }))),
    );
    await holdsForAll(t, 25, calls, async ({ tool, args }) => {
      const params = { name: tool, arguments: args };
      const answer = await postMcp(relay, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const why = `${answer.text.slice(0, 500)} ${JSON.stringify(bugs)}`;
      bugs.length = 0;
      assert.ok([200, 400].includes(answer.status), why);
      const last = messagesOf(answer).at(-1) as {
        error?: RpcError;
        result?: Record<string, unknown>;
      };
      assert.equal(isBug(last.error), false, why);
      if (answer.status === 400 || last.error) return;
      const { isError, structuredContent } = last.result as { isError?: boolean; structuredContent: object };
      const { error } = structuredContent as { error?: { code: string; message: string } };
      assert.equal(isError === true, error !== undefined, why);
      assert.notEqual(error?.code, 'INTERNAL', why);
      assert.equal(answer.text.includes(API_KEY), false);
    });
  }));

test('no message makes the MCP endpoint fail internally or hang', (t) =>
  withTools(async (relay, bugs) => {
    const method = near(
      'tools/call',
      'tools/list',
      'initialize',
      'ping',
      'prompts/get',
      'notifications/cancelled',
    );
    const message = fc.oneof(
      fc.record(
        {
          jsonrpc: fc.oneof(fc.constant('2.0'), anyJson),
          id: fc.oneof(fc.integer(), anyText, anyJson),
          method: fc.oneof(method, anyJson),
          params: anyJson,
        },
        { requiredKeys: [] },
      ),
      anyJson,
    );
    const body = fc.oneof(
      { weight: 6, arbitrary: message.map((value) => JSON.stringify(value)) },
      { weight: 2, arbitrary: fc.array(message, { maxLength: 4 }).map((list) => JSON.stringify(list)) },
      { weight: 1, arbitrary: anyText },
    );
    const versions = fc.option(near('2026-07-28', '2025-11-25', '2025-03-26'), { nil: undefined });
    await holdsForAll(t, 25, fc.tuple(body, versions), async ([text, asked]) => {
      const version = asked?.replace(/[^\x20-\x7e]/g, '');
      const answer = await postMcp(relay, text, version ? { 'mcp-protocol-version': version } : {});
      const why = `${answer.status} ${answer.text.slice(0, 500)} ${JSON.stringify(bugs)}`;
      assert.ok(answer.status < 500, why);
      assert.deepEqual(bugs, [], why);
      for (const { error } of messagesOf(answer) as Array<{ error?: RpcError }>) {
        assert.equal(isBug(error), false, why);
      }
    });
  }));
