/** The script that Node runs first in the single executable: `relay stdio`, for which clients wait at each start. */
import { getAsset } from 'node:sea';
import { compileFunction } from 'node:vm';
import { run } from './cli/stdio/carriedStdio.ts';

type Program = typeof import('./executable.ts');

/** Loads the whole program, as Node loads a CommonJS module. */
function loadProgram(): Program {
  const filename = 'relay.cjs';
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  const module = { exports: {} };
  const program = compileFunction(getAsset(filename, 'utf8'), names, { filename });
  program(module.exports, require, module, process.execPath, '');
  return module.exports as Program;
}

// `stdio` may also be an argument of another command. `run` finds that out, and then loads the whole program.
if (process.argv.includes('stdio')) run(loadProgram);
else loadProgram().run();
