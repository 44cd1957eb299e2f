/** What Node runs in the single executable. */
import { runCarried } from './seaProgram.ts';

runCarried(module, require);
