/** `npm run build`: writes the generated sources, and bundles the program for the installed Node. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, root } from './bundle.ts';
import { writeGenerated } from './generated.ts';

await writeGenerated();
const dist = join(root, 'dist');
await mkdir(dist, { recursive: true });
// Another process may run the program meanwhile, and must never load half of it.
const staging = await mkdtemp(join(dist, '.build-'));
try {
  await bundle({ entry: 'src/main.ts', outfile: join(staging, 'relay.cjs'), target: 'node20' });
  for (const name of await readdir(staging)) await rename(join(staging, name), join(dist, name));
} finally {
  await rm(staging, { recursive: true });
}
