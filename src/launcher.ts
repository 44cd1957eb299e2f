/** What Node runs in the single executable. */
import { runCarried } from './carried.ts';

runCarried(module, require);
