/** What hosts and their models send besides what a tool's schema says: arguments of their own, numbers and booleans as text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { HOST_ARGUMENTS } from '../../src/mcp/hostArguments.ts';
import { parseArguments } from '../../src/mcp/parseArguments.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { withRelay } from '../support/world.ts';
import { type Failure, failureOf } from './failureOf.ts';

test('what known hosts add to each call is dropped, for every tool', async () => {
  const added = Object.fromEntries(HOST_ARGUMENTS.map(({ name }) => [name, false]));
  assert.deepEqual(Object.keys(added), ['wait_for_previous', 'task_progress', 'toolCallId']);
  for (const { source } of HOST_ARGUMENTS) assert.equal(new URL(source).protocol, 'https:');
  await withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
    for (const { name } of ALL_TOOLS) {
      const wanted = await failureOf(relay, name, { market: 'DE' });
      assert.deepEqual(await failureOf(relay, name, { ...added, market: 'DE' }), wanted, name);
    }
    const plain = await relay.call('search_tracks', { query: 'a', limit: 2 });
    assert.deepEqual(await relay.call('search_tracks', { ...added, query: 'a', limit: 2 }), plain);
    assert.equal(plain.error, undefined);
    assert.deepEqual(await failureOf(relay, 'search_tracks', { query: 'a', waitForPrevious: true }), {
      code: 'INVALID_ARGUMENT',
      message: 'Unknown argument "waitForPrevious".',
    });
  });
});

test('numbers and booleans sent as text count as numbers and booleans', () =>
  withRelay(async (relay) => {
    const { tracks } = relay.provider.world.catalogue;
    const track = tracks[0] ?? assert.fail();
    const song = { title: track.name, artist: track.artists[0]?.name ?? '' };
    const playlist_id = relay.provider.world.accounts[0]?.playlists[0]?.id ?? assert.fail();
    const same: Array<[tool: string, text: Record<string, unknown>, plain: Record<string, unknown>]> = [
      ['search_tracks', { query: '10', limit: '2' }, { query: '10', limit: 2 }],
      ['get_my_playlists', { all: 'True', limit: '5' }, { all: true, limit: 5 }],
      [
        'bulk_add_tracks',
        { playlist_id, tracks: [{ ...song, year: '1999' }, track.id], dry_run: 'true', strict: 'false' },
        { playlist_id, tracks: [{ ...song, year: 1999 }, track.id], dry_run: true, strict: false },
      ],
      ['get_recently_played', { before: '1700000000000' }, { before: 1700000000000 }],
      ['seek', { position_ms: '1.0' }, { position_ms: 1 }],
    ];
    for (const [tool, text, plain] of same) {
      const wanted = await relay.call(tool, plain);
      assert.notEqual((wanted.error as Failure | undefined)?.code, 'INVALID_ARGUMENT', tool);
      assert.deepEqual(await relay.call(tool, text), wanted, tool);
    }
  }));

test('a long list of songs takes numbers as text too', () =>
  withRelay(async (relay) => {
    const song = { title: 'Nothing of this name', artist: 'Nobody', year: '1999' };
    const tracks = Array.from({ length: 300 }, () => song);
    const playlist_id = relay.provider.world.accounts[0]?.playlists[0]?.id ?? assert.fail();
    const answer = await relay.call('add_tracks_by_search', { playlist_id, tracks, dry_run: 'true' });
    assert.deepEqual([answer.status, answer.unmatched], ['dry_run', 300]);
  }));

const FormsTool = defineTool({
  name: 'forms',
  title: 'Forms',
  description: 'Takes every form.',
  kind: 'read',
  input: z.strictObject({
    whole: z.int().optional(),
    any: z.number().optional(),
    flag: z.boolean().default(false),
    only: z.literal(true).optional(),
    text: z.string().optional(),
    choice: z.enum(['1', '2']).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    both: z.union([z.number(), z.boolean()]).optional(),
    list: z.array(z.int()).optional(),
    task_progress: z.string().optional(),
  }),
  output: z.object({}),
  handle: async () => ({}),
});

test('text is converted only where a number or a boolean is expected, and only if the text is one', () => {
  const taken: Array<[sent: Record<string, unknown>, parsed: Record<string, unknown>]> = [
    [{ whole: '10' }, { whole: 10 }],
    [{ whole: '-3' }, { whole: -3 }],
    [{ any: '0.25' }, { any: 0.25 }],
    [
      { flag: 'TRUE', only: 'true' },
      { flag: true, only: true },
    ],
    [
      { text: '10', choice: '1', either: '10' },
      { text: '10', choice: '1', either: '10' },
    ],
    [{ both: '7' }, { both: 7 }],
    [{ both: 'false' }, { both: false }],
    [{ list: ['1', 2] }, { list: [1, 2] }],
    [{ task_progress: 'its own', wait_for_previous: 1 }, { task_progress: 'its own' }],
  ];
  for (const [sent, parsed] of taken) {
    assert.deepEqual(parseArguments(FormsTool, sent), { flag: false, ...parsed });
  }
  const refused: Array<[sent: Record<string, unknown>, message: string]> = [
    ...['', ' ', '1 0', '0x10', '1e3', '1,5', '010', '+1', 'Infinity', '9007199254740993', 'ten'].map(
      (whole): [Record<string, unknown>, string] => [{ whole }, 'whole must be a number, not a string.'],
    ),
    [{ flag: 'yes' }, 'flag must be a boolean, not a string.'],
    [{ flag: '1' }, 'flag must be a boolean, not a string.'],
    [{ list: ['1', 'x'] }, 'list[1] must be a number, not a string.'],
    [{ whole: '10', wait: '1' }, 'Unknown argument "wait".'],
  ];
  for (const [sent, message] of refused) {
    assert.throws(() => parseArguments(FormsTool, sent), { message }, JSON.stringify(sent));
  }
});
