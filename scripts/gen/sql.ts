/** Turns the migration files into a module, so that the bundle and the executable include the SQL. */
import { readdirSync, readFileSync } from 'node:fs';
import initSqlJs from 'sql.js';
import { dumpSchema, type Migration, migrate } from '../../src/store/sql/migrate.ts';
import { type GeneratedFile, inRepository, quoted } from './file.ts';

const FOLDER = 'src/store/migrations';

/**
 * Makes `src/generated/sql.ts`. Throws if the name or the first comment of a migration breaks the rules in
 * `src/store/README.md`.
 */
export function generateSql(): GeneratedFile {
  const entries = readMigrations().map(
    ({ version, name, oldestCompatible, sql }) =>
      `  {\n    version: ${version},\n    name: '${name}',\n    oldestCompatible: ${oldestCompatible},\n    sql: ${quoted(sql)},\n  },\n`,
  );
  const text = `// Made by "npm run gen" from ${FOLDER}/*.sql.

export const MIGRATIONS = [
${entries.join('')}];
`;
  return { path: 'src/generated/sql.ts', text };
}

/** Makes `test/store/schema.sql`: the schema after all migrations. */
export async function generateSchema(): Promise<GeneratedFile> {
  const { Database } = await initSqlJs();
  const db = new Database();
  migrate(db, readMigrations());
  const text = dumpSchema(db);
  db.close();
  return { path: 'test/store/schema.sql', text };
}

function readMigrations(): Migration[] {
  const files = readdirSync(inRepository(FOLDER)).sort();
  return files.map((file, index) => parse(file, index + 1, readFileSync(inRepository(FOLDER, file), 'utf8')));
}

function parse(file: string, version: number, sql: string): Migration {
  const name = /^(\d{6}_[a-z0-9_]+)\.sql$/.exec(file)?.[1];
  if (!name || Number(name.slice(0, 6)) !== version) {
    throw new Error(`${file}: the name must be ${String(version).padStart(6, '0')}_subject.sql`);
  }
  const [, oldest] = /^-- \S[^\n]*\n(?:--[^\n]*\n)*?-- oldest-compatible: (\d+)\n/.exec(sql) ?? [];
  if (!oldest || Number(oldest) < 1 || Number(oldest) > version) {
    throw new Error(
      `${file}: must start with a comment that gives the reason, followed by a line "-- oldest-compatible: N" with N from 1 to ${version}`,
    );
  }
  return { version, name, oldestCompatible: Number(oldest), sql: sql.replaceAll('\r\n', '\n') };
}
