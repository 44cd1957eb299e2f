/** `relay call` on a terminal: the answers of tools as people read them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { widthOf } from '../../src/cli/terminal/textWidth.ts';
import { relay } from '../support/cli.ts';
import { assertNone, at } from '../support/entries.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { assertClean, hostileTexts } from '../support/hostileText.ts';

type Answer = Record<string, unknown>;

/** A server whose tools give these answers. */
function answering(answers: Record<string, Answer>): McpServer {
  const server = new McpServer({ name: 'fixed', version: '1' });
  const inputSchema = z.looseObject({ offset: z.int().optional() });
  for (const [name, structuredContent] of Object.entries(answers)) {
    server.registerTool(name, { description: 'Answers.', inputSchema }, async () => ({
      content: [],
      structuredContent,
    }));
  }
  server.registerTool('once', { description: 'Has no pages.', inputSchema: z.looseObject({}) }, async () => ({
    content: [],
    structuredContent: { items: [{ input: 'a', saved: false }], next_offset: 1, note: 'Pass the rest.' },
  }));
  return server;
}

const ID = '0123456789abcdefghijkl';
const track = (name: string, more: Answer = {}): Answer => ({
  id: ID,
  name,
  artists: 'The Comet Doors',
  album: 'Second Summers',
  duration: '5:49',
  ...more,
});

const ANSWERS = {
  page: {
    items: [
      { position: 9, ...track('Love & Love'), added: '2025-03-04' },
      { position: 10, ...track('灯台とクリスマスの長い夜の歌', { explicit: true }), added: '2025-03-04' },
      { position: 11, unavailable: true },
    ],
    total: 120,
    next_offset: 12,
    links: 'https://open.spotify.com/track/{id}',
    note: 'Ended after 3 of 50 rows. Continue with offset 12.',
  },
  nothing: { items: [], total: 0 },
  playing: {
    playing: true,
    item: track('Love & Love'),
    progress_ms: 61_000,
    context: null,
    disallows: ['pausing', 'skipping_prev'],
    actions: {},
  },
  queue: { currently_playing: track('Love & Love'), queue: [] },
  report: {
    status: 'blocked',
    matched: 0,
    unmatched: 2,
    report: [
      {
        index: 0,
        input: { title: 'Love Clod', artist: 'Fengat' },
        status: 'unmatched',
        candidates: [{ track: track('Love Cloud'), score: 0.229, reasons: ['title differs'] }],
      },
      { index: 1, input: 'spotify:track:x', status: 'unmatched' },
    ],
    playlist_id: ID,
  },
  job: {
    job: {
      job_id: '1f0c2b3a-0000-4000-8000-000000000000',
      status: 'failed',
      error: { code: 'PROVIDER_ERROR', message: 'Spotify answered with an error that nobody can explain.' },
      result: { present: [track('Love & Love')], chunks: { total: 2, completed: 1 } },
    },
    items: [{ position: 0, input: { title: 'A', artist: 'B' }, status: 'resolved', track: track('A') }],
    total: 1,
  },
  full: {
    ...track('Love & Love', { explicit: false, isrc: null, uri: `spotify:track:${ID}` }),
    artists: [{ id: ID, name: 'The Comet Doors' }],
    album: { id: ID, name: 'Second Summers', release_date: '1998-07-25' },
  },
  empty: {},
};

async function shown(
  context: TestContext,
  columns: number,
  words: string[],
  answers: Record<string, Answer> = ANSWERS,
): Promise<string> {
  const { env } = await startFakeLocal(context, { mcp: () => answering(answers) });
  const { code, out, err } = await relay(['call', ...words], { env, terminal: { stdout: true }, columns });
  assert.deepEqual([code, err], [0, '']);
  return out;
}

const SHOWN: Array<[what: string, columns: number, words: string[], text: string]> = [
  [
    'a page of rows, and the command for the next one',
    100,
    ['page', 'query=blue in green', 'offset=9'],
    `
POSITION  NAME           ARTISTS        ALBUM          DURATION  FLAGS        ID
       9  Love & Love    The Comet Do…  Second Summe…      5:49               0123456789abcdefghijkl
      10  灯台とクリス…  The Comet Do…  Second Summe…      5:49  explicit     0123456789abcdefghijkl
      11                                                         unavailable

3 of 120
Links: https://open.spotify.com/track/{id}
Ended after 3 of 50 rows. Continue with offset 12.
Hidden at this width: added (--json has it)
To continue: relay call page 'query=blue in green' offset=12
`,
  ],
  [
    'a page in a narrow terminal, where the name and the ID are shown and other columns are left out',
    40,
    ['page', '--args', '{"query":"carousel"}'],
    `
NAME              ID
Love & Love       0123456789abcdefghijkl
灯台とクリスマ…   0123456789abcdefghijkl
-

3 of 120
Links:
https://open.spotify.com/track/{id}
Ended after 3 of 50 rows. Continue with
offset 12.
Hidden at this width: position, artists,
album, duration, flags, added (--json
has them)
To continue:
  relay call page offset=12 --args \\
    '{"query":"carousel"}'
`,
  ],
  ['an empty list in words', 80, ['nothing'], '\nNo items.\n'],
  ['an answer without members', 80, ['empty'], '\nThe answer is empty.\n'],
  [
    'an object inside an object',
    80,
    ['playing'],
    `
playing      yes
progress ms  61000
disallows    pausing, skipping_prev
actions      none

Item:
  name      Love & Love
  artists   The Comet Doors
  album     Second Summers
  duration  5:49
  id        0123456789abcdefghijkl
`,
  ],
  [
    'a list inside the rows of a list',
    80,
    ['report'],
    `
status       blocked
matched      0
unmatched    2
playlist id  0123456789abcdefghijkl

Report:
  INDEX  INPUT            TITLE      ARTIST  STATUS
      0                   Love Clod  Fengat  unmatched
      Love Cloud  The Comet Doors  0.229  Second Summers  0123456789abcdefghijkl
      1  spotify:track:x                     unmatched

Hidden at this width: duration, reasons (--json has them)
`,
  ],
  [
    'objects in objects in objects',
    80,
    ['job'],
    `
Job:
  status  failed
  job id  1f0c2b3a-0000-4000-8000-000000000000

  Error:
    code     PROVIDER_ERROR
    message  Spotify answered with an error that nobody can explain.

  Result:
    chunks  total 2, completed 1

    Present:
      NAME         ARTISTS        ALBUM         DURATION  ID
      Love & Love  The Comet Do…  Second Summ…      5:49  0123456789abcdefghijkl

Items:
  POSITION  NAME  TITLE  ARTISTS        ARTIST  DURATION  ID
         0  A     A      The Comet Do…  B           5:49  0123456789abcdefghijkl

1 in all
Hidden at this width: album, status (--json has them)
`,
  ],
  [
    'a full answer, whose IDs are all shown',
    40,
    ['full'],
    `
name      Love & Love
duration  5:49
explicit  no
uri       spotify:track:0123456789abcdef
          ghijkl
id        0123456789abcdefghijkl

Album:
  name          Second Summers
  release date  1998-07-25
  id            0123456789abcdefghijkl

Artists:
  NAME            ID
  The Comet Doo…  0123456789abcdefghijkl
`,
  ],
  [
    'the next offset of a tool that takes no offset',
    80,
    ['once'],
    `
next offset  1

Items:
  INPUT  SAVED
  a      no

Pass the rest.
`,
  ],
];

for (const [what, columns, words, text] of SHOWN) {
  test(`a terminal gets ${what}`, async (context) => {
    assert.equal(await shown(context, columns, words), text.slice(1));
  });
}

test('names that strangers chose stay in their cells', async (context) => {
  const names = hostileTexts(200);
  const hostile = {
    hostile: {
      items: names.map((name, index) => ({ ...track(name), description: names.at(-index) })),
      [at(names, 0)]: at(names, 1),
      message: names.join(' '),
      note: `${'x'.repeat(200)} ${at(names, 2)}`,
    },
  };
  const lines = (await shown(context, 60, ['hostile'], hostile)).split('\n');
  for (const line of lines) assertClean(line, 'a line');
  assertNone(lines, (line) => widthOf(line) > 60);
  assert.equal(lines.filter((line) => line.endsWith(ID)).length, names.length);
});
