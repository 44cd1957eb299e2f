/** The command that a service runs. Pure. */
import { posix } from 'node:path';
import { shellWord } from '../base/childProcess.ts';
import { RelayError } from '../domain/errors.ts';

/**
 * Returns the words of `relay serve` for a home; null stands for the default home. Throws `SERVICE_FAILED` for unusable paths.
 */
export function commandToServe(program: readonly string[], home: string | null): string[] {
  const command = [...program, ...(home === null ? [] : ['--home', home]), 'serve'];
  const unusable = command.find((word) => /\p{Cc}/u.test(word));
  if (unusable === undefined) return command;
  throw new RelayError('SERVICE_FAILED', `${JSON.stringify(unusable)} contains a control character.`, {
    remedy: 'A service cannot use such a path. Rename it, then run this again.',
  });
}

/**
 * Returns the paths that may point to the program at `path` and survive an upgrade, best first; none if `path` itself is such a
 * path. PATH is not searched, because a version manager's directory is only in the PATH of one shell.
 */
export function lastingNames(path: string, homeDir: string): string[] {
  const folders = [
    '/usr/local/bin',
    '/opt/homebrew/bin',
    '/home/linuxbrew/.linuxbrew/bin',
    '/usr/bin',
    posix.join(homeDir, '.local', 'bin'),
    posix.join(homeDir, 'bin'),
  ];
  if (folders.includes(posix.dirname(path))) return [];
  const names = [...new Set([posix.basename(path), 'relay'])];
  return folders.flatMap((folder) => names.map((name) => posix.join(folder, name)));
}

/** Returns a command line as it is typed in a POSIX shell. */
export function shellText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word))).join(' ');
}
