/** What clients send as arguments is taken as it is meant; what is wrong with it is said in a way that a model can act on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import type { RelayError } from '../../src/domain/errors.ts';
import { HOST_ARGUMENTS, parseArguments } from '../../src/mcp/arguments.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { withRelay } from '../support/world.ts';

type Arguments = Record<string, unknown>;

const toolOf = (name: string) => ALL_TOOLS.find((tool) => tool.name === name) ?? assert.fail(name);

/** Message and remedy of the refusal; null if the arguments are taken. */
function refusalOf(tool: Tool, args: unknown): { code: string; message: string; remedy: string } | null {
  try {
    parseArguments(tool, args);
    return null;
  } catch (error) {
    const { code, message, remedy = '' } = error as RelayError;
    return { code, message, remedy };
  }
}

const SONG = { title: 'Tin', artist: 'Ula Brenk' };
const PLAYLIST = { playlist_id: '0000000000000000000000' };
const OF_SEARCH = 'search_tracks takes: query, limit, detail.';
const OF_SONGS = 'tracks: 1 to 10,000 songs as {title, artist, album?, year?}, in order.';
const OF_ENTRIES = 'tracks: 1 to 10,000 songs in order, each {title, artist, album?, year?} or {id}.';
const OF_PAYLOAD =
  'payload takes: playlist_id, name, description, public, strict, dry_run, skip_existing, skip_duplicates.';

const WRONG: Array<[what: string, tool: string, args: unknown, message: string, remedy: string]> = [
  ['an unknown argument', 'search_tracks', { query: 'x', max: 5 }, 'Unknown argument "max".', OF_SEARCH],
  [
    'a misspelled argument',
    'search_tracks',
    { qury: 'x' },
    'query is missing. Unknown argument "qury". Did you mean "query"?',
    OF_SEARCH,
  ],
  [
    'an argument where none is taken',
    'get_devices',
    { all: true },
    'Unknown argument "all".',
    'get_devices takes no arguments.',
  ],
  [
    'no object',
    'search_tracks',
    5,
    'The arguments: Invalid input: expected object, received number.',
    OF_SEARCH,
  ],
  [
    'a number out of range',
    'search_tracks',
    { query: 'x', limit: 51 },
    'limit: Too big: expected number to be <=50.',
    OF_SEARCH,
  ],
  [
    'an empty query',
    'search_tracks',
    { query: '   ' },
    'query: Too small: expected string to have >=1 characters.',
    OF_SEARCH,
  ],
  [
    'the wrong kind of ID',
    'get_track',
    { track_id: 'spotify:album:0000invented0000album0' },
    'track_id: "spotify:album:0000invented0000album0" is an album, not a track. Give the ID, URI or link of a track.',
    'get_track takes: track_id, detail.',
  ],
  [
    'a wrong and an unknown field of an object',
    'create_bulk_job',
    { type: 'create_playlist', payload: { name: 5, descriptio: 'x' }, items: [SONG], nam: 'Tin' },
    'payload.name: Invalid input: expected string, received number. Unknown argument "payload.descriptio". Did you mean "description"? Unknown argument "nam".',
    `${OF_PAYLOAD} create_bulk_job takes: type, payload, items, max_attempts.`,
  ],
  [
    'text in place of a song',
    'add_tracks_by_search',
    { ...PLAYLIST, tracks: ['Old Carousel - Ula Brenk'] },
    'tracks[0]: Invalid input: expected object, received string.',
    OF_SONGS,
  ],
  [
    'text that is no ID',
    'bulk_add_tracks',
    { ...PLAYLIST, tracks: ['Old Carousel'] },
    'tracks[0]: "Old Carousel" is not a track or an episode. Give a 22-character ID, a URI such as spotify:track:… or an open.spotify.com link.',
    OF_ENTRIES,
  ],
  [
    'a song with a misspelled field',
    'bulk_add_tracks',
    { ...PLAYLIST, tracks: [SONG, { titel: 'Tin', artist: 'Ula Brenk' }] },
    'Unknown argument "tracks[1].titel". Did you mean "title"? tracks[1].title is missing.',
    OF_ENTRIES,
  ],
  [
    'a number in place of a song',
    'bulk_add_tracks',
    { ...PLAYLIST, tracks: [5] },
    'tracks[0]: Invalid input: expected object or string.',
    OF_ENTRIES,
  ],
  [
    'a thousand bad entries',
    'add_tracks_by_search',
    { ...PLAYLIST, tracks: new Array(1_000).fill('x') },
    `${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `tracks[${n}]: Invalid input: expected object, received string.`).join(' ')} And 992 more.`,
    OF_SONGS,
  ],
  [
    'too many entries',
    'bulk_add_tracks',
    { ...PLAYLIST, tracks: new Array(300_000).fill({}) },
    'tracks: Too big: expected array to have <=10000 items.',
    OF_ENTRIES,
  ],
  [
    'a hundred thousand names',
    'search_tracks',
    { query: 'x', ...Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, n])) },
    `${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `Unknown argument "n${n}".`).join(' ')} And 99992 more.`,
    OF_SEARCH,
  ],
  [
    'a name of a megabyte',
    'search_tracks',
    { query: 'x', ['n'.repeat(1e6)]: 1 },
    `Unknown argument "${'n'.repeat(80)}… (1000000 in all)".`,
    OF_SEARCH,
  ],
  [
    'null for what is required',
    'search_tracks',
    { query: null },
    'query: Invalid input: expected string, received null.',
    OF_SEARCH,
  ],
  [
    'null for what is unknown',
    'get_devices',
    { all: null },
    'Unknown argument "all".',
    'get_devices takes no arguments.',
  ],
  [
    'null as an entry',
    'save_tracks',
    { track_ids: [null] },
    'track_ids[0]: Invalid input: expected string, received null.',
    'track_ids: IDs, URIs or links of tracks, 1 to 10,000.',
  ],
];

for (const [what, tool, args, message, remedy] of WRONG) {
  test(`${what} is refused by what is wrong`, () =>
    assert.deepEqual(refusalOf(toolOf(tool), args), { code: 'INVALID_ARGUMENT', message, remedy }));
}

test('a refusal reaches the client as text and data, and asks nothing of Spotify', () =>
  withRelay(async ({ client, provider }) => {
    const result = await client.callTool({ name: 'search_tracks', arguments: { query: 'x', max: 5 } });
    const message = 'Unknown argument "max".';
    assert.deepEqual(result.structuredContent, {
      error: { code: 'INVALID_ARGUMENT', message, remedy: OF_SEARCH },
    });
    assert.equal(result.isError, true);
    assert.deepEqual(result.content, [{ type: 'text', text: `INVALID_ARGUMENT: ${message} ${OF_SEARCH}` }]);
    assert.deepEqual(provider.requests, []);
  }));

test('every tool refuses an unknown argument by name, and drops what known hosts add to each call', () => {
  const added = Object.fromEntries(HOST_ARGUMENTS.map((name) => [name, false]));
  assert.deepEqual(Object.keys(added), ['wait_for_previous', 'task_progress', 'toolCallId']);
  for (const tool of ALL_TOOLS) {
    const { message } = refusalOf(tool, { ...added, market: 'DE' }) ?? assert.fail(tool.name);
    assert.match(message, /(^| )Unknown argument "market"\./, tool.name);
    assert.doesNotMatch(message, /wait_for|task_progress|toolCallId/, tool.name);
  }
});

test('null for every optional argument means the same as leaving them out', () => {
  for (const tool of ALL_TOOLS) {
    const optional = Object.entries(tool.input.shape).filter(
      ([, field]) => field.safeParse(undefined).success,
    );
    const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
    assert.deepEqual(refusalOf(tool, nulls), refusalOf(tool, {}), tool.name);
  }
  const fields = { ...SONG, album: null, year: null };
  const { tracks } = parseArguments(toolOf('bulk_add_tracks'), { ...PLAYLIST, tracks: [fields] });
  assert.deepEqual(tracks, [SONG]);
});

const FormsTool = defineTool({
  name: 'forms',
  title: 'Forms',
  description: 'Takes every form.',
  kind: 'read',
  input: z.strictObject({
    whole: z.int().optional(),
    any: z.number().optional(),
    flag: z.boolean().default(false),
    text: z.string().optional(),
    choice: z.enum(['1', '2']).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    list: z.array(z.int()).optional(),
    task_progress: z.string().optional(),
  }),
  output: z.object({}),
  handle: async () => ({}),
});

test('text counts as a number or a boolean only where one is expected, and only if the text is one', () => {
  const taken: Array<[sent: Arguments, parsed: Arguments]> = [
    [{ whole: '10' }, { whole: 10 }],
    [{ whole: '-3' }, { whole: -3 }],
    [{ whole: '1.0' }, { whole: 1 }],
    [{ any: '0.25' }, { any: 0.25 }],
    [{ flag: 'TRUE' }, { flag: true }],
    [
      { text: '10', choice: '1', either: '10' },
      { text: '10', choice: '1', either: '10' },
    ],
    [{ list: ['1', 2] }, { list: [1, 2] }],
    [{ task_progress: 'its own', wait_for_previous: 1 }, { task_progress: 'its own' }],
  ];
  for (const [sent, parsed] of taken) {
    assert.deepEqual(parseArguments(FormsTool, sent), { flag: false, ...parsed });
  }
  const texts = ['', ' ', '1 0', '0x10', '1e3', '1,5', '010', '+1', 'Infinity', '9007199254740993', 'ten'];
  const refused: Arguments[] = [
    ...texts.map((whole) => ({ whole })),
    { flag: 'yes' },
    { flag: '1' },
    { list: ['1', 'x'] },
  ];
  for (const sent of refused) {
    const { message } = refusalOf(FormsTool, sent) ?? assert.fail(JSON.stringify(sent));
    assert.match(message, /: Invalid input: expected (number|boolean), received string\.$/);
  }
});

test("JavaScript's special names are refused by name", () => {
  const sent = '{"query":"x","__proto__":{"limit":3},"constructor":{"prototype":{"limit":3}}}';
  const { message } = refusalOf(toolOf('search_tracks'), JSON.parse(sent)) ?? assert.fail();
  assert.equal(message, 'Unknown argument "__proto__". Unknown argument "constructor".');
  const tracks = JSON.parse('[{"title":"a","__proto__":{"artist":"b"}}]');
  const refused = refusalOf(toolOf('bulk_add_tracks'), { ...PLAYLIST, tracks }) ?? assert.fail();
  assert.match(refused.message, /"tracks\[0\]\.__proto__"/);
});
