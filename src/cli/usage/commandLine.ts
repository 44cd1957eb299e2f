/** Commands of relay as a person has to type them for the home that they named. Pure. */
import { shellWord } from '../../base/childProcess.ts';
import type { CommandStyle } from '../../domain/remedy.ts';

export interface NamedHome {
  /** The value of `--home`. */
  home: string | undefined;
  /** With `--demo`. */
  demo?: boolean;
  platform: NodeJS.Platform;
  /** What starts relay; `relay` where that is not said. */
  program?: string;
}

/** `relay --home /srv/relay login`; without words what every command begins with. */
export function commandLine(
  { home, demo, platform, program = 'relay' }: NamedHome,
  ...words: readonly string[]
): string {
  const named = [
    ...(demo === true ? ['--demo'] : []),
    ...(home === undefined ? [] : ['--home', quoted(home, platform)]),
  ];
  return [program, ...named, ...words].join(' ');
}

/** For a command inside a sentence. */
export function inBackquotes(named: NamedHome): CommandStyle {
  return (words) => `\`${commandLine(named, ...words)}\``;
}

/** A path as one word of a command line. A tilde at its start would become the person's home directory. @internal */
export function quoted(path: string, platform: NodeJS.Platform): string {
  if (/^[\w./+-]+$/.test(path)) return path;
  if (platform !== 'win32') return shellWord(path);
  // cmd.exe knows no other quotation marks; a backslash before the closing one would be taken for its escape.
  return /^[\w.:\\/+-]+$/.test(path) ? path : `"${path.replace(/\\+$/, '$&$&')}"`;
}
