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

/** An answer as a value and as JSON. */
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
  const list = rows && answer[rows.key];
  if (rows && Array.isArray(list) && list.length > 0) {
    const ended = endEarly(answer, list, limit, rows);
    if (ended) return ended;
  }
  return shorten(answer, limit);
}

/** The answer with as many rows as fit, and where to continue; null if not even one row fits. */
function endEarly(answer: Answer, list: readonly unknown[], limit: number, rows: Rows): Answer | null {
  const { first } = rows;
  const ordered = first ? [...list.filter((row) => first(row)), ...list.filter((row) => !first(row))] : list;
  const whole = limit - MAX_NOTE;
  let kept = 0;
  let size = sizeOf({ ...answer, [rows.key]: [] });
  while (kept < ordered.length) {
    size += sizeOf(ordered[kept]) + 1;
    if (size > whole) break;
    kept += 1;
  }
  const shown = kept === 0 ? firstAlone(answer, ordered[0], whole, rows) : ordered.slice(0, kept);
  if (shown === null) return null;
  kept = shown.length;
  const end = rows.endOf?.(answer, shown) ?? {};
  const { hint } = rows;
  const how = typeof hint === 'function' ? hint(answer) : hint;
  const { note, ...more } = moreOf(rows, kept, list.length, limit, how);
  return { ...answer, ...end, [rows.key]: shown, ...more, note: joined(answer.note, note) };
}

/**
 * For a first row that is too long for an answer: that row with its long texts cut, so that the caller can continue with the
 * next row. null if it still does not fit.
 */
function firstAlone(answer: Answer, row: unknown, limit: number, { key }: Rows): unknown[] | null {
  const cut = structuredClone(row);
  if (typeof cut !== 'object' || cut === null) return null;
  cutTexts(cut);
  return sizeOf({ ...answer, [key]: [cut] }) <= limit ? [cut] : null;
}

/** Room for `next_offset` and `note`. */
const MAX_NOTE = 260;

function moreOf(
  { offset, places, byEntry }: Rows,
  kept: number,
  of: number,
  limit: number,
  hint: string | undefined,
) {
  const why = `Ended after ${kept} of ${of} rows: an answer holds ${limit.toLocaleString('en')} characters.`;
  const next = places?.[kept] ?? (offset ?? 0) + kept;
  const isNext = offset !== null || byEntry === true;
  const how = (hint ?? (isNext ? 'Continue with offset {next}.' : '')).replace('{next}', String(next));
  return { ...(isNext ? { next_offset: next } : {}), note: `${why} ${how}`.trim() };
}

/** The note of the tool, which says what the answer means, and then the one about its length. */
function joined(own: unknown, cut: string): string {
  return typeof own === 'string' && own !== '' ? `${own} ${cut}` : cut;
}

/** Text longer than this is cut if an answer is too long. */
const MAX_TEXT = 300;

/** Halves the longest list of the answer until it fits, then cuts long texts. */
function shorten(answer: Answer, limit: number): Answer {
  const copy = structuredClone(answer);
  const note = `Lists and texts are cut: an answer holds ${limit.toLocaleString('en')} characters.`;
  const whole = limit - sizeOf({ note });
  while (sizeOf(copy) > whole) {
    const longest = arraysIn(copy).reduce<unknown[] | null>(
      (best, list) => (list.length > 1 && sizeOf(list) > sizeOf(best ?? []) ? list : best),
      null,
    );
    if (!longest || sizeOf(longest) < 500) break;
    longest.length = Math.ceil(longest.length / 2);
  }
  if (sizeOf(copy) > whole) cutTexts(copy);
  return { ...copy, note: joined(copy.note, note) };
}

function arraysIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(arraysIn);
  return Array.isArray(value) ? [value, ...inner] : inner;
}

function cutTexts(value: object): void {
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && inner.length > MAX_TEXT) {
      (value as Answer)[key] = `${cutAt(inner, MAX_TEXT)}…`;
    } else if (typeof inner === 'object' && inner !== null) cutTexts(inner);
  }
}

function sizeOf(value: unknown): number {
  return weightOf(JSON.stringify(value) ?? '');
}

/** Characters; those outside ASCII count twice, since most of them cost a token each. */
function weightOf(text: string): number {
  return text.length + (text.match(/[^ -~]/g)?.length ?? 0);
}
