/**
 * Each table is declared once, with the names that the program uses for its columns. The type of a row, the columns in SQL
 * statements, and the conversion to and from SQL follow from the declaration. `targetId` in the program is `target_id` in SQL.
 */
import { inflateRawSync } from 'node:zlib';
import { memoised } from '../../base/memoised.ts';
import type { Sql, SqlParams, SqlValue } from './sql.ts';

/** Maximum number of texts to keep for one table. The program has fewer, but a caller may build SQL from values. */
const MAX_TEXTS = 100;

/** How the values of a column are stored. The tables use the SQLite types integer, text, blob and null. */
export interface Kind<T> {
  read(raw: SqlValue): T;
  write(value: T): SqlValue;
}

const asIs = <T extends SqlValue>(): Kind<T> => ({ read: (raw) => raw as T, write: (value) => value });

export const integer: Kind<number> = asIs<number>();

/** Text, or one word of a closed list. */
export function text<const W extends string = string>(_words?: readonly W[]): Kind<W> {
  return asIs<W>();
}

/** A boolean, kept as 0 or 1. */
export const flag: Kind<boolean> = { read: (raw) => raw === 1, write: (value) => (value ? 1 : 0) };

export const blob: Kind<Uint8Array> = asIs<Uint8Array>();

/** A JSON value. The program itself wrote it, so it is not checked. */
export const json = <T>(): Kind<T> => ({
  read: (raw) => JSON.parse(raw as string) as T,
  write: (value) => JSON.stringify(value),
});

/** Reads text that a column holds compressed. */
export function unpacked(bytes: Uint8Array): string {
  return inflateRawSync(bytes).toString('utf8');
}

export const nullable = <T>(kind: Kind<T>): Kind<T | null> => ({
  read: (raw) => (raw === null ? null : kind.read(raw)),
  write: (value) => (value === null ? null : kind.write(value)),
});

export type Columns = Readonly<Record<string, Kind<unknown>>>;
export type RowOf<C extends Columns> = { [K in keyof C]: C[K] extends Kind<infer T> ? T : never };
type RawRow = Record<string, SqlValue>;

export interface Table<Row> {
  toRow(raw: RawRow): Row;
  /** Returns the first row of `select … from <table> <rest>`; null if there is none. */
  first(store: Sql, rest: string, params?: SqlParams): Row | null;
  all(store: Sql, rest: string, params?: SqlParams): Row[];
  /** Inserts a row. Columns that are left out get the schema's default. `or replace` replaces a row with the same key. */
  insert(store: Sql, values: Partial<Row>, or?: 'or replace'): void;
  /**
   * Runs `update <table> set … <rest>`, unless the change is empty. Returns the number of changed rows.
   * @param params the values for `rest` by name; a name must not be that of a changed column
   */
  update(store: Sql, change: Partial<Row>, rest: string, params: Readonly<Record<string, SqlValue>>): number;
  /** Counts the rows of `<table> <rest>`. */
  count(store: Sql, rest?: string, params?: SqlParams): number;
  pick<K extends keyof Row>(...names: K[]): Table<Pick<Row, K>>;
}

export function defineTable<C extends Columns>(name: string, columns: C): Table<RowOf<C>> {
  const sqlNames = new Map(Object.keys(columns).map((key) => [key, sqlNameOf(key)]));
  const kindOf = (key: string): Kind<unknown> => {
    const kind = columns[key];
    if (!kind) throw new Error(`Table ${name} has no column ${key}.`);
    return kind;
  };
  const paramsOf = (values: object): Record<string, SqlValue> =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, kindOf(key).write(value)]),
    );

  const names = [...sqlNames.values()].join(', ');
  // A statement is looked up by its text, which is faster if it is always the same string.
  const selectOf = memoised(MAX_TEXTS, (rest) => `select ${names} from ${name} ${rest}`);
  const reads = [...sqlNames].map(([key, sqlName]) => ({ key, sqlName, kind: kindOf(key) }));
  const toRow = (raw: RawRow): RowOf<C> => {
    const row: Record<string, unknown> = {};
    for (const { key, sqlName, kind } of reads) row[key] = kind.read(raw[sqlName] ?? null);
    return row as RowOf<C>;
  };

  return {
    toRow,
    first(store, rest, params) {
      const raw = store.get<RawRow>(selectOf(rest), params);
      return raw === undefined ? null : toRow(raw);
    },
    all: (store, rest, params) => store.all<RawRow>(selectOf(rest), params).map(toRow),
    insert(store, values, or) {
      const params = paramsOf(values);
      const keys = Object.keys(params);
      const into = keys.map((key) => sqlNames.get(key)).join(', ');
      const places = keys.map((key) => `:${key}`).join(', ');
      store.run(`insert ${or ?? ''} into ${name} (${into}) values (${places})`, params);
    },
    update(store, change, rest, params) {
      const values = paramsOf(change);
      const changes = Object.keys(values).map((key) => `${sqlNames.get(key)} = :${key}`);
      if (changes.length === 0) return 0;
      return store.run(`update ${name} set ${changes.join(', ')} ${rest}`, { ...values, ...params }).changes;
    },
    count(store, rest = '', params = []) {
      return (
        store.get<{ total: number }>(`select count(*) as total from ${name} ${rest}`, params)?.total ?? 0
      );
    },
    pick(...names) {
      const picked = Object.fromEntries(names.map((key) => [key, kindOf(String(key))]));
      return defineTable(name, picked) as unknown as Table<Pick<RowOf<C>, (typeof names)[number]>>;
    },
  };
}

/** Writes `'a', 'b'` for `in (…)`. Pass words of a closed list, never values from outside. */
export function quotedList(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

function sqlNameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
