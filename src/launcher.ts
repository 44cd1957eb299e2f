/** What Node runs in the single executable. */
import { loadProgram, loadStdio } from './seaProgram.ts';

// The script for stdio sees for itself whether it is meant.
if (process.argv.includes('stdio')) loadStdio(require).run(() => loadProgram(require));
else loadProgram(require).run();
