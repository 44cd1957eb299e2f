/** Starts the library's threads. A thread knows nothing of this process but what it is given. */
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** @param program the bundled text of the thread's program */
export function startThread(
  name: string,
  program: string,
  workerData: object,
  resourceLimits: ResourceLimits,
): Worker {
  const worker = new Worker(program, {
    eval: true,
    workerData,
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
