/** What a service runs. Pure. */
import { posix } from 'node:path';
import { RelayError } from '../domain/errors.ts';
import { shellWord } from '../domain/shellWord.ts';

/** `relay serve` for a home; without a home the program finds its own. Throws `SERVICE_FAILED` for unusable paths. */
export function commandToServe(program: readonly string[], home: string | null): string[] {
  const command = [...program, ...(home === null ? [] : ['--home', home]), 'serve'];
  const unusable = command.find((word) => /\p{Cc}/u.test(word));
  if (unusable === undefined) return command;
  throw new RelayError('SERVICE_FAILED', `${JSON.stringify(unusable)} holds a control character.`, {
    remedy: 'A service cannot be given such a path: rename it, then run this again.',
  });
}

/**
 * Names that may lead to the program at `path` and stay the same when an upgrade puts another one in its place, best
 * first. A version manager's own directory is in the path of one shell only, so PATH is not asked.
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

/** A command line as a person types it in a POSIX shell. */
export function shellText(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word))).join(' ');
}
