/** Writes the script, the style sheet and the icon of relay's pages into a module, so that the program contains them. */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { type GeneratedFile, inRepository, quoted } from './file.ts';

const PAGES = 'src/server/pages';

/** Returns `src/generated/pageAssets.ts`. */
export async function generatePageAssets(): Promise<GeneratedFile> {
  const [script, style] = await Promise.all([bundled('browser/main.ts'), bundled('style.css')]);
  const icon = readFileSync(inRepository(PAGES, 'icon.svg'), 'utf8').trim();
  const lines = Object.entries({ PAGE_SCRIPT: script, PAGE_STYLE: style, PAGE_ICON: icon }).map(
    ([name, text]) => `export const ${name} = ${quoted(text)};\n`,
  );
  return {
    path: 'src/generated/pageAssets.ts',
    text: `// Made by "npm run gen" from ${PAGES}/browser, style.css and icon.svg.\n\n${lines.join('\n')}`,
  };
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: inRepository(),
    entryPoints: [`${PAGES}/${entry}`],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    charset: 'ascii',
    logLevel: 'warning',
  });
  return (outputFiles[0]?.text ?? '').trim();
}
