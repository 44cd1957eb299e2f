/**
 * The log file in the home, with the server's latest lines. It is needed if the system or a client starts the server, since
 * nobody sees its stderr then. At most one older file is kept.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Size at which the file is set aside as the older one, and a new file begins. */
const MAX_BYTES = 1024 * 1024;
/** How long lines wait to be written together, so that logging does not cost each call a write. */
const FLUSH_MS = 300;
/** Maximum number of lines that wait while the file cannot be written; beyond that the oldest are dropped. */
const MAX_WAITING = 1_000;

/** The files, the older one first. */
export function logPaths(home: string): [string, string] {
  const path = join(home, 'relay.log');
  return [`${path}.1`, path];
}

/**
 * The log file; `write` takes whole lines. While the file cannot be written, the server runs on, and only the latest lines
 * wait.
 */
export function createLogFile(home: string): { write(line: string): void } {
  const [older, path] = logPaths(home);
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    try {
      appendFileSync(path, waiting.join(''), { mode: 0o600 });
      waiting = [];
      process.off('exit', flush);
      if (statSync(path).size >= MAX_BYTES) renameSync(path, older);
    } catch {
      waiting = waiting.slice(-MAX_WAITING);
    }
  };
  return {
    write(line) {
      // Listens only while lines wait: a file cannot be closed, and a process may have started many servers.
      if (waiting.length === 0) process.once('exit', flush);
      waiting.push(line);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
  };
}
