/** The log: pino to stderr, pretty on a terminal. Whatever looks like a secret is cut out before it is formatted. */
import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../domain/log.ts';

export interface LogSettings {
  logLevel: string;
  logFormat: 'pretty' | 'json';
}

/** Field names that never reach the log, at the top and one level down. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'accessToken',
  'refreshToken',
  'access_token',
  'refresh_token',
  'code',
  'verifier',
  'state',
  'clientSecret',
  'key',
  'body',
].flatMap((name) => (name === 'code' ? ['*.authorizationCode'] : [name, `*.${name}`]));

export function createLog(settings: LogSettings, stream: NodeJS.WritableStream = process.stderr): Log {
  const destination =
    settings.logFormat === 'pretty'
      ? pretty({
          destination: stream,
          ignore: 'pid,hostname',
          translateTime: 'SYS:HH:MM:ss',
          singleLine: true,
        })
      : stream;
  return pino(
    {
      level: settings.logLevel,
      // The name of the machine is nobody's business in a log that people paste into reports.
      base: { pid: process.pid },
      formatters: { level: (level) => ({ level }) },
      redact: { paths: SECRET_FIELDS, remove: true },
      serializers: { err: errorFields },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
}

/** Name, code, message and stack of an error and its causes; no other fields, since those may hold anything. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}
