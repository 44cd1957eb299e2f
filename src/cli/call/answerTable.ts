/** Rows of a tool's answer as a table that fits the terminal. Pure. */
import { padded, widthOf } from '../terminal/textWidth.ts';
import { cellText, type Fields, flattened, isId, isRows, labelOf, ordered } from './cellText.ts';

interface Column {
  key: string;
  header: string;
  cells: string[];
  /** True to align right: numbers and lengths of time. */
  right: boolean;
  /** The smallest useful width. */
  least: number;
  /** The width at which nothing is cut. */
  whole: number;
}

export interface Table {
  lines: string[];
  /** Labels of the columns for which the terminal is too narrow. */
  omitted: string[];
}

const GAP = 2;
/** The smallest width to which a text or header is cut. */
const MIN_TEXT = 12;
const INDENT = 4;
/** Shown for a row without any visible column. */
const NOTHING = '-';

/**
 * Lays out rows as a table. A list inside a row, such as the candidates of an entry, is shown as indented lines under that row.
 */
export function tableOf(rows: readonly Fields[], width: number, header = true): Table {
  const flat = withFlags(rows.map(flattened));
  const columns = columnsOf(flat, header);
  const shown = chosen(columns, width);
  const widths = widthsOf(shown, width);
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, index) => padded(cell, widths[index] ?? 0, shown[index]?.right === true))
      .join(' '.repeat(GAP))
      .trimEnd() || NOTHING;
  const omitted = columns.filter((column) => !shown.includes(column)).map(({ key }) => labelOf(key));
  const inner = flat.map((row) => innerTables(row, width));
  const lines = flat.flatMap((_, index) => [
    lineOf(shown.map(({ cells }) => cells[index] ?? '')),
    ...(inner[index] ?? []).flatMap((table) => table.lines.map((line) => ' '.repeat(INDENT) + line)),
  ]);
  return {
    lines: header ? [lineOf(shown.map((column) => column.header)), ...lines] : lines,
    omitted: [...new Set([...omitted, ...inner.flat().flatMap((table) => table.omitted)])],
  };
}

/** Merges members that are true or absent in every row into one column, `flags`, which lists the true ones. */
function withFlags(rows: readonly Fields[]): Fields[] {
  const keys = new Set(rows.flatMap((row) => Object.keys(row)));
  const flags = ordered(keys).filter((key) =>
    rows.every((row) => row[key] === true || row[key] === undefined),
  );
  return rows.map((row) => {
    const rest = Object.entries(row).filter(([key]) => !flags.includes(key));
    const set = flags.filter((key) => row[key] === true).map(labelOf);
    return { ...Object.fromEntries(rest), ...(set.length > 0 ? { flags: set } : {}) };
  });
}

function innerTables(row: Fields, width: number): Table[] {
  return Object.values(row)
    .filter(isInner)
    .map((rows) => tableOf(rows, width - INDENT, false));
}

/** True if a value needs lines of its own. Named objects, such as the artists of a track, fit in a cell. */
function isInner(value: unknown): value is Fields[] {
  return isRows(value) && !value.every(({ name }) => typeof name === 'string');
}

function columnsOf(rows: readonly Fields[], header: boolean): Column[] {
  const keys = new Set(rows.flatMap((row) => Object.keys(row).filter((key) => !isInner(row[key]))));
  return ordered(keys)
    .map((key) => columnOf(key, rows, header))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
}

function columnOf(key: string, rows: readonly Fields[], hasHeader: boolean): Column {
  const values = rows.map((row) => (isInner(row[key]) ? null : row[key]));
  const cells = values.map((value) => cellText(value));
  const header = hasHeader ? labelOf(key).toUpperCase() : '';
  const widest = Math.max(...cells.map(widthOf));
  const whole = Math.max(widest, widthOf(header));
  const right = cells.every(
    (cell, index) => cell === '' || typeof values[index] === 'number' || CLOCK.test(cell),
  );
  const isExact = right || isId(key) || EXACT.test(key);
  const least = isExact ? Math.max(widest, Math.min(whole, MIN_TEXT)) : Math.min(whole, MIN_TEXT);
  return { key, header, cells, right, least, whole };
}

const CLOCK = /^\d+(:\d\d)+$/;

/** Names of columns that are never cut, since part of an address or a time is useless. */
const EXACT = /^(uri|url|context)$|_at$/;

/** Chooses as many columns as fit: name and ID first, then from the left. */
function chosen(columns: readonly Column[], width: number): Column[] {
  const name = columns.find(({ key }) => key === 'name' || key === 'title');
  const id = columns.find(({ key }) => key === 'id') ?? columns.find(({ key }) => isId(key));
  const byNeed = [...new Set([id, name, ...columns].filter((column) => column !== undefined))];
  const kept = new Set<Column>();
  let used = -GAP;
  for (const column of byNeed) {
    if (kept.size > 0 && used + GAP + column.least > width) continue;
    kept.add(column);
    used += GAP + column.least;
  }
  return columns.filter((column) => kept.has(column));
}

/** Remaining room goes to the columns that are cut, in equal parts. */
function widthsOf(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(({ least }) => Math.min(least, width));
  let left = width - widths.reduce((sum, one) => sum + one, 0) - GAP * (columns.length - 1);
  for (;;) {
    const cut = columns.flatMap(({ whole }, index) => ((widths[index] ?? 0) < whole ? [index] : []));
    if (left <= 0 || cut.length === 0) return widths;
    const part = Math.max(1, Math.floor(left / cut.length));
    for (const index of cut) {
      const more = Math.min(part, left, (columns[index]?.whole ?? 0) - (widths[index] ?? 0));
      widths[index] = (widths[index] ?? 0) + more;
      left -= more;
    }
  }
}
