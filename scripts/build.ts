/** `npm run build`: writes the generated sources, and bundles the program for the installed Node. */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleParts, root } from './bundle.ts';
import { writeGenerated } from './generated.ts';

/** How long the parts of an earlier build stay: a server that runs may still load them. */
const KEPT_MS = 86_400_000;

await writeGenerated();
const dist = join(root, 'dist', 'program');
await mkdir(dist, { recursive: true });
const earlier = await readdir(dist);
const staging = await mkdtemp(join(root, 'dist', '.build-'));
try {
  await bundleParts({ entry: 'src/main.ts', outdir: staging, target: 'node20', minify: true });
  // The names of parts have a hash of their content. The entry comes last: another process may run the program meanwhile.
  const names = (await readdir(staging)).sort((a, b) => Number(a === 'main.mjs') - Number(b === 'main.mjs'));
  for (const name of names) await rename(join(staging, name), join(dist, name));
  for (const name of earlier.filter((one) => !names.includes(one))) {
    const path = join(dist, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { force: true });
  }
} finally {
  await rm(staging, { recursive: true });
}
