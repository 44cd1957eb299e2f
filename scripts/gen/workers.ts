/** Bundles the code of the library's threads, each into a module that exports it as text. */
import { build } from 'esbuild';
import { asciiOf } from '../bundle.ts';
import { type GeneratedFile, inRepository, quoted } from './file.ts';

interface Thread {
  entry: string;
  path: string;
  name: string;
}

const THREADS: readonly Thread[] = [
  {
    entry: 'src/library/query/queryWorker.ts',
    path: 'src/generated/queryWorker.ts',
    name: 'QUERY_WORKER',
  },
  {
    entry: 'src/library/plays/importWorker.ts',
    path: 'src/generated/importWorker.ts',
    name: 'IMPORT_WORKER',
  },
];

/** Returns the text of each thread's module in `src/generated`. */
export function generateWorkers(): Promise<GeneratedFile[]> {
  return Promise.all(THREADS.map(generateWorker));
}

async function generateWorker({ entry, path, name }: Thread): Promise<GeneratedFile> {
  const { outputFiles } = await build({
    absWorkingDir: inRepository(),
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const script = (outputFiles[0]?.text ?? '').trim();
  return {
    path,
    text: `// Made by "npm run gen" from ${entry}.\n\nexport const ${name} = ${quoted(asciiOf(script))};\n`,
  };
}
