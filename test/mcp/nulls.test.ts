/** Models with strict function calling send null for an optional argument that they leave out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { parseArguments } from '../../src/mcp/parseArguments.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { withRelay } from '../support/world.ts';
import { failureOf } from './failureOf.ts';

/** Optional arguments of every tool, each of them null. */
const nulls = ALL_TOOLS.map(({ name, input }) => {
  const optional = Object.keys(input.shape).filter((key) => input.shape[key]?.safeParse(undefined).success);
  return { name, args: Object.fromEntries(optional.map((key) => [key, null])) };
}).filter(({ args }) => Object.keys(args).length > 0);

test('null for every optional argument means the same as leaving them out', async () => {
  assert.ok(nulls.length > 25, `${nulls.length} tools`);
  await withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
    for (const { name, args } of nulls) {
      // Without its required arguments, a tool says which argument is missing. The error must not mention the nulls.
      const wanted = await failureOf(relay, name, {});
      const failure = await failureOf(relay, name, args);
      if (wanted?.code === 'INVALID_ARGUMENT') assert.deepEqual(failure, wanted, name);
      else assert.notEqual(failure?.code, 'INVALID_ARGUMENT', `${name}: ${failure?.message}`);
    }
  });
});

test('null for an optional field within an argument means that it is left out', () =>
  withRelay(async (relay) => {
    const { tracks } = relay.provider.world.catalogue;
    const track = tracks[0] ?? assert.fail();
    const song = { title: track.name, artist: track.artists[0]?.name ?? '' };
    const playlist_id = relay.provider.world.accounts[0]?.playlists[0]?.id ?? assert.fail();
    const added = await relay.call('bulk_add_tracks', {
      playlist_id,
      tracks: [{ ...song, album: null, year: null }, { id: track.id }],
      dry_run: true,
      strict: null,
    });
    assert.deepEqual([added.error, added.status], [undefined, 'dry_run']);
    const job = await relay.call('create_bulk_job', {
      type: 'create_playlist',
      payload: { name: 'Nulls', description: null, public: null, playlist_id: null, dry_run: true },
      items: [{ ...song, album: null }],
    });
    assert.deepEqual([job.error, job.total_items], [undefined, 1]);
    const played = await relay.call('play', {
      context_uri: track.album.uri,
      offset: { position: 0, uri: null },
      uris: null,
    });
    assert.equal(played.ok, true);
  }));

test('null for a required or unknown argument, or as an entry of a list, is refused', async () => {
  const refused: Array<[tool: string, args: Record<string, unknown>, message: string]> = [
    ['search_tracks', { query: null }, 'query must be a string, not null.'],
    ['search_tracks', { query: 'x', more: null }, 'Unknown argument "more".'],
    ['get_devices', { all: null }, 'Unknown argument "all".'],
    ['save_tracks', { track_ids: [null] }, 'track_ids[0] must be a string, not null.'],
    ['save_tracks', { track_ids: null }, 'track_ids must be an array, not null.'],
    [
      'add_tracks_by_search',
      { playlist_id: '0000000000000000000000', tracks: [{ title: 'x', artist: null }] },
      'tracks[0].artist must be a string, not null.',
    ],
  ];
  await withRelay(async (relay) => {
    for (const [tool, args, message] of refused) {
      assert.deepEqual(await failureOf(relay, tool, args), { code: 'INVALID_ARGUMENT', message });
    }
    assert.deepEqual(relay.provider.requests, []);
  });
});

const FixTool = defineTool({
  name: 'fix',
  title: 'Fix',
  description: 'Settles items.',
  kind: 'write',
  input: z.object({
    fixes: z.array(
      z.union([
        z.strictObject({ position: z.int(), track: z.string(), note: z.string().optional() }),
        z.strictObject({ position: z.int(), skip: z.literal(true) }),
      ]),
    ),
  }),
  output: z.object({}),
  handle: async () => ({}),
});

test('an entry in one of several forms may have null for the fields of the other forms', () => {
  const fixes = [
    { position: 1, track: 'a', note: null, skip: null },
    { position: 2, track: null, note: null, skip: true },
    { position: 3, track: 'b', skip: null },
  ];
  assert.deepEqual(parseArguments(FixTool, { fixes }), {
    fixes: [
      { position: 1, track: 'a' },
      { position: 2, skip: true },
      { position: 3, track: 'b' },
    ],
  });
  const wrong: Array<[entry: unknown, message: RegExp]> = [
    [{ position: 1, track: null, skip: null }, /^fixes\[0\]\.(track|skip)/],
    [{ position: 1, track: 'a', other: null }, /^Unknown argument "fixes\[0\]\.other"\.$/],
    [{ position: null, skip: true }, /^fixes\[0\]\.position must be a number, not null\.$/],
  ];
  for (const [entry, message] of wrong) {
    assert.throws(() => parseArguments(FixTool, { fixes: [entry] }), { message });
  }
});
