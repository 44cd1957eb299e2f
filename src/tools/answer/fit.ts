/**
 * Keeps answers short enough for the clients that show them to a model. Common clients cut text longer than about 12,000
 * characters or move it to a file, and the model never learns what was lost. Pure.
 */
import { cutAt } from '../../base/lists.ts';

/** Maximum characters of an answer as JSON. */
export const LEAN_LIMIT = 10_000;
/** The same for one page of a list that a tool gives page by page: about 3,000 tokens. */
export const LEAN_PAGE_LIMIT = 7_600;
/** The same for an answer with `detail: full`. */
export const FULL_LIMIT = 60_000;

/** A list in an answer that may be cut, and how the caller gets the rest. */
export interface Rows {
  key: string;
  /** Offset of the first row; null if the tool has no offset. */
  offset: number | null;
  /** Offset of each row, if it is not just the number of rows before it. */
  places?: readonly number[] | undefined;
  /** True if the rows belong to the entries of an argument, which the caller can pass again from `next_offset` on. */
  byEntry?: boolean;
  /** How to get the rest; `{next}` stands for the offset. */
  hint?: string | ((answer: Answer) => string);
  /** True for rows that must be seen: they come first if not all fit. */
  first?(row: unknown): boolean;
  /** Further members of an answer that was cut after `kept`, such as where to continue. */
  endOf?(answer: Answer, kept: readonly unknown[]): Answer;
}

type Answer = Record<string, unknown>;

export interface Fitted {
  answer: Answer;
  text: string;
}

/** The answer, at most `limit` characters long as JSON. `note` says what is left out. */
export function fit(answer: Answer, limit: number, rows: Rows | null): Fitted {
  const text = JSON.stringify(answer);
  if (weightOf(text) <= limit) return { answer, text };
  const cut = cutDown(answer, limit, rows);
  return { answer: cut, text: JSON.stringify(cut) };
}

function cutDown(answer: Answer, limit: number, rows: Rows | null): Answer {
  const ended =
    rows && (endEarly(answer, limit, rows) ?? endEarly(shortened(answer, Infinity) as Answer, limit, rows));
  if (ended) return ended;
  const why = `Lists and texts are cut: an answer holds ${limit.toLocaleString('en')} characters.`;
  const note = joined(answer.note, why);
  const cut = (most: number) => ({ ...(shortened(answer, most) as Answer), note });
  return cut(LIST_LENGTHS.find((most) => sizeOf(cut(most)) <= limit) ?? 1);
}

/** Room for `next_offset` and `note`. */
const MAX_NOTE = 260;

/** The answer with as many rows as fit, and where to continue; null if not even one row fits. */
function endEarly(answer: Answer, limit: number, rows: Rows): Answer | null {
  const list = answer[rows.key];
  if (!Array.isArray(list)) return null;
  const { first = () => true, hint, offset, places } = rows;
  const ordered = [...list.filter((row) => first(row)), ...list.filter((row) => !first(row))];
  let kept = 0;
  let size = sizeOf({ ...answer, [rows.key]: [] }) + MAX_NOTE;
  for (const row of ordered) {
    size += sizeOf(row) + 1;
    if (size > limit) break;
    kept += 1;
  }
  if (kept === 0) return null;
  const shown = ordered.slice(0, kept);
  const next = places?.[kept] ?? (offset ?? 0) + kept;
  const isNext = offset !== null || rows.byEntry === true;
  const how =
    (typeof hint === 'function' ? hint(answer) : hint) ?? (isNext ? 'Continue with offset {next}.' : '');
  const why = `Ended after ${kept} of ${list.length} rows: an answer holds ${limit.toLocaleString('en')} characters.`;
  return {
    ...answer,
    ...rows.endOf?.(answer, shown),
    [rows.key]: shown,
    ...(isNext && { next_offset: next }),
    note: joined(answer.note, `${why} ${how.replace('{next}', String(next))}`.trim()),
  };
}

/** The note of the tool, which says what the answer means, and then the one about its length. */
function joined(own: unknown, cut: string): string {
  return typeof own === 'string' && own !== '' ? `${own} ${cut}` : cut;
}

/** Text longer than this is cut if an answer is too long. */
const MAX_TEXT = 300;
/** How many entries of each list an answer without rows keeps: the first of these numbers with which it fits. */
const LIST_LENGTHS = [200, 100, 50, 20, 5];

/** The value with long texts cut, and at most `most` entries in each list. */
function shortened(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${cutAt(value, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) return value.slice(0, most).map((entry) => shortened(entry, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner, most)]));
}

function sizeOf(value: unknown): number {
  return weightOf(JSON.stringify(value) ?? '');
}

/** Characters; those outside ASCII count twice, since most of them cost a token each. */
function weightOf(text: string): number {
  return text.length + (text.match(/[^ -~]/g)?.length ?? 0);
}
