/**
 * Instead of `src/launcher.ts` while an executable is built: runs the program to its end, a server until it is ready,
 * then writes V8's code cache to the path in RECORD_CACHE. With a cache among its assets it fails where V8 does not take it.
 */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runCarried } from '../../src/seaProgram.ts';
import { SQLITE_V8_FLAGS } from '../../src/store/sql/sqlite.ts';
import { DEFAULT_FLAGS } from './recorderFlags.ts';

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text: string | Uint8Array, ...rest: never[]) => {
  if (String(text).includes('"event":"ready"')) setImmediate(() => process.exit());
  return write(text, ...rest);
};

const script = runCarried(module, require);

process.once('exit', () => {
  // A cache fits the flags of the moment when it is made; the launcher meets those of V8's start.
  for (const flag of SQLITE_V8_FLAGS) setFlagsFromString(flag.replace('--no-', '--'));
  for (const flag of DEFAULT_FLAGS) setFlagsFromString(flag);
  writeFileSync(process.env.RECORD_CACHE ?? '', script.createCachedData());
  if (script.cachedDataRejected === true) process.exitCode = 1;
});
