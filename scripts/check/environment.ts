/** Checks that only the files listed here read `process.env`. `npm run check` and a test run this check. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInSrc, src } from './files.ts';

/**
 * Files that may read the environment of the process, with the reason. All other files use the environment that they are given.
 * Otherwise a command could read settings from one home and write them to another.
 */
const MAY_READ: Readonly<Record<string, string>> = {
  'cli/terminal/processWorld.ts': 'the one place where the environment comes into the program',
  'base/childProcess.ts': 'hands the environment on to child processes, as any program does',
  'executable.ts': 'decides before anything is loaded whether this process is the keychain helper',
  'secrets/keychainHelper.ts':
    'has the code of the helper, a process that gets its arguments through the environment',
  'secrets/keyringAddon.ts': 'looks there for a directory to unpack the keychain addon into',
};

/** Returns one sentence for each file that reads the environment without being listed in `MAY_READ`. */
export function wrongReads(): string[] {
  return pathsInSrc().flatMap((path) => {
    if (!path.endsWith('.ts') || Object.hasOwn(MAY_READ, path)) return [];
    if (!readsEnvironment(readFileSync(join(src, path), 'utf8'))) return [];
    return [
      `${path} reads process.env. Use the environment from cli/terminal/processWorld.ts, or add the file and its reason to scripts/check/environment.ts.`,
    ];
  });
}

/** True if code outside of comments reads the environment by one of its usual names. */
export function readsEnvironment(source: string): boolean {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, '');
  return (
    /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[\s*['"`]env\b/.test(code) ||
    /\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/.test(code) ||
    /import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*['"](node:)?process['"]/.test(code)
  );
}
