/** Checks which folders each folder imports. `npm run check` and a test run this check. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathsInSrc, src } from './files.ts';

/** What each folder may import besides itself, `base` and `generated`. */
const MAY_IMPORT: Readonly<Record<string, { folders: readonly string[]; reason: string }>> = {
  base: { folders: [], reason: 'base is what any program could use: it knows nothing of relay' },
  domain: { folders: [], reason: 'domain holds plain types and rules that everything else builds on' },
  secrets: { folders: ['domain'], reason: 'sealing knows nothing of what is sealed or where it is kept' },
  config: { folders: ['domain'], reason: 'settings are read before anything else exists' },
  store: { folders: ['secrets', 'config', 'domain'], reason: 'the state knows nothing of who uses it' },
  provider: {
    folders: ['store', 'secrets', 'config', 'domain'],
    reason: 'the Spotify client knows nothing of tools or servers',
  },
  music: { folders: ['domain'], reason: 'music rules are pure: no effects, no network' },
  resolve: {
    folders: ['music', 'provider', 'store', 'domain'],
    reason: 'resolving searches and remembers, no matter who asks',
  },
  changes: {
    folders: ['music', 'provider', 'store', 'domain'],
    reason: 'a change is carried out no matter who asked for it',
  },
  jobs: {
    folders: ['library', 'changes', 'resolve', 'music', 'provider', 'store', 'secrets', 'config', 'domain'],
    reason: 'jobs use the library, the provider and the state, never a server',
  },
  library: {
    folders: ['music', 'provider', 'store', 'domain'],
    reason: 'the copy of the library is read and queried, no matter who asks',
  },
  tools: {
    folders: ['library', 'changes', 'jobs', 'resolve', 'music', 'provider', 'store', 'domain'],
    reason: 'a tool is called by the MCP endpoint and knows nothing of MCP',
  },
  mcp: { folders: ['tools', 'domain'], reason: 'the endpoint runs tools and touches nothing beside them' },
  oauth: {
    folders: ['store', 'secrets', 'config', 'domain'],
    reason: 'the authorization server knows nothing of tools or Spotify',
  },
  local: { folders: ['domain'], reason: 'the client of a running server must not pull the server in' },
  service: {
    folders: ['domain'],
    reason: 'starting at login needs only a command line, and nothing of the program that it runs',
  },
  connect: { folders: ['domain'], reason: 'the files of other programs have nothing to do with the state' },
  demo: { folders: ['domain'], reason: 'the simulated provider must not know the program that it tests' },
  server: {
    folders: [
      'connect',
      'mcp',
      'oauth',
      'tools',
      'library',
      'changes',
      'jobs',
      'resolve',
      'music',
      'provider',
      'store',
      'secrets',
      'config',
      'domain',
    ],
    reason: 'the server is put together from everything but the command line and the demo',
  },
  cli: {
    folders: [
      'server',
      'local',
      'service',
      'connect',
      'demo',
      'mcp',
      'oauth',
      'tools',
      'music',
      'provider',
      'store',
      'secrets',
      'config',
      'domain',
    ],
    reason: 'the command line is the outermost part',
  },
  generated: { folders: [], reason: 'generated files hold data only' },
};

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'(\.[^']+)'/g;

/** Returns one sentence per import that goes the wrong way. */
export function wrongImports(): string[] {
  return pathsInSrc()
    .filter((path) => path.endsWith('.ts'))
    .flatMap(wrongImportsOf);
}

function wrongImportsOf(path: string): string[] {
  const from = path.split('/')[0] as string;
  const rule = MAY_IMPORT[from];
  // Files directly in src, such as main.ts, need no rule.
  if (!rule) return from.endsWith('.ts') ? [] : [`src/${from} has no rule in scripts/check/imports.ts`];
  const file = join(src, path);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, target = '']) => {
    if (target.endsWith('/package.json')) return [];
    const to = relative(src, resolve(dirname(file), target)).split(/[\\/]/)[0] as string;
    const isOpenToAll = to === 'generated' || (to === 'base' && from !== 'generated');
    if (to === from || isOpenToAll || rule.folders.includes(to)) return [];
    return [`src/${path} imports ${to}: not allowed, ${rule.reason}`];
  });
}
