import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { withRelay } from '../support/world.ts';

const folder = new URL('./surface/', import.meta.url);
const fixed = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

test('tools/list sends exactly the files in test/tools/surface', () =>
  withRelay({ connect: false, env: { RELAY_TOOLSETS: 'all' } }, async ({ client }) => {
    const { tools } = await client.listTools();
    const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    assert.deepEqual(tools.map((tool) => tool.name).sort(), names.sort());
    for (const tool of tools) assert.deepEqual(JSON.parse(JSON.stringify(tool)), fixed(tool.name), tool.name);
  }));

for (const { name } of ALL_TOOLS) {
  test(`${name} explains itself`, () => {
    const entry = fixed(name);
    assert.match(name, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(entry.title.length > 3);
    assertPlain(entry.description);
    assert.equal(entry.inputSchema.additionalProperties, false);
    for (const [argument, schema] of Object.entries<{ description?: string }>(
      entry.inputSchema.properties ?? {},
    )) {
      assert.ok((schema.description ?? '').length > 10, `${argument} is not described`);
    }
    const { annotations } = entry;
    assert.deepEqual(Object.keys(annotations).sort(), [
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
    assert.ok(!(annotations.readOnlyHint && annotations.destructiveHint));
  });
}

/**
 * Checks that the description has one to three sentences, begins with what the tool does, asks nothing, and does not speak as a
 * user.
 */
function assertPlain(description: string): void {
  assert.match(description, /^[A-Z][a-z]+s\b.{10,}\.$/s);
  assert.ok(description.length <= 320, `${description.length} characters`);
  assert.doesNotMatch(description, /\?|\b(my|me|mine|I)\b/);
  const sentences = description.split(/[.!]\s+(?=[A-Z])/).length;
  assert.ok(sentences <= 3, `${sentences} sentences`);
}

test('descriptions have at most 200 characters on average', () => {
  const lengths = ALL_TOOLS.map(({ description }) => description.length);
  assert.ok(lengths.reduce((sum, length) => sum + length, 0) / lengths.length <= 200);
});

test('names are unique', () => {
  assert.equal(new Set(ALL_TOOLS.map((tool) => tool.name)).size, ALL_TOOLS.length);
});
