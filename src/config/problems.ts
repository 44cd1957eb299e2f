/** What can be wrong with the settings, collected first and told all at once. */

import { visibleLine } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';

/** Where a value came from. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

export interface Problem {
  /** The setting's name, or the unknown key. */
  key: string;
  origin: Origin;
  /** A whole sentence without full stop; never holds the value of a secret. */
  message: string;
}

/** `SETTINGS_INVALID` that tells every problem; `details.problems` has them one by one. */
export function settingsError(problems: readonly Problem[]): RelayError {
  const messages = problems.map(({ message }) => visibleLine(message));
  const text =
    messages.length === 1
      ? `${messages[0]}.`
      : `${messages.length} settings are unusable:\n${messages.map((message) => `  - ${message}`).join('\n')}`;
  return new RelayError('SETTINGS_INVALID', text, {
    remedy: remedyFor(problems),
    details: { problems: [...problems] },
  });
}

/** A value for a message: short, and without a password that stands in a URL. */
export function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/[^/@"]*@/g, '//…@');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function remedyFor(problems: readonly Problem[]): string {
  const inFile = problems.some(({ origin }) => origin === 'file');
  return inFile
    ? 'Correct it there, or with `relay config set` and `relay config unset`.'
    : 'Correct it, or leave it out for the default; `relay config list` shows where each setting comes from.';
}
