/** SQLite as WebAssembly: sql.js, with the compiled code from the executable or the installed package. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getRawAsset, isSea } from 'node:sea';
import { setFlagsFromString } from 'node:v8';
import initSqlJs, { type SqlJsConfig, type SqlJsStatic } from 'sql.js';
import { lazy } from '../../base/memoised.ts';
import { type CompiledWasm, type WasmInstance, wasm } from './wasm.ts';

/** Name under which the executable carries the WebAssembly of sql.js. */
export const SQLITE_ASSET = 'sql-wasm.wasm';

/**
 * Flags that turn off V8's second compiler for WebAssembly. That compiler makes SQLite only a little faster, and takes a quarter
 * of the processor time and a tenth of the memory while relay starts. On the command line they would make V8 discard the code
 * cache of Node's own modules.
 */
const SQLITE_V8_FLAGS = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

let loading: Promise<SqlJsStatic> | null = null;

/** Loads SQLite, once for all databases of this process. */
export function loadSqlite(): Promise<SqlJsStatic> {
  loading ??= load();
  return loading;
}

async function load(): Promise<SqlJsStatic> {
  const module = await sqliteModule();
  const instantiateWasm = (imports: object, done: (instance: WasmInstance) => void) => {
    void wasm.instantiate(module, imports).then(done);
    // For Emscripten this means "not yet".
    return {};
  };
  return initSqlJs({ instantiateWasm } as SqlJsConfig);
}

/** Compiles SQLite once per process. Threads are given the result, so that they need not compile SQLite themselves. */
export const sqliteModule: () => Promise<CompiledWasm> = lazy(async () => {
  for (const flag of SQLITE_V8_FLAGS) setFlagsFromString(flag);
  return wasm.compile(isSea() ? (getRawAsset(SQLITE_ASSET) as ArrayBuffer) : await installed());
});

async function installed(): Promise<ArrayBuffer> {
  // The bundle is CommonJS and has a file name, the source has a URL.
  const from = typeof __filename === 'string' ? __filename : import.meta.url;
  const { buffer, byteOffset, byteLength } = await readFile(
    createRequire(from).resolve(`sql.js/dist/${SQLITE_ASSET}`),
  );
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
