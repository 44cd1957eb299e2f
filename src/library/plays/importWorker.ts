/**
 * The thread that reads an export. In a thread, a large export does not block the server, and a crash does not end the server.
 * The build bundles this program into `src/generated/importWorker.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { ImportReply, ImportStart } from './messages.ts';
import { readExport } from './readExport.ts';
import { RefusedExport } from './refusal.ts';
import { stagedPlays } from './stagedPlays.ts';

const BATCH = 4_000;
/** Number of bytes between two progress reports. */
const REPORT = 4 * 1024 * 1024;

const { path, label, only } = workerData as ImportStart;
const tell = (reply: ImportReply) => parentPort?.postMessage(reply);

async function run(): Promise<void> {
  const plays = stagedPlays();
  let reported = 0;
  let foreign = null as string | null;
  try {
    const { account, unreadable } = await readExport(path, label, {
      plays,
      onAccount(name) {
        if (only === null || only === name.toLowerCase()) return;
        foreign = name;
        throw new Error('It is the history of another account.');
      },
      onProgress(done, total) {
        if (done - reported < REPORT) return;
        reported = done;
        tell({ kind: 'progress', done, total });
      },
    });
    const { count, range } = plays;
    tell({ kind: 'read', count, range, unreadable, account });
  } catch (error) {
    if (foreign !== null) return tell({ kind: 'foreign', account: foreign });
    const { message, remedy } = refusalOf(error);
    return tell({ kind: 'refused', message, remedy });
  }
  const batches = plays.batches(BATCH);
  parentPort?.on('message', () => {
    const { value, done } = batches.next();
    tell(done ? { kind: 'end' } : { kind: 'batch', batch: value });
  });
}

/** Turns an error of the system into a refusal. @throws any other error, which the file did not cause */
function refusalOf(error: unknown): RefusedExport {
  if (error instanceof RefusedExport) return error;
  const isOfSystem = error instanceof Error && 'syscall' in error;
  if (!isOfSystem) throw error;
  return new RefusedExport(`${path} cannot be read: ${error.message}.`, 'Make it readable, and try again.');
}

void run();
