/** Problems with the settings: collected first, then reported together. */

import { visibleLine } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';
import type { Remedy } from '../domain/remedy.ts';

/** Where a value came from. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

export interface Problem {
  /** The setting's name, or the unknown key; `config.json` if the whole file cannot be used. */
  key: string;
  origin: Origin;
  /** A whole sentence without full stop; never holds the value of a secret. */
  message: string;
  /** What to do, if correcting the value would not help. */
  remedy?: string;
  /** True if the file may not have the key, so that no value corrects it. */
  unknown?: true;
}

/**
 * Returns a `SETTINGS_INVALID` error that reports every problem; `details.problems` lists them.
 * @param remedy in place of the one that follows from the problems
 */
export function settingsError(problems: readonly Problem[], remedy?: string): RelayError {
  const messages = problems.map(({ message }) => visibleLine(message));
  const text =
    messages.length === 1
      ? `${messages[0]}.`
      : `${messages.length} settings are unusable:\n${messages.map((message) => `  - ${message}.`).join('\n')}`;
  return new RelayError('SETTINGS_INVALID', text, {
    remedy: remedy ?? problems.find((problem) => problem.remedy)?.remedy ?? remedyFor(problems),
    details: { problems: [...problems] },
  });
}

/** Returns a value for a message: short, and without a password in a URL. */
export function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/[^/@"]*@/g, '//…@');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function remedyFor(problems: readonly Problem[]): Remedy {
  const inFile = problems.some(({ origin }) => origin === 'file');
  const it = problems.length === 1 ? 'it' : 'them';
  if (problems.some(({ unknown }) => unknown)) return remedyForUnknown(problems);
  // Each message says where the value comes from.
  return inFile
    ? { text: `Correct ${it} there, or with {command}.`, command: ['config', 'set'] }
    : { text: `Correct ${it}, or remove ${it} to use the default.` };
}

function remedyForUnknown([first, ...others]: readonly Problem[]): Remedy {
  const key = others.length === 0 ? (first?.key ?? '') : 'KEY';
  // Any text can be a key. One that a shell would not pass on as it stands is not put into a command.
  if (!/^\w[\w.-]{0,63}$/.test(key)) return { text: 'Correct it there, or remove it.' };
  const them = others.length === 0 ? 'it there, or remove it' : 'them there, or remove them one by one';
  return { text: `Correct ${them} with {command}.`, command: ['config', 'unset', key] };
}
