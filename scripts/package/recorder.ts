/**
 * Used instead of `src/launcher.ts` while an executable is built. It runs the program to its end, or a server until it is
 * ready, then writes V8's code cache to the path in RECORD_CACHE. With a cache among its assets, it fails if V8 does not
 * accept that cache. `stdio` is only compiled, with all its functions: what a run compiles depends on when answers arrive.
 */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Script } from 'node:vm';
import { compileProgram, compileStdio, evaluate, readCache } from '../../src/seaProgram.ts';
import { SQLITE_V8_FLAGS } from '../../src/store/sql/sqlite.ts';
import { DEFAULT_FLAGS } from './recorderFlags.ts';

if (process.argv.includes('stdio')) {
  if (readCache('stdio') === null) setFlagsFromString('--no-lazy');
  const script = compileStdio();
  setFlagsFromString('--lazy');
  write(script);
} else {
  const script = compileProgram();
  process.once('exit', () => {
    for (const flag of SQLITE_V8_FLAGS) setFlagsFromString(flag.replace('--no-', '--'));
    write(script);
  });
  const writeOut = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string | Uint8Array, ...rest: never[]) => {
    if (String(text).includes('"event":"ready"')) setImmediate(() => process.exit());
    return writeOut(text, ...rest);
  };
  (evaluate(script, require) as typeof import('../../src/executable.ts')).run();
}

/** Writes a cache, under the flags that V8 starts with, since a cache fits only the flags with which it was made. */
function write(script: Script): void {
  for (const flag of DEFAULT_FLAGS) setFlagsFromString(flag);
  writeFileSync(process.env.RECORD_CACHE ?? '', script.createCachedData());
  if (script.cachedDataRejected === true) process.exitCode = 1;
}
