/** `relay call` on a terminal: the answers of tools as people read them, with nothing cut. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { McpServer } from '@modelcontextprotocol/server';
import { parse } from 'yaml';
import * as z from 'zod';
import { relay } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';

type Answer = Record<string, unknown>;

/** Prints the answer of a tool on a terminal. */
async function shown(context: TestContext, answer: Answer, columns = 80): Promise<string> {
  const mcp = () => {
    const server = new McpServer({ name: 'fixed', version: '1' });
    const inputSchema = z.looseObject({});
    server.registerTool('get', { description: 'Answers.', inputSchema }, async () => ({
      content: [],
      structuredContent: answer,
    }));
    return server;
  };
  const { env } = await startFakeLocal(context, { mcp });
  const { code, out, err } = await relay(['call', 'get'], { env, terminal: { stdout: true }, columns });
  assert.deepEqual([code, err], [0, '']);
  return out;
}

const ID = '0123456789abcdefghijkl';
const PAGE = {
  items: [
    { position: 9, id: ID, name: 'Love & Love', artists: 'The Comet Doors and Friends' },
    { position: 10, id: ID, name: '灯台とクリスマスの長い夜の歌', explicit: true },
  ],
  total: 120,
  next_offset: 12,
};

test('rows of flat values are a table, and the rest of the answer is YAML', async (context) => {
  assert.equal(
    await shown(context, PAGE),
    `POSITION  ID                      NAME               ARTISTS            EXPLICIT
       9  0123456789abcdefghijkl  Love & Love        The Comet Doors
                                                     and Friends
      10  0123456789abcdefghijkl  灯台とクリスマス                      true
                                  の長い夜の歌

total: 120
next_offset: 12
`,
  );
});

test('however narrow the window is, nothing of a table is cut', async (context) => {
  const out = await shown(context, PAGE, 30);
  for (const part of [ID, 'Doors', 'Friends', 'true', 'next_offset: 12']) assert.ok(out.includes(part), part);
});

const NESTED: Array<[what: string, answer: Answer]> = [
  ['rows with objects', { items: [{ input: { title: 'A' }, candidates: [{ score: 0.2 }] }], total: 1 }],
  ['an object', { playing: true, item: { name: 'Love & Love', artists: [{ id: ID }] }, context: null }],
  ['an empty list', { items: [], total: 0 }],
  ['no members', {}],
];

for (const [what, answer] of NESTED) {
  test(`${what}: YAML that holds the whole answer`, async (context) => {
    assert.deepEqual(parse(await shown(context, answer)), answer);
  });
}
