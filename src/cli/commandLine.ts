/** relay commands as a person has to type them, with the `--home` and `--demo` that they need. Pure. */
import { shellWord } from '../base/childProcess.ts';
import type { CommandStyle } from '../domain/remedy.ts';

export interface NamedHome {
  /** The value of `--home`; undefined without that option. */
  home: string | undefined;
  demo?: boolean;
  platform: NodeJS.Platform;
  program?: string | undefined;
}

/** Returns a whole command, such as `relay --home /srv/relay login`. Without `words`, the command ends before `login`. */
export function commandLine(
  { home, demo, platform, program = 'relay' }: NamedHome,
  ...words: readonly string[]
): string {
  const named = [
    ...(demo === true ? ['--demo'] : []),
    ...(home === undefined ? [] : ['--home', quotedPath(home, platform)]),
  ];
  return [program, ...named, ...words].join(' ');
}

/** Makes a `CommandStyle` for sentences: commands stand in backquotes, with `--home` and `--demo` where they are needed. */
export function inBackquotes(named: NamedHome): CommandStyle {
  return (words) => `\`${commandLine(named, ...words)}\``;
}

/**
 * Quotes a path as one word of a command line. A tilde is quoted too: a shell would replace it with the person's home.
 */
export function quotedPath(path: string, platform: NodeJS.Platform): string {
  if (/^[\w./+-]+$/.test(path)) return path;
  if (platform !== 'win32') return shellWord(path);
  // cmd.exe knows only double quotation marks. A backslash before the closing mark would escape that mark, so it is doubled.
  return /^[\w.:\\/+-]+$/.test(path) ? path : `"${path.replace(/\\+$/, '$&$&')}"`;
}

export function quotedWord(word: string, platform: NodeJS.Platform): string {
  if (/^[\w=,.:/+-]+$/.test(word)) return word;
  return platform === 'win32' ? `"${word.replaceAll('"', '\\"')}"` : shellWord(word);
}
