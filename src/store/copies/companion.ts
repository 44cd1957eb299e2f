/**
 * Companions are databases beside the state, whose content cannot be read again. Each copy of the state carries them whole, in the
 * table `carried`, so that a backup is one file.
 */
import type { Database, SqlJsStatic } from 'sql.js';
import { readRegularFile } from '../../base/files.ts';
import { messageOf, nullIfMissing } from '../../domain/errors.ts';
import { inRollbackFormat } from '../file/stateFile.ts';
import { freshImage, IN_MEMORY } from '../sql/freshImage.ts';
import { firstValue, type Migration, newestOf } from '../sql/migrate.ts';
import { objectsOf } from './schemaObjects.ts';
import { schemaTreeProblem } from './schemaTree.ts';

export interface Companion {
  /** Path of the companion's file. */
  path: string;
  /** Identifies the file, in its header. */
  applicationId: number;
  migrations: readonly Migration[];
  /** The table or view whose rows are counted. */
  table: string;
  /** What these rows are, in a sentence. */
  holds: string;
}

/** Number of rows of each companion, by the name of its table. */
export type RowCounts = Readonly<Record<string, number>>;

/** The table of a copy that holds the companions' files. */
export const CARRIED = 'carried';
const MAKE = `create table ${CARRIED} (name text primary key, bytes blob not null) strict`;
/** More than four times the size of a million plays. The whole file is held in memory. */
const MAX_BYTES = 512 * 1024 * 1024;

export interface Carried {
  /** The copy, with the companions in it; the state itself if there are none. */
  bytes: Uint8Array;
  rows: RowCounts;
  /** The companions that are not in the copy although they have a file, and why. */
  left: Array<{ companion: Companion; why: string }>;
}

/** Makes a copy of a state that also carries its companions. */
export async function carry(
  SQL: SqlJsStatic,
  state: Uint8Array,
  companions: readonly Companion[],
): Promise<Carried> {
  const found: Array<{ name: string; bytes: Uint8Array; rows: number }> = [];
  const left: Carried['left'] = [];
  for (const companion of companions) {
    try {
      const file = await readRegularFile(companion.path, MAX_BYTES).catch(nullIfMissing);
      if (!file) continue;
      const bytes = inRollbackFormat(file.bytes);
      found.push({ name: companion.table, bytes, rows: checkedRows(SQL, bytes, companion) });
    } catch (error) {
      left.push({ companion, why: messageOf(error) });
    }
  }
  const rows = Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
  if (found.length === 0) return { bytes: state, rows, left };
  // SQLite changes the bytes that it is given.
  const copy = new SQL.Database(Uint8Array.from(inRollbackFormat(state)));
  try {
    copy.exec(`${IN_MEMORY} ${MAKE}`);
    for (const { name, bytes } of found) copy.run(`insert into ${CARRIED} values (?, ?)`, [name, bytes]);
    return { bytes: copy.export(), rows, left };
  } finally {
    copy.close();
  }
}

/**
 * Checks a companion's file, and counts its rows. Its schema must be ours word for word, so that it has no triggers of others.
 * @throws Error that says why the file cannot be used
 */
function checkedRows(SQL: SqlJsStatic, bytes: Uint8Array, companion: Companion): number {
  const { applicationId, migrations, table } = companion;
  if (schemaTreeProblem(bytes) !== null) throw new Error('it is damaged');
  // SQLite changes the bytes that it is given.
  const db = new SQL.Database(Uint8Array.from(bytes));
  try {
    if (firstValue(db, 'pragma application_id') !== applicationId)
      throw new Error('it belongs to another program');
    const version = Number(firstValue(db, 'pragma user_version'));
    if (version > newestOf(migrations))
      throw new Error('a newer relay has changed it; back up with that relay');
    if (!migrations.some((migration) => migration.version === version))
      throw new Error(`this program does not know its version ${version}`);
    if (schemaOf(db) !== schemaAt(SQL, companion, version))
      throw new Error('its tables are not those that relay makes');
    const verdict = firstValue(db, 'pragma quick_check(1)');
    if (verdict !== 'ok') throw new Error(`SQLite reports damage (${String(verdict)})`);
    return Number(firstValue(db, `select count(*) from ${table}`));
  } finally {
    db.close();
  }
}

function schemaAt(SQL: SqlJsStatic, { migrations }: Companion, version: number): string {
  const db = new SQL.Database(freshImage(SQL, migrations, version));
  try {
    return schemaOf(db);
  } finally {
    db.close();
  }
}

function schemaOf(db: Database): string {
  const objects = objectsOf(db).map((object) => JSON.stringify(object));
  return objects.sort().join('\n');
}

/** A companion that a copy carries. */
export interface Taken {
  companion: Companion;
  /** Its file. */
  image: Uint8Array;
  rows: number;
}

/**
 * Takes the companions out of a copy whose schema has been compared with ours.
 * @throws Error that says what is wrong with one of them
 */
export function takeCompanions(SQL: SqlJsStatic, file: Database, companions: readonly Companion[]): Taken[] {
  return companions.flatMap((companion) => {
    const image = file.exec(`select bytes from ${CARRIED} where name = ?`, [companion.table])[0]
      ?.values[0]?.[0];
    if (!(image instanceof Uint8Array)) return [];
    try {
      return [{ companion, image, rows: checkedRows(SQL, image, companion) }];
    } catch (error) {
      throw new Error(`its ${companion.holds} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** The table that carries the companions, as part of a copy's schema. */
export function carriedSchema(SQL: SqlJsStatic): ReturnType<typeof objectsOf> {
  const db = new SQL.Database();
  try {
    db.exec(MAKE);
    return objectsOf(db);
  } finally {
    db.close();
  }
}
