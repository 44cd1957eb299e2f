/**
 * The program of the library's threads. The build bundles it into `src/generated/libraryThread.ts` as text. Every form of relay
 * can start this text, even an executable without files beside it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import initSqlJs, { type SqlJsConfig } from 'sql.js';
import { type WasmInstance, wasm } from '../store/sql/wasm.ts';
import { type ImportStart, importExport } from './plays/importExport.ts';
import { answerQueries } from './query/queryThread.ts';
import type { QueryStart } from './query/runQuery.ts';

const start = workerData as QueryStart | ImportStart;

let memory: { buffer: ArrayBuffer } | null = null;

function instantiate(imports: object, done: (instance: WasmInstance) => void): object {
  const instance = new wasm.Instance(start.module, imports);
  memory = Object.values(instance.exports).find((one) => one instanceof wasm.Memory) ?? null;
  done(instance);
  return instance.exports;
}

const sqlite = () => initSqlJs({ instantiateWasm: instantiate } as SqlJsConfig);

async function run(): Promise<void> {
  if (!parentPort) return;
  if (start.task === 'import') return importExport(parentPort, start, sqlite);
  return answerQueries(parentPort, start, await sqlite(), () => memory?.buffer.byteLength ?? 0);
}

void run();
