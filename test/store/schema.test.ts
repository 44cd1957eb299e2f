import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generateSchema, generateSql } from '../../scripts/gen/sql.ts';
import { testStore } from './testStore.ts';

const fileText = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the generated module holds the migrations as they are', () => {
  const { path, text } = generateSql();
  assert.equal(fileText(path), text, 'run "npm run gen"');
});

test('schema.sql is what the migrations make', async () => {
  const { path, text } = await generateSchema();
  assert.equal(fileText(path), text, 'run "npm run gen"');
});

test('a fresh state has the schema of schema.sql, checks foreign keys and marks its file as a state of relay', async (t) => {
  const store = await testStore(t);
  const statements = store.all<{ sql: string }>(
    "select sql from sqlite_schema where sql is not null order by type = 'index', tbl_name, name",
  );
  assert.equal(statements.map(({ sql }) => `${sql};\n`).join('\n'), fileText('test/store/schema.sql'));
  assert.deepEqual(store.get('pragma foreign_keys'), { foreign_keys: 1 });
  assert.deepEqual(store.get('pragma application_id'), { application_id: 0x726c6179 });
});
