/**
 * Writes `src/generated/`: what the program contains as text, so that the bundle and the executable need no files. These are the
 * migrations, the script and style sheet of the pages, the program of the library's threads, and what `tools/list` answers.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import type { Migration } from '../src/store/sql/migrate.ts';
import { asciiOf, root } from './bundle.ts';

const MIGRATIONS = 'src/store/migrations';
const PAGES = 'src/server/pages';
const BROWSERS: BuildOptions = { format: 'iife', target: ['chrome111', 'firefox114', 'safari16.4'] };
const NODE: BuildOptions = { format: 'cjs', target: 'node20', platform: 'node', legalComments: 'none' };

export async function writeGenerated(): Promise<void> {
  await Promise.all([
    write('sql', { MIGRATIONS: JSON.stringify(await readMigrations(), null, 2) }),
    write('pageAssets', {
      PAGE_SCRIPT: quoted(await bundled(`${PAGES}/browser/main.ts`, BROWSERS)),
      PAGE_STYLE: quoted(await bundled(`${PAGES}/style.css`, BROWSERS)),
      PAGE_ICON: quoted((await readFile(join(root, PAGES, 'icon.svg'), 'utf8')).trim()),
    }),
    write('libraryThread', {
      LIBRARY_THREAD: quoted(await bundled('src/library/threadProgram.ts', NODE)),
    }),
  ]);
  // Last, since the tools import what is written above.
  const script = await bundled('src/mcp/toolEntries.ts', { ...NODE, format: 'esm' });
  const { toolEntries } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  await write('toolEntries', { TOOL_ENTRIES: quoted(JSON.stringify(toolEntries())) });
}

/** Leaves a file that is up to date as it is, since another process may read it. */
async function write(name: string, constants: Record<string, string>): Promise<void> {
  const lines = Object.entries(constants).map(
    ([constant, value]) => `export const ${constant} = ${value};\n`,
  );
  const text = `// Made by the build: scripts/generated.ts.\n\n${lines.join('\n')}`;
  const path = join(root, 'src', 'generated', `${name}.ts`);
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return;
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
}

/** Returns the template literal that stands for a text in TypeScript. */
function quoted(text: string): string {
  return `\`${text.replace(/[`\\]|\$\{/g, '\\$&')}\``;
}

async function bundled(entry: string, options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
    logLevel: 'warning',
    ...options,
  });
  return asciiOf((outputFiles[0]?.text ?? '').trim());
}

/** @throws Error if the name or the first comment of a migration breaks the rules in `src/store/README.md` */
async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(join(root, MIGRATIONS))).sort();
  // The first one may be any number: it makes the whole schema, and files of earlier versions are refused.
  const first = Number(files[0]?.slice(0, 6));
  return Promise.all(
    files.map(async (file, index) =>
      parse(file, first + index, await readFile(join(root, MIGRATIONS, file), 'utf8')),
    ),
  );
}

function parse(file: string, version: number, sql: string): Migration {
  const name = /^(\d{6}_[a-z0-9_]+)\.sql$/.exec(file)?.[1];
  if (!name || Number(name.slice(0, 6)) !== version) {
    throw new Error(`${file}: the name must be ${String(version).padStart(6, '0')}_subject.sql`);
  }
  const [, oldest] = /^-- \S[^\n]*\n(?:--[^\n]*\n)*?-- oldest-compatible: (\d+)\n/.exec(sql) ?? [];
  if (!oldest || Number(oldest) < 1 || Number(oldest) > version) {
    throw new Error(
      `${file}: must start with a comment that gives the reason, followed by a line "-- oldest-compatible: N" with N from 1 to ${version}`,
    );
  }
  return { version, name, oldestCompatible: Number(oldest), sql: sql.replaceAll('\r\n', '\n') };
}
