/** The log: pino to stderr, pretty on a terminal. Whatever looks like a secret is cut out before it is formatted. */
import type { WriteStream } from 'node:tty';
import { pino } from 'pino';
import type { Log, LogFields } from '../../base/log.ts';
import { escapedText } from '../../base/visibleText.ts';
import { logFields } from './logFields.ts';
import { prettyLine } from './prettyLine.ts';

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

/**
 * Every text of an event, wherever it stands, is made visible before pino sees it: what a client or a provider chose can
 * forge neither a line of the log nor a field that the log writes itself.
 */
export function createLog(settings: LogSettings, stream: NodeJS.WritableStream = process.stderr): Log {
  const colors = (stream as Partial<WriteStream>).hasColors?.() === true;
  const destination =
    settings.logFormat === 'pretty'
      ? { write: (line: string) => void stream.write(prettyLine(line, colors)) }
      : stream;
  const logger = pino(
    {
      level: settings.logLevel,
      // The name of the machine is nobody's business in a log that people paste into reports.
      base: { pid: process.pid },
      formatters: { level: (level) => ({ level }) },
      redact: { paths: SECRET_FIELDS, remove: true },
      // An error is plain data by then.
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
