/** `relay` as a person has to call it for the home that they named, in texts that tell what to run. Pure. */

import { shellWord } from '../base/shellWord.ts';

export interface NamedHome {
  /** The value of `--home`. */
  home: string | undefined;
  platform: NodeJS.Platform;
}

export function relayCommand({ home, platform }: NamedHome): string {
  return home === undefined ? 'relay' : `relay --home ${quoted(home, platform)}`;
}

/**
 * A text in which every command of relay reaches that home. A command is what begins the text or follows a quotation mark,
 * a colon or two spaces.
 */
export function forHome(text: string, named: NamedHome): string {
  return text.replace(
    /(^|[`']|: | {2})relay (?=[a-z])/g,
    (_all, before) => `${before}${relayCommand(named)} `,
  );
}

/** A path as one word of a command line. A tilde at its start would become the person's home directory. */
export function quoted(path: string, platform: NodeJS.Platform): string {
  if (/^[\w./+-]+$/.test(path)) return path;
  if (platform !== 'win32') return shellWord(path);
  // cmd.exe knows no other quotation marks; a backslash before the closing one would be taken for its escape.
  return /^[\w.:\\/+-]+$/.test(path) ? path : `"${path.replace(/\\+$/, '$&$&')}"`;
}
