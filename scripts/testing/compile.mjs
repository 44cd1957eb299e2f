// Compiles every TypeScript file of the checkout once, file by file, so that a test process only reads JavaScript.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { cache, compiledPath, FOLDERS, root } from './compiled.mjs';

export async function compile() {
  const sources = FOLDERS.flatMap((folder) => filesBelow(join(root, folder), '.ts'));
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: sources,
    // So that source maps lead from the URL of a module to its source.
    outdir: root,
    outbase: root,
    bundle: false,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // So that stack traces name lines of the sources.
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) writeIfNew(compiledPath(path), text);
  removeStale(new Set(outputFiles.map(({ path }) => compiledPath(path))));
  return sources.filter((path) => path.endsWith('.test.ts'));
}

/** Removes compiled files without a source, which could still be imported. */
function removeStale(current) {
  for (const path of filesBelow(cache, '.mjs')) if (!current.has(path)) rmSync(path, { force: true });
}

/** Renames the new file into place, since another run of the tests may be reading the old one. */
function writeIfNew(path, text) {
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true });
  }
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

function filesBelow(folder, ending) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}
