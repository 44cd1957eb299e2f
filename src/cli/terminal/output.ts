/**
 * What the command line writes. stdout gets what was asked for; stderr gets notes, progress and errors. With `--json`, stdout
 * gets one JSON document per line. An error is then one line of JSON on stderr: `{"error":{code,message,remedy}}`, with
 * `details` if there are any.
 *
 * What is written may contain text from outside. So the command line prints through this file; only prompts, which have no
 * line end, go past it. Texts that are printed here lose all control characters that a terminal obeys, and a line stays one
 * line. relay itself then adds such characters for colours and to redraw a line.
 */

import { visibleJson, visibleLine, visibleLines, visibleText } from '../../base/visibleText.ts';
import { type ErrorCode, RelayError } from '../../domain/errors.ts';
import { type CommandStyle, plainCommand, type Remedy, terminalText } from '../../domain/remedy.ts';
import { inBackquotes, type NamedHome } from '../usage/commandLine.ts';
import { coloured } from './colour.ts';
import { fitted, padded, widthOf } from './textWidth.ts';

/** The three streams of the process. */
export interface Streams {
  stdin: NodeJS.ReadableStream;
  /** Writes to stdout. */
  out(text: string): void;
  /** Writes to stderr. */
  err(text: string): void;
  terminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Width of stdout in characters; 80 if it is not a terminal. */
  columns: number;
  /** True to use colours on terminals. */
  colour?: boolean;
}

/** The streams as commands get them: control characters other than the line end are removed. */
export interface Io extends Streams {
  /** Replaces the last line of stderr by `line`, cut to the width; '' clears it. */
  redraw(line: string): void;
}

/** Moves to the start of the line and clears the line. */
const START_OF_LINE = '\r\u001b[K';

/** Width to assume for a terminal that does not report its own. Some report 0, which would put each word on its own line. */
const USUAL_COLUMNS = 80;

export function cleanIo(streams: Streams): Io {
  const columns = streams.columns > 0 ? streams.columns : USUAL_COLUMNS;
  const { terminal, colour = false } = streams;
  const shown = (text: string, isTerminal: boolean): string => {
    const clean = visibleLines(text);
    return colour && isTerminal ? coloured(clean) : clean;
  };
  return {
    // Accessing stdin starts reading it.
    get stdin() {
      return streams.stdin;
    },
    out: (text) => streams.out(shown(text, terminal.stdout)),
    err: (text) => streams.err(shown(text, terminal.stderr)),
    redraw: (line) => streams.err(`${START_OF_LINE}${fitted(visibleLine(line), columns - 1)}`),
    terminal,
    columns,
  };
}

/** Prints one line, whatever is in `text`. */
export function printLine(io: Io, text: string): void {
  io.out(`${visibleLine(text)}\n`);
}

/** Prints a block of lines and keeps its line ends. The caller has already made each value in it a single line. */
export function printBlock(io: Io, text: string): void {
  io.out(visibleLines(text));
}

/** Prints a value as JSON on one line, without losing anything: unsafe characters are escaped. */
export function printJson(io: Io, value: unknown): void {
  io.out(`${visibleJson(value)}\n`);
}

/** Prints a note on stderr, for a person; one line. */
export function note(io: Io, text: string): void {
  io.err(`${visibleLine(text)}\n`);
}

/** Joins lines into a block. Each of them stays one line. */
export function blockOf(lines: readonly string[]): string {
  return `${lines.map(visibleLine).join('\n')}\n`;
}

/** Returns the part of an error that may be shown. An unexpected error shows nothing, since its message may hold secrets. */
function describeError(error: unknown): { code: ErrorCode; message: string; remedy: Remedy | null } {
  if (error instanceof RelayError) {
    return { code: error.code, message: error.message, remedy: error.remedyValue ?? null };
  }
  return {
    code: 'INTERNAL',
    message: 'A bug in relay stopped the command.',
    remedy: { text: 'Run it again with LOG_LEVEL=debug in the environment to see where, and report it.' },
  };
}

/** Prints an error. A command in the remedy repeats the `--home` and `--demo` that were given, except a command with `--help`. */
export function printError(
  context: NamedHome & { io: Io; env: NodeJS.ProcessEnv },
  error: unknown,
  json: boolean,
): void {
  const { io, env } = context;
  const { code, message, remedy: value } = describeError(error);
  const remedy = value && terminalText(value, styleFor(context));
  // The terminal has just printed ^C, without a line end.
  if (code === 'INTERRUPTED' && io.terminal.stderr && !json) io.err('\n');
  const details = error instanceof RelayError && error.details ? { details: error.details } : {};
  if (json) io.err(`${visibleJson({ error: { code, message, remedy, ...details } })}\n`);
  else
    io.err(
      blockOf([
        ...linesOf(code, 'relay: ', message),
        ...(remedy === null ? [] : linesOf(code, '  ', remedy)),
      ]),
    );
  if (env.LOG_LEVEL === 'debug' && error instanceof Error) io.err(blockOf(stackLines(error)));
}

/** Returns the style of a remedy's commands. The help is the same for all homes. */
function styleFor(named: NamedHome): CommandStyle {
  const whole = inBackquotes(named);
  return (words) => (words.at(-1) === '--help' ? plainCommand(words) : whole(words));
}

/** Maximum number of characters of an error, which may quote the answer of another program. */
const MAX_CHARACTERS = 2_000;

/**
 * Errors that may have several lines: `config/sources.ts` and `connect/connectClient.ts` lay them out. All others are one line,
 * since they may quote text from outside.
 */
const LAID_OUT: ReadonlySet<ErrorCode> = new Set(['SETTINGS_INVALID', 'HOME_UNUSABLE']);

function linesOf(code: ErrorCode, start: string, text: string): string[] {
  if (LAID_OUT.has(code)) return `${start}${text}`.split('\n');
  return [start + visibleText(text, MAX_CHARACTERS)];
}

/** Returns the stack with the message on one line, so that no part of it looks like a frame. */
function stackLines({ message, stack = '' }: Error): string[] {
  return stack.replace(message, () => visibleText(message, MAX_CHARACTERS)).split(/\n(?=\s+at )/);
}

/** Breaks text between words into lines of at most `width` columns; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of visibleLine(text).split(/\s+/)) {
    const more = widthOf(word);
    if (line !== '' && used + 1 + more > width) {
      lines.push(line);
      line = word;
      used = more;
    } else {
      used += line === '' ? more : 1 + more;
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Wraps a line to `width`; further lines are indented by two more columns. */
export function hanging(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const [first = '', ...rest] = wrap(line.trim(), Math.max(10, width - indent.length - 2));
  return [`${indent}${first}`, ...rest.map((more) => `${indent}  ${more}`)];
}

/** Lays out rows as aligned columns, two spaces apart, without trailing spaces. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(visibleLine));
  const widths = widthsOf(cells);
  return cells.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Prints rows as aligned columns. On a terminal, a line that is wider than the window continues below, indented. */
export function printColumns(io: Io, rows: readonly (readonly string[])[]): void {
  const lines = columns(rows);
  const fit = io.terminal.stdout ? lines.flatMap((line) => hanging(line, io.columns)) : lines;
  for (const line of fit) printLine(io, line);
}

/** Rows for a person. A column that is empty in every row is not shown. */
export interface Table {
  /** The first line; not shown if all heads are empty. */
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  /** The columns that may be cut, by index. */
  flexible: readonly number[];
}

/** Prints a table. On a terminal the table fits the window, and a note names the columns for which there is no room. */
export function printTable(io: Io, table: Table): void {
  const { lines, hidden } = tableLines(table, io.terminal.stdout ? io.columns : Number.POSITIVE_INFINITY);
  for (const line of lines) printLine(io, line);
  if (hidden.length > 0) for (const line of wrap(hiddenText(hidden), io.columns)) note(io, line);
}

/**
 * Returns the lines of a table, at most `width` wide. The flexible columns are cut, the widest first. If that is not enough,
 * the last columns are left out: `hidden` has their heads. @internal
 */
export function tableLines(
  { heads, rows, flexible }: Table,
  width: number,
): { lines: string[]; hidden: string[] } {
  const used = [...heads.keys()].filter((at) => rows.some((row) => visibleLine(row[at] ?? '') !== ''));
  const all = rows.length > 0 && heads.some((head) => head !== '') ? [heads, ...rows] : rows;
  const cells = all.map((row) => used.map((at) => visibleLine(row[at] ?? '')));
  const soft = [...used.keys()].filter((at) => flexible.includes(used[at] ?? -1));
  const widths = narrowed(widthsOf(cells), width, soft);
  while (widths.length > 1 && lineWidth(widths) > width) widths.pop();
  return {
    lines: columns(cells.map((row) => widths.map((max, at) => fitted(row[at] ?? '', max)))),
    hidden: used.slice(widths.length).flatMap((at) => heads[at] || []),
  };
}

/** Says which columns are not shown, by their heads. */
export function hiddenText(heads: readonly string[]): string {
  const names = heads.map((head) => head.toLowerCase()).join(', ');
  return `Hidden at this width: ${names} (--json has ${heads.length === 1 ? 'it' : 'them'})`;
}

/** Returns the width of the widest cell of each column. */
export function widthsOf(cells: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
    });
  }
  return widths;
}

/** Columns are not narrowed below this width. */
const MIN_CELL = 8;

/** Narrows the columns at `flexible`, the widest first, until a line takes at most `width` or no column can give more. */
export function narrowed(widths: readonly number[], width: number, flexible: readonly number[]): number[] {
  const left = [...widths];
  while (lineWidth(left) > width) {
    const [widest] = flexible
      .filter((at) => (left[at] ?? 0) > MIN_CELL)
      .sort((one, other) => (left[other] ?? 0) - (left[one] ?? 0));
    if (widest === undefined) break;
    left[widest] = (left[widest] ?? 0) - 1;
  }
  return left;
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + 2 * (widths.length - 1);
}

/** True if the terminal probably shows marks like ✓. */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return Boolean(env.WT_SESSION) || env.TERM_PROGRAM === 'vscode';
  return env.TERM !== 'linux' && /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}
