/** The script that Node runs first in the single executable. */
import { loadProgram, loadStdio } from './seaProgram.ts';

// `stdio` may also be an argument of another command. The stdio script checks this, and then loads the whole program.
if (process.argv.includes('stdio')) loadStdio(require).run(() => loadProgram(require));
else loadProgram(require).run();
