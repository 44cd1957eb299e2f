import assert from 'node:assert/strict';
import test from 'node:test';
import { toolArguments } from '../../src/cli/call/toolArguments.ts';

const TYPED = { platform: 'linux', piped: false } as const;

const SCHEMA = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer' },
    score: { type: 'number' },
    all: { type: 'boolean' },
    ids: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    offset: { anyOf: [{ type: 'object', properties: {} }] },
    tracks: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object' }] } },
    volume: { type: ['integer', 'null'] },
    start: { type: 'object', properties: { position: { type: 'integer' }, uri: { type: 'string' } } },
  },
};

const WORDS: Array<[word: string, value: unknown]> = [
  ['query=blue in green', 'blue in green'],
  ['query=a=b', 'a=b'],
  ['query=', ''],
  ['query=42', '42'],
  ['limit=42', 42],
  ['limit=many', 'many'],
  ['limit=', ''],
  ['score=-0.5', -0.5],
  ['all=true', true],
  ['all=FALSE', false],
  ['all=yes', 'yes'],
  ['ids=a,b, c', ['a', 'b', 'c']],
  ['ids=["a,b","c"]', ['a,b', 'c']],
  ['ids=[]', []],
  ['numbers=1,2', [1, 2]],
  ['offset={"position":3}', { position: 3 }],
  ['offset=3', '3'],
  ['tracks=a,b', ['a', 'b']],
  ['tracks={"title":"a","artist":"b"}', [{ title: 'a', artist: 'b' }]],
  ['volume=7', 7],
  ['unknown=7', '7'],
];

for (const [word, value] of WORDS) {
  test(`${word} is sent as ${JSON.stringify(value)}`, () => {
    const key = word.slice(0, word.indexOf('='));
    assert.deepEqual(toolArguments([word], undefined, SCHEMA, TYPED), { [key]: value });
  });
}

test('key=value words override --args', () => {
  const args = toolArguments(['limit=5'], '{"query": "x", "limit": 1}', SCHEMA, TYPED);
  assert.deepEqual(args, { query: 'x', limit: 5 });
});

test('a member of an object is given under the name that relay tools lists', () => {
  const sent = (...words: string[]) => toolArguments(words, '{"start": {"uri": "a"}}', SCHEMA, TYPED);
  assert.deepEqual(sent('start.position=3'), { start: { uri: 'a', position: 3 } });
  assert.deepEqual(sent('start={"position":1}', 'start.uri=b'), { start: { position: 1, uri: 'b' } });
  assert.deepEqual(sent('start.uri=b', 'start={"position":1}'), { start: { position: 1, uri: 'b' } });
  assert.deepEqual(sent('start.other=c').start, { uri: 'a', other: 'c' });
  assert.equal(sent('query.x=d')['query.x'], 'd');
});

test('an empty list can be passed as JSON, and the error for an empty word says how', () => {
  assert.deepEqual(toolArguments([], '{"ids": []}', SCHEMA, TYPED), { ids: [] });
  assert.throws(() => toolArguments(['ids='], undefined, SCHEMA, TYPED), {
    remedy: `To really pass an empty list: --args '{"ids":[]}'`,
  });
});

const REFUSED: Array<[words: string[], json: string | undefined, message: RegExp]> = [
  [['query'], undefined, /^"query" is not in the form key=value\.$/],
  [['=x'], undefined, /^"=x" is not in the form key=value\.$/],
  [['limit=1', 'limit=2'], undefined, /^The argument limit is given twice\.$/],
  [['ids='], undefined, /^ids= has no values\. Is a variable of the shell not set\?$/],
  [['ids=,'], '{"ids": ["a"]}', /^ids=, has no values\./],
  [['ids=["a"'], undefined, /^This is not JSON: \["a" \(/],
  [[], '[1]', /^--args must be one JSON object\.$/],
  [[], '{', /^This is not JSON: \{ \(/],
];

for (const [words, json, message] of REFUSED) {
  test(`${[...words, json].join(' ')} is wrong usage`, () => {
    assert.throws(() => toolArguments(words, json, SCHEMA, TYPED), { code: 'USAGE', message });
  });
}
