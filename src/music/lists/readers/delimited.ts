/** Tables with one song a row, whatever separates the columns. */
import { CsvError, parse } from 'csv-parse/sync';
import { type ColumnPlan, columnKey, type Fields, fieldsOf, namesTitles, planColumns } from '../columns.ts';
import { refused } from '../decode.ts';
import { excerpt, type RawList, type Row } from '../list.ts';
import { takeAddresses, withoutLinks } from '../refs.ts';
import type { Source } from '../source.ts';
import { withoutEmphasis } from '../text/marks.ts';

/** Where a table begins and how it is read. */
export interface Table {
  delimiter: string;
  /** Index in `lines`; -1 for a table without a header. */
  header: number;
  plan: ColumnPlan;
  /** The number of columns; null if there is no header to count. */
  width: number | null;
}

interface TableRow {
  /** Number of the line, counted from 1. */
  line: number;
  lastLine: number;
  values: string[];
}

/** The header must be in the first lines. Some exports put a few lines about themselves in front of the table. */
const HEADER_WITHIN = 30;
/** A row of more lines than this has a quotation mark that nobody closed. */
const MAX_ROW_LINES = 20;
/** A cell in the line of dashes below the header of a Markdown table. */
const RULE = /^(?::?-+:?)?$/u;
const SEPARATOR_LINE = /^sep=.$/iu;
/** A bar within a cell, as Markdown writes it. While the table is parsed, a character that no text has stands for it. */
const ESCAPED_BAR = '\\|';
const BAR_IN_NAME = '\uffff';

/** The table whose header has the most known names; null if no line is a header. */
export function findTable(source: Source, delimiters: readonly string[]): Table | null {
  let best: Table | null = null;
  source.lines.slice(0, HEADER_WITHIN).forEach((line, header) => {
    // "# …" is a comment; "#,Title,Artist" is a header.
    if (line.length > 5_000 || /^# /u.test(line)) return;
    for (const delimiter of delimiters) {
      const cells = line.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/u, '$1'));
      const plan = planColumns(cells);
      if (isHeader(plan, cells, line) && plan.columns.size > (best?.plan.columns.size ?? 0)) {
        best = { delimiter, header, plan, width: cells.length };
      }
    }
  });
  return best;
}

function isHeader({ columns }: ColumnPlan, cells: readonly string[], line: string): boolean {
  const saysWhich = columns.has('title') || columns.has('uri') || columns.has('isrc');
  // The titles of some tables hold the artists too: "Track Name,Last Played Date".
  const isEnough = columns.size >= 2 || (cells.length >= 2 && namesTitles(cells));
  return saysWhich && isEnough && takeAddresses(line).refs.length === 0;
}

export function readTable(source: Source, table: Table): RawList {
  const before = source.lines.slice(0, Math.max(0, table.header)).map((raw, at): Row => {
    const why = raw.trim() === '' ? 'empty' : SEPARATOR_LINE.test(raw) ? 'separator' : 'before the header';
    return { line: at + 1, raw: excerpt(raw), why };
  });
  const all = recordsOf(source, table);
  const [header] = table.header === -1 ? [] : all;
  const records = header ? all.slice(1) : all;
  const headerKeys = header?.values.map(columnKey).join();
  return {
    rows: [...before, ...records.map((record) => rowOf(record, { source, table, headerKeys }))],
    decided: { columns: table.plan.used, delimiter: table.delimiter },
  };
}

function rowOf(
  { line, lastLine, values }: TableRow,
  { source, table, headerKeys }: { source: Source; table: Table; headerKeys: string | undefined },
): Row {
  const raw = excerpt(source.lines.slice(line - 1, lastLine).join('\n'));
  if (values.every((value) => value.trim() === '')) return { line, raw, why: 'empty' };
  if (values.every((value) => RULE.test(value.trim()))) return { line, raw, why: 'separator' };
  if (headerKeys !== undefined && values.map(columnKey).join() === headerKeys)
    return { line, raw, why: 'the header again' };
  const extra = table.width === null ? [] : values.slice(table.width);
  if (extra.some((value) => value.trim() !== '')) {
    const hint = table.delimiter === ',' ? '; a comma in a name needs quotation marks around the name' : '';
    return { line, raw, why: `${values.length} columns instead of ${table.width}${hint}` };
  }
  const fields = (cells: readonly string[]) => fieldsOf(table.plan, cells.map(withoutGuard));
  return { line, raw, fields: table.delimiter === '|' ? markdownFields(values, fields) : fields(values) };
}

/** The fields of a row that may be one of a Markdown table, with links and emphasis in its cells. */
function markdownFields(
  values: readonly string[],
  fieldsOfCells: (cells: readonly string[]) => Fields,
): Fields {
  const fields = fieldsOfCells(values.map((value) => withoutEmphasis(withoutLinks(value))));
  // Other cells may link to other songs.
  const { title = '', uri: address = '' } = fieldsOfCells(values);
  const linked = takeAddresses(`${title} ${address}`).refs.find(({ uri }) => uri !== undefined);
  return { ...fields, ...(linked?.uri !== undefined && { uri: linked.uri }) };
}

/** Removes the apostrophe that keeps a spreadsheet from reading a name as a formula (CWE-1236); see `writeList.ts`. */
function withoutGuard(value: string): string {
  return value.replace(/^'(?='*[=+\-@])/u, '');
}

function recordsOf(source: Source, { delimiter, header }: Pick<Table, 'delimiter' | 'header'>): TableRow[] {
  const first = Math.max(0, header);
  const written = first === 0 ? source.text : source.lines.slice(first).join('\n');
  const text = delimiter === '|' ? written.replaceAll(ESCAPED_BAR, BAR_IN_NAME) : written;
  const quoted = parseRecords(text, { delimiter, first, quote: '"' });
  if (quoted.unclosed === null) return quoted.records;
  // Tab-separated files often quote nothing, so a quotation mark is part of the name.
  if (delimiter === '\t') return parseRecords(text, { delimiter, first, quote: null }).records;
  throw refused(`Line ${quoted.unclosed} opens a quotation mark that is not closed.`, {
    line: quoted.unclosed,
    remedy: 'Write a quotation mark within a name twice, and put the name in quotation marks.',
  });
}

function parseRecords(
  text: string,
  { delimiter, first, quote }: { delimiter: string; first: number; quote: '"' | null },
): { records: TableRow[]; unclosed: number | null } {
  const records: TableRow[] = [];
  let last = first;
  try {
    parse(text, {
      delimiter,
      quote,
      record_delimiter: '\n',
      relax_quotes: true,
      relax_column_count: true,
      ltrim: delimiter !== '\t',
      on_record: (values: string[], { lines }) => {
        const lastLine = first + lines;
        const cells = values.map((value) => value.replaceAll(BAR_IN_NAME, '|'));
        records.push({ line: last + 1, lastLine, values: cells });
        last = lastLine;
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')
      return { records, unclosed: last + 1 };
    throw error;
  }
  const long = records.find(({ line, lastLine }) => lastLine - line >= MAX_ROW_LINES);
  return { records, unclosed: long?.line ?? null };
}

/**
 * Reads a table without a header. Its two columns are artist and title, in an order that is decided for the whole file.
 * @throws RelayError `INVALID_ARGUMENT` if a row has more than two columns
 */
export function readWithoutHeader(source: Source, delimiter: string): RawList {
  const records = recordsOf(source, { delimiter, header: -1 });
  const wide = records.find(({ values }) => values.length > 2 && values.some((value) => value.trim() !== ''));
  if (wide) {
    throw refused('The table has no header that names a title and an artist.', {
      line: 1,
      remedy: 'Put a first line like "title,artist,album" above it.',
    });
  }
  const rows = records.map(({ line, lastLine, values }): Row => {
    const raw = excerpt(source.lines.slice(line - 1, lastLine).join('\n'));
    return { line, raw, text: values.map((value) => value.replace(/\s+/gu, ' ')).join('\t') };
  });
  return { rows, decided: { delimiter } };
}
