/** Bundles the program into one file for the installed Node, for `npm start` and `npm link`. */
import { join } from 'node:path';
import { bundle, root } from './bundle.ts';

await bundle({ entry: 'src/main.ts', outfile: join(root, 'dist', 'relay.cjs'), target: 'node20' });
