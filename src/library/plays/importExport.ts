/**
 * Imports one export, in a thread of its own, which alone opens `plays.db`. All plays are added before the file is saved, in one
 * step. If the import fails or the process is killed, the file stays as it was.
 */
import type { MessagePort } from 'node:worker_threads';
import type { SqlJsStatic } from 'sql.js';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { systemCodeOf } from '../../base/thrown.ts';
import { asRelayError, type ErrorCode, messageOf, RelayError } from '../../domain/errors.ts';
import type { PlaysCount, PlaysProgress } from '../../domain/plays.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { CompiledWasm } from '../../store/sql/wasm.ts';
import { libraryFile } from '../files/files.ts';
import { RefusedExport } from './exportFiles.ts';
import { countPlays, createPlayWriter, dropReplaced, timeOf } from './playWriter.ts';
import { readExport } from './readExport.ts';

/** What the thread is given when it starts. */
export interface ImportStart {
  task: 'import';
  /** The compiled SQLite of this process. */
  module: CompiledWasm;
  home: string;
  path: string;
  /** The name of the export in errors. */
  label: string;
}

/** What the thread tells: how far it is, and at last the result or why there is none. */
export type ImportReply =
  | { kind: 'progress'; progress: PlaysProgress }
  | { kind: 'failed'; code: ErrorCode; message: string; remedy: Remedy | undefined };

const REPORT = 4 * 1024 * 1024;

/** Imports the export, and tells `port` the result. */
export async function importExport(
  port: MessagePort,
  start: ImportStart,
  sqlite: () => Promise<SqlJsStatic>,
): Promise<void> {
  const tell = (reply: ImportReply) => port.postMessage(reply);
  const progress = (progress: PlaysProgress) => tell({ kind: 'progress', progress });
  const file = libraryFile('plays.db', { home: start.home, clock: systemClock, log: silentLog, sqlite });
  try {
    const plays = await file.use((sql) => addPlays(sql, start, progress));
    await file.save();
    progress({ state: 'done', plays, note: file.news() });
  } catch (thrown) {
    const { code, message, remedyValue } = errorOf(thrown, start);
    tell({ kind: 'failed', code, message, remedy: remedyValue });
  }
}

async function addPlays(
  sql: Sql,
  { path, label }: ImportStart,
  tell: (progress: PlaysProgress) => void,
): Promise<PlaysCount> {
  const before = countPlays(sql);
  let [read, from, to] = [0, Number.POSITIVE_INFINITY, 0];
  let reported = 0;
  sql.run('begin');
  const add = createPlayWriter(sql);
  const found = await readExport(
    path,
    label,
    (play) => {
      read += 1;
      from = Math.min(from, play.endedAt);
      to = Math.max(to, play.endedAt);
      try {
        add(play);
      } catch (error) {
        // It must not be taken for a fault of the file.
        throw asRelayError(error);
      }
    },
    (done, total) => {
      if (done - reported < REPORT) return;
      reported = done;
      tell({ state: 'reading', done, total });
    },
  );
  tell({ state: 'writing', done: 0, total: read });
  dropReplaced(sql);
  sql.run('commit');
  const total = countPlays(sql);
  const times = read === 0 ? { from: null, to: null } : { from: timeOf(from), to: timeOf(to) };
  return { read, added: total - before, total, ...times, ...found };
}

function errorOf(thrown: unknown, { path }: ImportStart): RelayError {
  if (thrown instanceof RefusedExport)
    return new RelayError('INVALID_ARGUMENT', thrown.message, { remedy: thrown.remedy });
  if (thrown instanceof RelayError || systemCodeOf(thrown) === undefined) return asRelayError(thrown);
  return new RelayError('INVALID_ARGUMENT', `${path} cannot be read: ${messageOf(thrown)}.`, {
    remedy: 'Make it readable, and try again.',
  });
}
