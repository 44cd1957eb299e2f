/**
 * What the command line writes. stdout gets what was asked for; stderr gets notes, progress and errors. With `--json`, stdout
 * gets one JSON document per line. An error is then one line of JSON on stderr: `{"error":{code,message,remedy}}`, with
 * `details` if there are any.
 *
 * What is written may contain text from outside. So the command line prints through this file; only prompts, which have no
 * line end, go past it. Texts that are printed here lose all control characters that a terminal obeys, and a line stays one
 * line. relay itself then adds such characters for colours and to redraw a line.
 */

import type { Clock } from '../../base/clock.ts';
import { visibleJson, visibleLine, visibleLines, visibleText } from '../../base/visibleText.ts';
import { type ErrorCode, RelayError } from '../../domain/errors.ts';
import { type CommandStyle, terminalText } from '../../domain/remedy.ts';
import { inBackquotes, type NamedHome } from '../commandLine.ts';
import { fitted, widthOf } from './textWidth.ts';
import { withTimes } from './time.ts';

/** The three streams of the process. */
export interface Streams {
  stdin: NodeJS.ReadableStream;
  out(text: string): void;
  err(text: string): void;
  terminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Width of stdout in characters; 80 if it is not a terminal. */
  columns: number;
  colour?: boolean;
}

/** The streams as commands get them: control characters other than the line end are removed. */
export interface Io extends Streams {
  /** Replaces the last line of stderr by `line`, cut to the width; '' clears it. */
  redraw(line: string): void;
}

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

/**
 * Prints an error. A command in the remedy repeats the `--home` and `--demo` that were given, except a command with `--help`.
 */
export function printError(
  context: NamedHome & { io: Io; env: NodeJS.ProcessEnv; clock: Pick<Clock, 'now'> },
  error: unknown,
  json: boolean,
): void {
  const { io, env, clock } = context;
  // An unexpected error shows nothing, since its message may hold secrets.
  const known = error instanceof RelayError ? error : BUG;
  const { code, message, remedyValue } = known;
  const remedy = remedyValue ? terminalText(remedyValue, styleFor(context)) : null;
  // The terminal has just printed ^C, without a line end.
  if (code === 'INTERRUPTED' && io.terminal.stderr && !json) io.err('\n');
  const details = known.details ? { details: known.details } : {};
  if (json) io.err(`${visibleJson({ error: { code, message, remedy, ...details } })}\n`);
  else {
    const next = remedy === null ? [] : linesOf(code, '  ', remedy);
    io.err(blockOf([...linesOf(code, 'relay: ', withTimes(message, clock.now())), ...next]));
  }
  if (env.LOG_LEVEL === 'debug' && error instanceof Error) io.err(blockOf(stackLines(error)));
}

const BUG = new RelayError('INTERNAL', 'A bug in relay stopped the command.', {
  remedy: 'Run it again with LOG_LEVEL=debug in the environment to see where, and report it.',
});

/** The help is the same for all homes. */
function styleFor({ platform, program, ...named }: NamedHome): CommandStyle {
  const whole = inBackquotes({ ...named, platform, program });
  const plain = inBackquotes({ home: undefined, platform, program });
  return (words) => (words.at(-1) === '--help' ? plain(words) : whole(words));
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

export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return Boolean(env.WT_SESSION) || env.TERM_PROGRAM === 'vscode';
  return env.TERM !== 'linux' && /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

export interface ProgressReport {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export function createProgress(io: Io): { draw(report: ProgressReport): void; clear(): void } {
  let drawn = false;
  return {
    draw: (report) => {
      if (!io.terminal.stderr) return;
      drawn = true;
      io.redraw(progressText(report));
    },
    clear: () => {
      if (drawn) io.redraw('');
    },
  };
}

/** Returns a text such as `12 of 50: Searching`, without the parts that are not known. @internal */
export function progressText({ progress, total, message }: ProgressReport): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === '' ? count : `${count}: ${message}`;
}

/**
 * What gets a colour: state marks and `relay:` at the start of a line, and the head of a table, which has words in capitals, two
 * spaces apart. Lines are coloured after they are cleaned and laid out. So widths do not change, and text from outside can at
 * worst colour its own line.
 */
const COLOURS: ReadonlyArray<readonly [form: RegExp, style: string]> = [
  [/^✓(?= )/gmu, '32'],
  [/^✗(?= )/gmu, '31'],
  [/^!(?= )/gm, '33'],
  [/^relay:(?= )/gm, '1;31'],
  [/^[A-Z0-9#]+(?: [A-Z0-9]+)*(?: {2,}[A-Z0-9#]+(?: [A-Z0-9]+)*)+$/gm, '2'],
];

function coloured(text: string): string {
  return COLOURS.reduce((all, [form, style]) => all.replace(form, `\u001b[${style}m$&\u001b[0m`), text);
}

/** True if the person wants colours (no-color.org) and the terminal supports them. */
export function wantsColour({ NO_COLOR: no = '', TERM: kind }: NodeJS.ProcessEnv): boolean {
  return no === '' && kind !== 'dumb';
}
