import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { withRelay } from '../support/world.ts';

/** What clients rely on, written by hand: a line for each tool, in the order of tools/list. */
const SURFACE = readFileSync(new URL('./surface.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

interface Schema {
  type?: string;
  properties?: Record<string, Schema & { description?: string }>;
  required?: string[];
  items?: Schema;
  enum?: string[];
}

/** `{a, b?: integer}`: a string is the type that goes without saying. */
function shapeOf({ type, properties = {}, required = [], items, enum: values }: Schema): string {
  if (values) return values.join('|');
  if (type === 'array') return `${items ? shapeOf(items) : ''}[]`;
  if (type !== 'object') return type ?? 'any';
  const members = Object.entries(properties).map(([name, schema]) => {
    const shape = shapeOf(schema);
    return `${name}${required.includes(name) ? '' : '?'}${shape === 'string' ? '' : `: ${shape}`}`;
  });
  return `{${members.join(', ')}}`;
}

test('tools/list offers the tools, arguments, members of answers and hints of surface.txt', () =>
  withRelay({ connect: false, env: { RELAY_ACCESS: 'everything' } }, async ({ client }) => {
    const { tools } = await client.listTools();
    const lines = tools.map(({ name, inputSchema, outputSchema, annotations = {}, _meta }) => {
      const hints = Object.entries(annotations).flatMap(([hint, is]) => (is ? hint.replace('Hint', '') : []));
      if (_meta?.['anthropic/alwaysLoad']) hints.push('alwaysLoad');
      const answer = Object.keys((outputSchema as Schema).properties ?? {}).join(', ');
      return `${name} ${shapeOf(inputSchema as Schema)} -> ${answer} [${hints.join(' ')}]`;
    });
    assert.equal(lines.join('\n'), SURFACE.join('\n'));
  }));

test('each tool explains itself in plain sentences, and describes every argument', () =>
  withRelay({ connect: false, env: { RELAY_ACCESS: 'everything' } }, async ({ client }) => {
    const { tools } = await client.listTools();
    for (const { name, title = '', description = '', inputSchema, annotations } of tools) {
      assert.match(name, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(title.length > 3, name);
      assertPlain(description);
      const schema = inputSchema as Schema & { additionalProperties?: boolean };
      assert.equal(schema.additionalProperties, false, name);
      for (const [argument, { description = '' }] of Object.entries(schema.properties ?? {}))
        assert.ok(description.length > 10, `${argument} of ${name} is not described`);
      assert.ok(!(annotations?.readOnlyHint && annotations.destructiveHint), name);
    }
    const lengths = tools.map(({ description = '' }) => description.length);
    assert.ok(lengths.reduce((sum, length) => sum + length, 0) / lengths.length <= 200);
  }));

/** One to three sentences that begin with what the tool does, ask nothing, and do not speak as a user. */
function assertPlain(description: string): void {
  assert.match(description, /^[A-Z][a-z]+s\b.{10,}\.$/s);
  assert.ok(description.length <= 320, `${description.length} characters`);
  assert.doesNotMatch(description, /\?|\b(my|me|mine|I)\b/);
  const sentences = description.split(/[.!]\s+(?=[A-Z])/).length;
  assert.ok(sentences <= 3, `${sentences} sentences`);
}

test('names are unique', () => {
  assert.equal(new Set(ALL_TOOLS.map(({ name }) => name)).size, ALL_TOOLS.length);
});
