/**
 * What a restored row must hold for the program to work with it. The strict schema checks types and null. These rules check
 * JSON and words as their tables declare them, ranges, and columns that must agree. An unusable value would make the server or
 * a tool fail each time it is read.
 */
import type { SqlValue } from 'sql.js';
import * as z from 'zod';
import { tooDeepAt } from '../../base/boundedJson.ts';
import { readJson } from '../../base/parsing.ts';
import { type ItemStatus, type JobStatus, phaseOf, RESOLVED_STATUSES } from '../../domain/job.ts';
import { TRACKS } from '../tables/aliases.ts';
import { ITEMS } from '../tables/items.ts';
import { KEEPS } from '../tables/keeps.ts';
import { CLIENTS } from '../tables/oauthClients.ts';
import { WORKS } from '../tables/works.ts';

/** The longest value is the list of a job, which came in a request of at most 4 MiB. */
const MAX_VALUE_LENGTH = 16 * 1024 * 1024;
/** The end of year 9999, Unix milliseconds: not every reader accepts the ISO 8601 text of later times. */
const MAX_TIME = 253_402_300_799_999;
/** The largest number in other columns. Sums of such numbers stay exact, in SQLite and in JavaScript. */
const MAX_INTEGER = 2 ** 31 - 1;
const TIME_COLUMN = /(?:_at|_until|_time|^run_after)$/;

const Query = z.object({
  title: z.string(),
  artist: z.string(),
  album: z.string().optional(),
  year: z.number().optional(),
});

/** The tables with JSON, with packed values, or with words of closed lists that the schema does not name. */
const TABLES = new Map([TRACKS, CLIENTS, WORKS, ITEMS, KEEPS].map((table) => [table.name, table]));

export type CopiedRow = Readonly<Record<string, SqlValue>>;

/** Refuses a row that the program could not work with. @throws Error that names table and column, and never the value */
export function requireUsable(table: string, row: CopiedRow): void {
  for (const [column, value] of Object.entries(row)) {
    const problem = valueProblem(table, column, value);
    if (problem !== null) throw new Error(`${table}.${column} ${problem}`);
  }
  if (table === 'works') requireSoundJob(row);
  if (table === 'items') requireSoundItem(row);
}

function valueProblem(table: string, column: string, value: SqlValue): string | null {
  if (value === null) return null;
  if (typeof value === 'number') return numberProblem(column, value);
  if (value.length > MAX_VALUE_LENGTH) return `is longer than ${MAX_VALUE_LENGTH / 1024 / 1024} MiB`;
  const { words, shape, check } = TABLES.get(table)?.kindOf(column) ?? {};
  if (typeof value !== 'string') return check ? packedProblem(check, value) : null;
  if (words && !words.includes(value)) return 'is not a word that relay uses';
  return shape ? jsonProblem(shape(), value) : null;
}

function numberProblem(column: string, value: number): string | null {
  const max = TIME_COLUMN.test(column) ? MAX_TIME : MAX_INTEGER;
  return Number.isInteger(value) && value >= 0 && value <= max ? null : 'is a number out of range';
}

function packedProblem(check: (raw: Uint8Array) => void, value: Uint8Array): string | null {
  try {
    check(value);
    return null;
  } catch {
    return 'cannot be unpacked';
  }
}

function jsonProblem(shape: z.ZodType, text: string): string | null {
  if (tooDeepAt(text) !== null) return 'has JSON that is nested too deeply';
  const value = readJson(text);
  if (value === undefined) return 'is not JSON';
  return shape.safeParse(value).success ? null : 'has JSON of another shape';
}

/** Phase and status must agree, since a job that is still searching must not write. */
function requireSoundJob({ phase, status }: CopiedRow): void {
  const expected = phaseOf(status as JobStatus);
  if (expected !== null && phase !== expected) throw new Error('works.phase does not go with works.status');
}

function requireSoundItem({ status, uri, key, input }: CopiedRow): void {
  if (RESOLVED_STATUSES.includes(status as ItemStatus) && uri === null)
    throw new Error('items.uri is missing');
  if (status !== 'pending') return;
  if (key === null || !Query.safeParse(JSON.parse(String(input))).success) {
    throw new Error('items.input names nothing to search for');
  }
}
