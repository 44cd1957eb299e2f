/** Rows as a table. Nothing is cut: on a terminal, a cell that is too wide for its column continues below. Pure, but for `printTable`. */
import { visibleLine } from '../../base/visibleText.ts';
import { type Io, printLine, wrap } from './output.ts';
import { padded, widthOf } from './textWidth.ts';

/** Rows for a person. Numbers are aligned to the right. A column that is empty in every row is not shown. */
export interface Table {
  /** The first line; none for facts, one a row. */
  heads?: readonly string[];
  rows: ReadonlyArray<readonly (string | number)[]>;
}

/** Prints a table. On a terminal it fits the window, if that is possible. */
export function printTable(io: Io, table: Table): void {
  const width = io.terminal.stdout ? io.columns : Number.POSITIVE_INFINITY;
  for (const line of tableLines(table, width)) printLine(io, line);
}

const MIN_CELL = 8;
const GAP = '  ';

export function tableLines({ heads = [], rows }: Table, width = Number.POSITIVE_INFINITY): string[] {
  if (rows.length === 0) return [];
  const all = heads.length > 0 ? [heads, ...rows] : rows;
  const count = Math.max(...all.map((row) => row.length));
  const used = Array.from({ length: count }, (_, at) => at).filter((at) =>
    rows.some((row) => textOf(row[at]) !== ''),
  );
  const isNumber = used.map((at) =>
    rows.every((row) => typeof (row[at] ?? 0) === 'number' || row[at] === ''),
  );
  const cells = all.map((row) => used.map((at) => textOf(row[at])));
  const widths = narrowed(cells, width);
  return cells.flatMap((row) => rowLines(row, widths, isNumber));
}

function textOf(cell: string | number = ''): string {
  return visibleLine(String(cell));
}

function rowLines(
  cells: readonly string[],
  widths: readonly number[],
  isNumber: readonly boolean[],
): string[] {
  const parts = cells.map((cell, at) => {
    const width = widths[at] ?? 0;
    if (widthOf(cell) <= width) return [cell];
    const lines = wrap(cell, width);
    // In the last column a long word, such as an address, stays whole so that it can be copied.
    return at === cells.length - 1 ? lines : lines.flatMap((line) => piecesOf(line, width));
  });
  const height = Math.max(...parts.map((part) => part.length));
  return Array.from({ length: height }, (_, line) =>
    parts
      .map((part, at) => {
        const text = part[line] ?? '';
        return at === parts.length - 1 && !isNumber[at] ? text : padded(text, widths[at] ?? 0, isNumber[at]);
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Returns the width of each column. Columns of words give way, the widest first, until a line fits or none can give more. */
function narrowed(cells: ReadonlyArray<readonly string[]>, width: number): number[] {
  const [first = []] = cells;
  const widths = first.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  const hasWords = widths.map((_, at) => cells.some((row) => /[^\x21-\x7e]/.test(row[at] ?? '')));
  const lineWidth = () => widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1));
  while (lineWidth() > width) {
    const [widest] = [...widths.keys()]
      .filter((at) => hasWords[at] && (widths[at] ?? 0) > MIN_CELL)
      .sort((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function piecesOf(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of line) {
    if (piece !== '' && widthOf(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
