/** Tables with one song a row, whatever separates the columns. */
import { CsvError, parse } from 'csv-parse/sync';
import {
  areOfAlbums,
  areOfPlays,
  type ColumnPlan,
  columnKey,
  type Field,
  type Fields,
  fieldsOf,
  namesSongs,
  namesTitles,
  otherThan,
  planColumns,
} from './columns.ts';
import { takeAddresses, withoutLinks } from './entries.ts';
import { excerpt, type RawList, type Reader, type Row, refused } from './list.ts';
import { canSplit, withoutEmphasis } from './marks.ts';

/** Where a table begins and how it is read. */
interface Table {
  delimiter: string;
  /** Index of its line; -1 for a table without a header. */
  header: number;
  plan: ColumnPlan;
  /** The number of columns; null if there is no header to count. */
  width: number | null;
}

interface TableRow {
  line: number;
  lastLine: number;
  values: string[];
}

/** The header must be in the first lines. Some exports put a few lines about themselves in front of the table. */
const HEADER_WITHIN = 30;
const MAX_HEADER = 5_000;
/** A row of more lines than this has a quotation mark that nobody closed. */
const MAX_ROW_LINES = 20;
/** A cell in the line of dashes below the header of a Markdown table. */
const RULE = /^(?::?-+:?)?$/u;
/** Stands for a bar within a cell, which Markdown writes as `\\|`, while the table is parsed: no text has it. */
const BAR_IN_NAME = '\uffff';
const DELIMITERS = [',', ';', '|'];
/** The ID of a video, or its address, as the first of several cells. */
const VIDEO = /^"?(?:https:\/\/(?:music|www)\.youtube\.com\/watch\?v=)?[\w-]{11}"?,/u;

export const csv: Reader = {
  format: 'csv',
  name: 'CSV',
  looksLike: (text) => csvTable(text) !== null,
  read(text) {
    return readTable(text, csvTable(text));
  },
};

/** Also the text export of Apple Music and iTunes. */
export const tsv: Reader = {
  format: 'tsv',
  name: 'tab-separated table',
  looksLike: (text) => findTable(text, ['\t']) !== null,
  read(text) {
    return readTable(text, findTable(text, ['\t']));
  },
};

function csvTable(text: string): Table | null {
  const table = findTable(text, DELIMITERS);
  if (table?.plan.columns.has('artist')) return table;
  return lastFmTable(text) ?? youTubeTable(text) ?? table;
}

/** The table whose header has the most known names; null if no line is a header. */
function findTable(text: string, delimiters: readonly string[]): Table | null {
  let best: Table | null = null;
  const lines = text.split('\n', HEADER_WITHIN + 1);
  for (const [header, line] of lines.slice(0, HEADER_WITHIN).entries()) {
    // "# …" is a comment; "#,Title,Artist" is a header.
    if (line.length > MAX_HEADER || /^# /u.test(line) || takeAddresses(line).refs.length > 0) continue;
    for (const delimiter of delimiters) {
      const cells = line.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/u, '$1'));
      const plan = planColumns(cells);
      const below = lines[header + 1]?.split(delimiter).length ?? 0;
      if (
        isHeader(plan, cells, header === 0 ? below : 0) &&
        plan.columns.size > (best?.plan.columns.size ?? 0)
      )
        best = { delimiter, header, plan, width: cells.length };
    }
  }
  return best;
}

/** @param below number of cells in the next line, if the line is the first */
function isHeader({ columns }: ColumnPlan, cells: readonly string[], below: number): boolean {
  const saysWhich = (['title', 'song', 'uri', 'isrc'] as const).some((field) => columns.has(field));
  // The titles of some tables hold the artists too: "Track Name,Last Played Date".
  const isOneOfMany = namesTitles(cells) ? cells.length >= 2 : cells.length >= 3 && below >= cells.length;
  return saysWhich && (columns.size >= 2 || isOneOfMany);
}

/** Plays without a header: `Artist,Album,Title,"31 Dec 2019 10:00"` of Last.fm, and the log of a player, with "L" for listened. */
function lastFmTable(text: string): Table | null {
  const sample = text.split('\n', 20).filter((line) => line.trim() !== '');
  const plays = sample.flatMap(
    (line) =>
      /([,;\t])(?:"?\d{1,2} [A-Z][a-z]{2} \d{4},? \d\d:\d\d"?|L\t\d{9,10}(?:\t.*)?)$/u.exec(line)?.[1] ?? [],
  );
  const [delimiter] = plays;
  if (!delimiter || plays.length * 5 < sample.filter((line) => !/^#|\tS\t/u.test(line)).length * 4)
    return null;
  const used = { artist: 'column 1', album: 'column 2', title: 'column 3' };
  const columns = new Map(Object.keys(used).map((field, at) => [field as Field, [at]]));
  return { delimiter, header: -1, plan: { columns, used }, width: null };
}

/** The songs of a YouTube Music takeout, whose header is in the language of the account: video ID, title, album, artists. */
function youTubeTable(text: string): Table | null {
  const [header = '', ...rows] = text.split('\n', 20).filter((line) => line.trim() !== '');
  const width = header.split(',').length;
  if (width < 4 || rows.length === 0 || !rows.every((line) => VIDEO.test(line))) return null;
  const artists = Array.from({ length: width - 3 }, (_, at) => at + 3);
  const columns = new Map<Field, number[]>(
    Object.entries({ title: [1], album: [2], artist: artists }) as [Field, number[]][],
  );
  const [, title = '', album = '', ...names] = header.split(',');
  const used = { title, album, artist: names.join(', ') };
  return { delimiter: ',', header: 0, plan: { columns, used }, width: null };
}

/** @throws RelayError `INVALID_ARGUMENT` if a person gave the format of a text that is no such table */
function readTable(text: string, table: Table | null): RawList {
  if (!table)
    throw refused('The table has no header that names a title and an artist.', {
      line: 1,
      remedy: 'Put a first line like "title,artist,album" above it, or give the format txt.',
    });
  const lines = text.split('\n');
  const before = lines.slice(0, Math.max(0, table.header)).map((raw, at): Row => {
    const why = raw.trim() === '' ? 'empty' : /^sep=.$/iu.test(raw) ? 'separator' : 'before the header';
    return { line: at + 1, raw: excerpt(raw), why };
  });
  const records = recordsOf(lines, table);
  const names = table.header === -1 ? undefined : (records.shift()?.values ?? []);
  const header = names?.map(columnKey).join();
  if (names && areOfAlbums(names, records[0]?.values ?? []))
    throw refused('The table is a collection of records: its titles are those of albums, not of songs.', {
      line: table.header + 1,
      remedy: 'Give a list of songs. To save albums, look each one up in Spotify.',
    });
  const isOfAnything = names !== undefined && !namesSongs(names);
  const rows = records.map((record): Row => {
    const { line, lastLine, values } = record;
    const row = { line, raw: excerpt(lines.slice(line - 1, lastLine).join('\n')) };
    const isHeaderAgain = header !== undefined && values.map(columnKey).join() === header;
    const fields = songFields(values, table);
    const isNoTitle = isOfAnything && !canSplit(fields.title ?? '');
    const why = isHeaderAgain
      ? 'the header again'
      : (whyNoSong(values, table) ?? otherThan(fields) ?? (isNoTitle ? 'no artist' : null));
    return why === null ? { ...row, fields } : { ...row, why };
  });
  return {
    rows: [...before, ...rows],
    isHistory: names === undefined || areOfPlays(names),
    decided: { columns: table.plan.used, delimiter: table.delimiter },
  };
}

function whyNoSong(values: readonly string[], { width, delimiter }: Table): string | null {
  if (values.every((value) => value.trim() === '')) return 'empty';
  if (values.every((value) => RULE.test(value.trim()))) return 'separator';
  const extra = width === null ? [] : values.slice(width);
  if (extra.every((value) => value.trim() === '')) return null;
  const hint = delimiter === ',' ? '; a comma in a name needs quotation marks around the name' : '';
  return `${values.length} columns instead of ${width}${hint}`;
}

/** The fields of a row. Those of a Markdown table may have links and emphasis; a link of the title is the song's address. */
function songFields(values: readonly string[], { plan, delimiter }: Table): Fields {
  if (delimiter !== '|') return fieldsOf(plan, values.map(withoutGuard));
  const { title = '', uri = '' } = fieldsOf(plan, values.map(withoutGuard));
  const linked = takeAddresses(`${title} ${uri}`).refs.find((ref) => ref.uri !== undefined);
  const plain = values.map((value) => withoutGuard(withoutEmphasis(withoutLinks(value))));
  return { ...fieldsOf(plan, plain), ...(linked?.uri !== undefined && { uri: linked.uri }) };
}

/** Removes the apostrophe that keeps a spreadsheet from reading a name as a formula (CWE-1236); see `writeList.ts`. */
function withoutGuard(value: string): string {
  return value.replace(/^'(?='*[=+\-@])/u, '');
}

function recordsOf(
  lines: readonly string[],
  { delimiter, header }: Pick<Table, 'delimiter' | 'header'>,
): TableRow[] {
  const first = Math.max(0, header);
  const written = lines.slice(first).join('\n');
  const text = delimiter === '|' ? written.replaceAll('\\|', BAR_IN_NAME) : written;
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
