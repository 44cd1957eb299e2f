/** Reports imports between folders of `src` that go the wrong way. `npm run check` runs this. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What each folder may import besides itself, `base` and `generated`. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  // Generated files hold data only.
  generated: '',
  // What any program could use: it knows nothing of relay.
  base: '',
  // Plain types and rules that everything else builds on.
  domain: '',
  // Sealing knows nothing of what is sealed or where it is kept.
  secrets: 'domain',
  // Settings are read before anything else exists.
  config: 'domain',
  // The state knows nothing of who uses it.
  store: 'secrets config domain',
  // The Spotify client knows nothing of tools or servers.
  provider: 'store secrets config domain',
  // Music rules are pure: no effects, no network.
  music: 'domain',
  // A query of the library is the same, no matter who asks.
  library: 'music provider store domain',
  // Works use the library, the provider and the state, never a server.
  work: 'library music provider store domain',
  // A tool is called by the MCP endpoint and knows nothing of MCP.
  tools: 'library work music provider store domain',
  // The endpoint runs tools and touches nothing beside them.
  mcp: 'tools domain',
  // The authorization server knows nothing of tools or Spotify.
  oauth: 'store secrets config domain',
  // Both sides of the door: a program that asks the server must not pull the server in.
  door: 'domain',
  // Starting at login needs only a command line, and nothing of the program that it runs.
  service: 'domain',
  // The files of other programs have nothing to do with the state.
  connect: 'domain',
  // The simulated provider must not know the program that it tests.
  demo: 'domain',
  // The server is put together from everything but the command line and the demo.
  server: 'connect door mcp oauth tools library work music provider store secrets config domain',
  // The command line is the outermost part.
  cli: 'server door service connect demo library mcp oauth tools music provider store secrets config domain',
};

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'(\.[^']+)'/g;
const src = fileURLToPath(new URL('../../src/', import.meta.url));

const wrong = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap(wrongImportsOf);
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;

function wrongImportsOf(path: string): string[] {
  const from = folderOf(path);
  // Files directly in src, such as main.ts, may import everything.
  if (from === path) return [];
  const allowed = MAY_IMPORT[from]?.split(' ');
  if (!allowed) return [`src/${from} is missing in scripts/check/imports.ts`];
  if (from !== 'generated') allowed.push('base', 'generated');
  const file = join(src, path);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, target = '']) => relative(src, resolve(dirname(file), target)))
    .filter((target) => !target.endsWith('package.json') && ![from, ...allowed].includes(folderOf(target)))
    .map(
      (target) => `src/${path} imports ${folderOf(target)}, which scripts/check/imports.ts does not allow`,
    );
}

function folderOf(path: string): string {
  return path.split(/[\\/]/)[0] as string;
}
