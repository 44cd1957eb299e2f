/** The tables, indices and other objects of a database, from its schema table. */
import type { Database } from 'sql.js';

export interface SchemaObject {
  type: string;
  name: string;
  table: string;
  sql: string | null;
}

export function objectsOf(db: Database): SchemaObject[] {
  const rows = db.exec('select type, name, tbl_name, sql from sqlite_schema')[0]?.values ?? [];
  return rows.map(([type, name, table, sql]) => ({
    type: String(type),
    name: String(name),
    table: String(table),
    sql: sql === null || sql === undefined ? null : String(sql),
  }));
}
