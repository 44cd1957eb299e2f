/** The log as the parts of the program use it. The implementation (`server/log/log.ts`) removes secrets and writes to stderr. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Facts about an event. Names that the log uses for its own fields are taken. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly [taken in 'level' | 'time' | 'pid' | 'msg']?: never;
};

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
