/** What Node runs in the single executable. */
import { loadProgram, loadStdio } from './seaProgram.ts';

// The stdio script decides for itself whether this is `relay stdio`.
if (process.argv.includes('stdio')) loadStdio(require).run(() => loadProgram(require));
else loadProgram(require).run();
