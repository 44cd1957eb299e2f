/** Starts the library's threads: one answers questions, one imports plays. A thread knows nothing but what it is given. */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { LIBRARY_THREAD } from '../generated/libraryThread.ts';
import type { ImportStart } from './plays/importExport.ts';
import type { QueryStart } from './query/runQuery.ts';

/** @param start what the thread is to do (`threadProgram.ts`) */
export function startThread(
  name: string,
  start: QueryStart | ImportStart,
  resourceLimits: ResourceLimits,
): Worker {
  const worker = new Worker(LIBRARY_THREAD, {
    eval: true,
    workerData: start,
    name,
    // Options of this process, such as the tests' loaders, and its environment are not passed on.
    execArgv: [],
    env: {},
    // The thread's output must not reach stdout, which may carry MCP messages.
    stdout: true,
    stderr: true,
    resourceLimits,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** True for the error of a thread that needed more memory than its limits allow. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
