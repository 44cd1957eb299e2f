/** Names with a meaning in JavaScript, such as `__proto__`, are refused by name like any other unknown argument. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { postMcp } from '../support/mcpPost.ts';
import { type Relay, withRelay } from '../support/world.ts';

const ERAS: Record<string, { headers: (tool: string) => Record<string, string>; meta: string }> = {
  '2025-11-25': { headers: () => ({ 'mcp-protocol-version': '2025-11-25' }), meta: '' },
  '2026-07-28': {
    headers: (tool) => ({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    }),
    meta: `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`,
  },
};

/** Arguments as text, since an object literal could not hold these names. */
const REFUSED: Array<[what: string, tool: string, args: string, named: string]> = [
  ['__proto__ at the top', 'search_tracks', '{"query":"x","__proto__":{"limit":3}}', '__proto__'],
  ['constructor at the top', 'search_tracks', '{"query":"x","constructor":1}', 'constructor'],
  ['prototype at the top', 'search_tracks', '{"query":"x","prototype":null}', 'prototype'],
  ['__proto__ alone', 'get_devices', '{"__proto__":null}', '__proto__'],
  [
    '__proto__ in an entry of a list',
    'add_tracks_by_search',
    '{"playlist_id":"0000000000000000000000","tracks":[{"title":"a","artist":"b"},{"title":"a","__proto__":{"artist":"b"}}]}',
    'tracks[1].__proto__',
  ],
  [
    'constructor.prototype below an unknown name',
    'search_tracks',
    '{"query":"x","more":{"constructor":{"prototype":1}}}',
    'more.constructor',
  ],
];

async function callRaw({ server }: Relay, era: string, tool: string, args: string) {
  const { headers, meta } = ERAS[era] ?? assert.fail();
  const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${tool}","arguments":${args}${meta}}}`;
  const answer = await postMcp({ server }, body, headers(tool));
  const json = answer.text.replace(/^[\s\S]*?(?=\{)/, '').trim();
  return {
    status: answer.status,
    ...(JSON.parse(json) as { id?: unknown; result?: Record<string, unknown> }),
  };
}

for (const era of Object.keys(ERAS)) {
  test(`JavaScript's special names are refused by name at every depth (${era})`, () =>
    withRelay(async (relay) => {
      for (const [what, tool, args, named] of REFUSED) {
        const { status, id, result } = await callRaw(relay, era, tool, args);
        const { error } = (result?.structuredContent ?? {}) as { error?: Record<string, string> };
        assert.deepEqual(
          [status, id, result?.isError, error?.code, error?.message],
          [200, 7, true, 'INVALID_ARGUMENT', `Unknown argument "${named}".`],
          what,
        );
        assert.match(error?.remedy ?? '', new RegExp(`^${tool} takes`));
      }
      assert.deepEqual(relay.provider.requests, []);
      const good = await callRaw(relay, era, 'search_tracks', '{"query":"constructor __proto__","limit":1}');
      assert.equal(good.result?.isError, undefined);
    }));
}

const UNKNOWN_MORE = 'INVALID_ARGUMENT: Unknown argument "more".';

async function refusal(relay: Relay, tool: string, args: string, era = '2025-11-25'): Promise<string> {
  const { result = {} } = await callRaw(relay, era, tool, args);
  const { error } = result.structuredContent as { error: Record<string, string> };
  return `${error.code}: ${error.message}`;
}

const repeated = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join();
const PLAYLIST = '"playlist_id":"0000000000000000000000"';

/** Arguments of about a megabyte each, in the forms that cost most to parse, to walk or to describe. */
const LARGE: Array<[what: string, tool: string, args: string, refusal: string]> = [
  [
    'lists in lists',
    'search_tracks',
    `{"query":"x","more":${'['.repeat(5e5)}${']'.repeat(5e5)}}`,
    UNKNOWN_MORE,
  ],
  [
    'objects in objects within a list that the tool takes',
    'bulk_add_tracks',
    `{${PLAYLIST},"tracks":[${'{"a":'.repeat(2e5)}1${'}'.repeat(2e5)}]}`,
    'INVALID_ARGUMENT: Unknown argument "tracks[0].a". tracks[0]: give title and artist, or id.',
  ],
  [
    'names',
    'search_tracks',
    `{"query":"x",${repeated(75_000, (n) => `"n${n}":${n}`)}}`,
    `INVALID_ARGUMENT: Unknown arguments ${repeated(8, (n) => ` "n${n}"`).trim()} and many more.`,
  ],
  [
    'a name',
    'search_tracks',
    `{"query":"x","${'n'.repeat(1e6)}":1}`,
    `INVALID_ARGUMENT: Unknown argument "${'n'.repeat(80)}… (1000000 in all)".`,
  ],
  ['empty objects', 'search_tracks', `{"query":"x","more":[${repeated(3e5, () => '{}')}]}`, UNKNOWN_MORE],
  [
    'entries',
    'bulk_add_tracks',
    `{${PLAYLIST},"tracks":[${repeated(3e5, () => '{}')}]}`,
    'INVALID_ARGUMENT: tracks must have at most 10000 entries.',
  ],
];

test('a megabyte of arguments in a costly form is refused by what is wrong, and asks nothing of Spotify', () =>
  withRelay({ client: false }, async (relay) => {
    for (const [what, tool, args, said] of LARGE) assert.equal(await refusal(relay, tool, args), said, what);
    assert.deepEqual(relay.provider.requests, []);
  }));

test('the rest of a message is read after a part that is nested too deeply', () =>
  withRelay({ client: false }, async (relay) => {
    const deep = `${'['.repeat(9_000)}${']'.repeat(9_000)}`;
    const args = `{"a":${deep},"query":"x","b":1}`;
    assert.equal(
      await refusal(relay, 'search_tracks', args, '2026-07-28'),
      'INVALID_ARGUMENT: Unknown arguments "a", "b".',
    );
  }));

test('every tool, extras included, refuses an unknown argument by name', () =>
  withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async ({ call, provider }) => {
    for (const { name } of ALL_TOOLS) {
      const { error } = (await call(name, { market: 'DE' })) as { error?: { code: string; message: string } };
      assert.equal(error?.code, 'INVALID_ARGUMENT', name);
      assert.match(error?.message ?? '', /(^| )Unknown argument "market"\.$/, name);
    }
    assert.deepEqual(provider.requests, []);
  }));
