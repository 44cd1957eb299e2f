/**
 * What the command line writes. stdout gets what was asked for; stderr gets notes, progress and errors. With `--json`
 * stdout gets one JSON document per line and an error is one line of JSON on stderr: `{"error":{code,message,remedy}}`.
 */
import { type ErrorCode, RelayError } from '../domain/errors.ts';
import { forHome, type NamedHome } from './relayCommand.ts';

/** The three streams, as far as the commands use them. */
export interface Io {
  stdin: NodeJS.ReadableStream;
  /** Writes to stdout. */
  out(text: string): void;
  /** Writes to stderr. */
  err(text: string): void;
  terminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Width of stdout in characters; 80 where it is no terminal. */
  columns: number;
}

export function printLine(io: Io, text: string): void {
  io.out(`${text}\n`);
}

export function printJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value)}\n`);
}

/** A remark beside the answer, for a person. */
export function note(io: Io, text: string): void {
  io.err(`${text}\n`);
}

/** What an error shows of itself. Anything that was not thrown on purpose shows nothing: its words may hold secrets. */
export function describeError(error: unknown): { code: ErrorCode; message: string; remedy: string | null } {
  if (error instanceof RelayError) {
    return { code: error.code, message: error.message, remedy: error.remedy ?? null };
  }
  return {
    code: 'INTERNAL',
    message: 'A fault in the program stopped the command.',
    remedy: 'Run it again with LOG_LEVEL=debug in the environment to see where, and report it.',
  };
}

/** What a remedy says to run is for the home that the person named; a help text is the same for all. */
export function printError(
  io: Io,
  error: unknown,
  options: NamedHome & { json: boolean; debug: boolean },
): void {
  const { code, message, remedy: general } = describeError(error);
  const remedy = general === null || code === 'USAGE' ? general : forHome(general, options);
  const shown = { code, message, remedy };
  // The terminal has just written ^C, without a line end.
  if (code === 'INTERRUPTED' && io.terminal.stderr && !options.json) io.err('\n');
  if (options.json) io.err(`${JSON.stringify({ error: shown })}\n`);
  else io.err(`relay: ${shown.message}\n${shown.remedy === null ? '' : `  ${shown.remedy}\n`}`);
  if (options.debug && error instanceof Error) io.err(`${error.stack}\n`);
}

/** Breaks text between words into lines of at most `width` characters; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Rows as aligned columns, two spaces apart, nothing behind the last one. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Whether marks like ✓ can be expected to show. */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return Boolean(env.WT_SESSION) || env.TERM_PROGRAM === 'vscode';
  return env.TERM !== 'linux' && /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}
