/**
 * Writes the log to stderr with pino, as JSON or as text for people: `logFormat` says which. Fields that may hold a secret are
 * removed before a line is formatted.
 */
import type { WriteStream } from 'node:tty';
import { pino } from 'pino';
import type { Log, LogFields } from '../../base/log.ts';
import { escapedText } from '../../base/visibleText.ts';
import { logFields } from './logFields.ts';

/** A second destination, which gets every line. */
interface Kept {
  write(line: string): void;
  /** True if the stream is to get only warnings and errors. */
  quietStream: boolean;
}

const LOUD = /"level":"(?:warn|error|fatal)"/;

function both(shown: { write(line: string): unknown }, file: Kept) {
  return {
    write(line: string) {
      file.write(line);
      if (!file.quietStream || LOUD.test(line)) shown.write(line);
    },
  };
}

export interface LogSettings {
  logLevel: string;
  logFormat: 'pretty' | 'json';
}

/**
 * Names of fields that never reach the log, at the top level or one level below. `code` is not among them, since errors have
 * one. An OAuth code has to be called `authorizationCode`.
 */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'accessToken',
  'refreshToken',
  'access_token',
  'refresh_token',
  'authorizationCode',
  'verifier',
  'state',
  'clientSecret',
  'key',
  'body',
].flatMap((name) => [name, `*.${name}`]);

/**
 * Control characters are escaped before pino gets an event, so text from a client or the provider cannot forge a line of the
 * log. `logFields` renames fields that would replace the log's own.
 */
export function createLog(
  settings: LogSettings,
  stream: NodeJS.WritableStream = process.stderr,
  file: Kept | null = null,
): Log {
  const colors = (stream as Partial<WriteStream>).hasColors?.() === true;
  const shown =
    settings.logFormat === 'pretty'
      ? { write: (line: string) => void stream.write(prettyLine(line, colors)) }
      : stream;
  const destination = file === null ? shown : both(shown, file);
  const logger = pino(
    {
      level: settings.logLevel,
      // The machine's name does not belong in a log that people paste into reports.
      base: { pid: process.pid },
      formatters: { level: (level) => ({ level }) },
      redact: { paths: SECRET_FIELDS, remove: true },
      // Errors are plain data at this point.
      serializers: { err: (value: unknown) => value },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: LogFields, message: string): void => {
      if (logger.isLevelEnabled(level)) logger[level](logFields(fields), escapedText(message));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const COLORS: Readonly<Record<string, number>> = { debug: 34, info: 32, warn: 33, error: 31, fatal: 31 };

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
  const error = typeof err === 'object' && err !== null ? (err as LoggedError) : null;
  const rest = error === null && err !== undefined ? { ...fields, err } : fields;
  const about = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  const clockTime = new Date(String(time)).toTimeString().slice(0, 8);
  const head = `[${clockTime}] ${levelWord(String(level), colors)}: ${msg}${about}`;
  return `${[head, ...(error === null ? [] : errorLines(error))].join('\n')}\n`;
}

function levelWord(level: string, colors: boolean): string {
  const word = level.toUpperCase();
  const color = COLORS[level];
  return colors && color !== undefined ? `\u001b[${color}m${word}\u001b[39m` : word;
}

function errorLines({ type, code, message, stack, cause }: LoggedError): string[] {
  const words = `    ${type}${code === undefined ? '' : ` ${code}`}: ${message}`;
  const frames = Array.isArray(stack) ? stack.map((frame) => `        ${frame}`) : [];
  if (typeof cause === 'string') return [words, ...frames, `    cause: ${cause}`];
  return [words, ...frames, ...(cause === undefined ? [] : errorLines(cause))];
}
