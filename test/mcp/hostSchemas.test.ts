/** Every host accepts every schema of tools/list. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { toolEntry } from '../../src/mcp/offers.ts';
import { hostInputSchema, outputSchemaOf } from '../../src/mcp/toolEntries.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { HOSTS, strictForm } from './hosts.ts';

const entries = ALL_TOOLS.map(toolEntry);
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

for (const [host, rules] of Object.entries(HOSTS)) {
  test(`${host} takes the schemas of all tools`, () => {
    const problems = entries.flatMap((entry) =>
      rules.flatMap((rule) => rule(entry)).map((problem) => `${entry.name}: ${problem}`),
    );
    assert.deepEqual(problems, []);
  });
}

test('the table in src/mcp/README.md has the same hosts, each with a source', () => {
  const rows = read('src/mcp/README.md')
    .split('\n')
    .filter((line) => line.includes('<https://'));
  assert.deepEqual(
    rows.map((row) => row.split('|')[1]?.trim()),
    Object.keys(HOSTS),
  );
});

test('every schema is valid JSON Schema, of draft 7 and of 2020-12', () => {
  for (const ajv of [new Ajv({ strict: false }), new Ajv2020({ strict: false })]) {
    for (const { name, inputSchema, outputSchema } of entries) {
      for (const schema of [inputSchema, outputSchema, strictForm(inputSchema)]) {
        assert.equal(ajv.validateSchema(schema), true, `${name}: ${ajv.errorsText()}`);
      }
    }
  }
});

test('an argument is sent with its range and default in words, and without what only the server checks', () => {
  const schema = z.strictObject({
    query: z.string().min(1).max(250).describe('Search words'),
    limit: z.int().min(1).max(50).default(20).describe('Rows to return'),
    offset: z.int().min(0).max(100_000).default(0).describe('Row to start at'),
    range: z.enum(['short', 'long']).default('long'),
    all: z.boolean().default(false).describe('true: every page'),
    strict: z.boolean().default(true).describe('When omitted, true'),
    year: z.int().min(1900).max(2100).nullable().default(2000),
    volume: z.int().min(0).max(100).describe('0 to 100'),
    uris: z.array(z.string().min(1)).max(100).optional(),
    former: z.string().optional().meta({ deprecated: true }),
  });
  assert.deepEqual(hostInputSchema(schema), {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Search words' },
      limit: { type: 'integer', description: 'Rows to return (1 to 50, default 20)' },
      offset: { type: 'integer', description: 'Row to start at' },
      range: { type: 'string', description: 'default long', enum: ['short', 'long'] },
      all: { type: 'boolean', description: 'true: every page' },
      strict: { type: 'boolean', description: 'When omitted, true' },
      year: { type: 'integer', description: '1900 to 2100, default 2000' },
      volume: { type: 'integer', description: '0 to 100' },
      uris: { type: 'array', description: 'at most 100', items: { type: 'string' } },
    },
    required: ['query', 'volume'],
    additionalProperties: false,
  });
});

test('a union is sent as its object form, or as its first form if it has no object', () => {
  const form = z.union([z.strictObject({ id: z.string() }), z.string()]);
  assert.deepEqual(hostInputSchema(z.strictObject({ song: form.nullable().describe('A song') })).properties, {
    song: {
      type: 'object',
      description: 'A song',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
  });
  assert.deepEqual(hostInputSchema(z.strictObject({ a: z.union([z.string(), z.number()]) })).properties, {
    a: { type: 'string' },
  });
});

test('the schema of a result names members and types, and lets null, more members and a failure pass', () => {
  const output = z.object({
    name: z.string(),
    url: z.string().nullable().describe('Link'),
    kind: z.enum(['a', 'b']).nullable(),
    album: z.object({ id: z.string() }).nullable(),
    item: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).nullable(),
    tags: z.array(z.string()).nullable(),
    counts: z.record(z.string(), z.number()),
  });
  const sent = outputSchemaOf({ output, lean: null, detail: 'lean' });
  assert.deepEqual(sent, {
    type: 'object',
    properties: {
      name: { type: 'string' },
      url: {},
      kind: {},
      album: { properties: { id: { type: 'string' } } },
      item: {},
      tags: { items: { type: 'string' } },
      counts: { type: 'object' },
      error: { type: 'object' },
    },
  });
  const check = new Ajv2020({ strict: false }).compile(sent);
  const nulls = { url: null, kind: null, album: null, item: null, tags: null };
  assert.equal(check({ name: 'x', ...nulls, counts: { a: 1 }, more: 1 }), true);
  assert.equal(check({ error: { code: 'INTERNAL', message: 'x' } }), true);
  assert.equal(check({ name: 'x', ...nulls, counts: {}, album: { id: 1 } }), false);
});

test('a type is declared only if the lean and the full form of a result have it', () => {
  const output = z.object({ id: z.string().nullable(), name: z.string(), artists: z.array(z.string()) });
  const schema = z.object({ id: z.string().optional(), name: z.string(), artists: z.string() });
  const lean = { schema, of: () => ({}) };
  assert.deepEqual(outputSchemaOf({ output, lean, detail: 'lean' }), {
    type: 'object',
    properties: { id: {}, name: { type: 'string' }, artists: {}, error: { type: 'object' } },
  });
});
