/**
 * Each table is declared once, with the names that the program uses for its columns. The type of a row, the columns in SQL
 * statements, and the conversion to and from SQL follow from the declaration. `targetId` in the program is `target_id` in SQL.
 */
import type * as z from 'zod';
import { memoised } from '../../base/memoised.ts';
import type { SqlParams, SqlValue, Store } from '../types.ts';

/** Maximum number of texts to keep for one table. The program has fewer, but a caller may build SQL from values. */
const MAX_TEXTS = 100;

/** How the values of a column are stored. The tables use the SQLite types integer, text, blob and null. */
export interface Kind<T> {
  read(raw: SqlValue): T;
  write(value: T): SqlValue;
  /** The only words that are allowed. */
  readonly words?: readonly string[];
  /** The shape of the JSON in the column, to check rows that another program may have written. */
  readonly shape?: () => z.ZodType;
  /** Throws if a blob cannot be used; to check rows that another program may have written. */
  check?(raw: Uint8Array): void;
}

const asIs = <T extends SqlValue>(): Kind<T> => ({ read: (raw) => raw as T, write: (value) => value });

export const integer: Kind<number> = asIs<number>();

/** Text, or one word of a closed list. */
export function text(): Kind<string>;
export function text<const W extends string>(words: readonly W[]): Kind<W>;
export function text(words?: readonly string[]): Kind<string> {
  return words ? { ...asIs<string>(), words } : asIs<string>();
}

/** A boolean, kept as 0 or 1. */
export const flag: Kind<boolean> = { read: (raw) => raw === 1, write: (value) => (value ? 1 : 0) };

export const blob: Kind<Uint8Array> = asIs<Uint8Array>();

/** A JSON value. `shape` is used only to check the rows of a backup, since the program itself wrote all others. */
export const json = <T>(shape: () => z.ZodType<T>): Kind<T> => ({
  read: (raw) => JSON.parse(raw as string) as T,
  write: (value) => JSON.stringify(value),
  shape,
});

export const nullable = <T>(kind: Kind<T>): Kind<T | null> => ({
  ...kind,
  read: (raw) => (raw === null ? null : kind.read(raw)),
  write: (value) => (value === null ? null : kind.write(value)),
});

export type Columns = Readonly<Record<string, Kind<unknown>>>;
export type RowOf<C extends Columns> = { [K in keyof C]: C[K] extends Kind<infer T> ? T : never };
type RawRow = Record<string, SqlValue>;

export interface Table<Row> {
  readonly name: string;
  /** Returns the kind of a column, by its name in SQL; undefined if there is no such column. */
  kindOf(sqlName: string): Kind<unknown> | undefined;
  toRow(raw: RawRow): Row;
  /** Returns the first row of `select … from <table> <rest>`; null if there is none. */
  first(store: Store, rest: string, params?: SqlParams): Row | null;
  all(store: Store, rest: string, params?: SqlParams): Row[];
  /** Inserts a row. Columns that are left out get the schema's default. `or replace` replaces a row with the same key. */
  insert(store: Store, values: Partial<Row>, or?: 'or replace'): void;
  /**
   * Runs `update <table> set … <rest>`, unless the change is empty. Returns the number of changed rows.
   * @param params the values for `rest` by name; a name must not be that of a changed column
   */
  update(
    store: Store,
    change: Partial<Row>,
    rest: string,
    params: Readonly<Record<string, SqlValue>>,
  ): number;
  /** Counts the rows of `<table> <rest>`. */
  count(store: Store, rest?: string, params?: SqlParams): number;
  /** Returns the table with only the named columns. */
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

  const bySqlName = new Map([...sqlNames].map(([key, sqlName]) => [sqlName, kindOf(key)]));

  return {
    name,
    kindOf: (sqlName) => bySqlName.get(sqlName),
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

/** Returns the name in SQL of a column that the program calls `key`. */
function sqlNameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
