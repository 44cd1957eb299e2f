/** Bundles the thread that answers questions about the library and turns it into a module of text. */
import { build } from 'esbuild';
import { type GeneratedFile, inRepository } from './file.ts';

const ENTRY = 'src/library/query/queryWorker.ts';

/** The text of `src/generated/queryWorker.ts`. */
export async function generateQueryWorker(): Promise<GeneratedFile> {
  const { outputFiles } = await build({
    absWorkingDir: inRepository(),
    entryPoints: [ENTRY],
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
    path: 'src/generated/queryWorker.ts',
    text: `// Made by "npm run gen" from ${ENTRY}.\n\nexport const QUERY_WORKER = ${quoted(script)};\n`,
  };
}

function quoted(text: string): string {
  // esbuild leaves what is beyond ASCII in regular expressions.
  const ascii = text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `\`${ascii.replace(/[`\\]|\$\{/g, '\\$&')}\``;
}
