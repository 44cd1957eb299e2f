/**
 * The log: one JSON object a line, or the same as text for people, on stderr and in the home. What a line has is plain data of
 * bounded size, without secrets; every text in it is one line without control characters, so that text from a client or the
 * provider cannot forge a line.
 */
import type { WriteStream } from 'node:tty';
import type { Log, LogFields } from '../../base/log.ts';
import { escapedText } from '../../base/visibleText.ts';

interface Kept {
  write(line: string): void;
  /** True if the stream is to get only warnings and errors. */
  quietStream: boolean;
}

export interface LogSettings {
  logLevel: string;
  logFormat: 'pretty' | 'json';
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function createLog(
  { logLevel, logFormat }: LogSettings,
  stream: NodeJS.WritableStream = process.stderr,
  file: Kept | null = null,
): Log {
  const colors = (stream as Partial<WriteStream>).hasColors?.() === true;
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(logLevel)) return () => {};
    const isShown = !file?.quietStream || level === 'warn' || level === 'error';
    return (fields: LogFields, message: string): void => {
      // The machine's name is no part of it: people paste the log into reports.
      const own = { level, time: new Date().toISOString(), pid: process.pid };
      const line = `${JSON.stringify({ ...own, ...plainObject(fields, 1), msg: escapedText(message) })}\n`;
      file?.write(line);
      if (isShown) stream.write(logFormat === 'pretty' ? prettyLine(line, colors) : line);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Names of fields that never reach the log, however deep. `code` is not among them, since errors have one. An OAuth code has to
 * be called `authorizationCode`.
 */
const SECRET =
  /^(authorization|cookie|token|(access|refresh)_?token|authorizationCode|verifier|state|clientSecret|key|body)$/i;

const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;
const MAX_FRAMES = 20;

function plainValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return escapedText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (value instanceof Error) return plainObject(errorFields(value), depth);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return plainValue(toJSON.call(value), depth + 1);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => plainValue(entry, depth + 1));
  return plainObject(value, depth);
}

function plainObject(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).filter(([key]) => !SECRET.test(key));
  const plain = entries
    .slice(0, MAX_ENTRIES)
    .map(([key, one]) => [escapedText(key, 100), plainValue(one, depth + 1)]);
  return Object.fromEntries(plain);
}

/** Name, code, message, stack and cause of an error; no other fields, since those may hold anything. */
function errorFields(error: Error): Record<string, unknown> {
  const { name, message, stack = '', cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  // The message is taken out first, since its lines may look like frames.
  const frames = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  return {
    type: name,
    code: typeof code === 'string' ? code : undefined,
    message,
    stack: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
    cause: cause === undefined || typeof cause === 'string' || cause instanceof Error ? cause : typeof cause,
  };
}

const COLORS: Readonly<Record<string, number>> = { debug: 34, info: 32, warn: 33, error: 31 };

interface LoggedError {
  type?: string;
  code?: string;
  message?: string;
  stack?: string[];
  cause?: LoggedError | string;
}

/** Formats a JSON log line for people, as in `[14:05:09] INFO: job moves {"job":"1f0c"}`. Its text is already cleaned. */
export function prettyLine(json: string, colors: boolean): string {
  const { time, level, msg, pid: _pid, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const word = String(level).toUpperCase();
  const color = COLORS[String(level)];
  const shown = colors && color !== undefined ? `\u001b[${color}m${word}\u001b[39m` : word;
  const about = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  const head = `[${new Date(String(time)).toTimeString().slice(0, 8)}] ${shown}: ${msg}${about}`;
  return `${[head, ...errorLines(err as LoggedError | undefined)].join('\n')}\n`;
}

function errorLines(error: LoggedError | string | undefined): string[] {
  if (error === undefined || typeof error === 'string') return error ? [`    ${error}`] : [];
  const { type, code, message, stack, cause } = error;
  const words = `    ${[type, code].filter(Boolean).join(' ')}: ${message}`;
  const frames = Array.isArray(stack) ? stack.map((frame) => `        ${frame}`) : [];
  return [words, ...frames, ...errorLines(cause)];
}
