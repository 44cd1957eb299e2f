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
  /** A whole sentence without its full stop; never holds the value of a secret. */
  message: string;
  /** What to do, if correcting the value would not help. */
  remedy?: string;
  /** True if the key does not belong in the file, so changing its value would not help. */
  misplaced?: true;
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
      : `${messages.length} problems with the settings:\n${messages.map((message) => `  - ${message}.`).join('\n')}`;
  return new RelayError('SETTINGS_INVALID', text, {
    remedy: remedy ?? remedyFor(problems),
    details: { problems: [...problems] },
  });
}

/** Returns the text of a value for a message: at most 80 characters, with "…" in place of the user and password of a URL. */
export function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/.*@/g, '//…@');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function remedyFor(problems: readonly Problem[]): string | Remedy {
  const own = problems.find(({ remedy }) => remedy)?.remedy;
  if (own) return own;
  const it = problems.length === 1 ? 'it' : 'them';
  if (problems.some(({ misplaced }) => misplaced)) {
    const [key, how] = problems.length === 1 ? [problems[0]?.key ?? '', ''] : ['KEY', ' one by one'];
    // A key can be any text. If a shell might change it, the remedy shows no command.
    if (!/^\w[\w.-]{0,63}$/.test(key)) return `Correct ${it} there, or remove ${it}.`;
    const text = `Correct ${it} there, or remove ${it}${how} with {command}.`;
    return { text, command: ['config', 'unset', key] };
  }
  // "there": a message about a value in a file names the file.
  return problems.some(({ origin }) => origin === 'file')
    ? { text: `Correct ${it} there, or with {command}.`, command: ['config', 'set'] }
    : `Correct ${it}, or remove ${it} to use the default.`;
}
