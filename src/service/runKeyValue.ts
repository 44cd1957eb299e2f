/** The value under the Windows Run key. Pure. */
import { RelayError } from '../domain/errors.ts';

export const RUN_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
/** Where Task Manager keeps which startup apps the user has disabled. */
export const APPROVED_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`;
export const VALUE = 'relay';

/** Windows does not run longer commands (Microsoft's page "Run and RunOnce Registry Keys"). */
const MAX_LENGTH = 260;

/** `start /min`: otherwise the console window of the server would cover the desktop at each login. */
const START = 'cmd.exe /d /c start "relay" /min';

/** Returns the value's data for a command. Throws `SERVICE_FAILED` for a command that Windows would not run unchanged. */
export function runValue(command: readonly string[]): string {
  const text = [START, ...command.map(windowsWord)].join(' ');
  if (command.some((word) => word.includes('"'))) {
    throw unusable('contains a quotation mark, which ends a quoted word for cmd.exe', text);
  }
  if (/%[^%]+%/.test(text)) {
    throw unusable('contains two percent signs, which cmd.exe would read as a variable', text);
  }
  if (text.length > MAX_LENGTH) throw unusable(`is longer than ${MAX_LENGTH} characters`, text);
  return text;
}

function unusable(why: string, text: string): RelayError {
  return new RelayError('SERVICE_FAILED', `The command to start at login ${why}: ${text}`, {
    remedy: 'Move the program or its home to another path, then run this again.',
  });
}

/** Quotes a word for Microsoft's C runtime, where a backslash is special only before a quotation mark. */
function windowsWord(word: string): string {
  if (/^[\w\\:./-]+$/.test(word)) return word;
  return `"${word.replace(/\\+$/, '$&$&')}"`;
}

export function addArgs(data: string): string[] {
  return ['add', RUN_KEY, '/v', VALUE, '/t', 'REG_SZ', '/d', data, '/f'];
}

/** Reads the data from the output of `reg query`; null if the value does not exist. */
export function queriedData(printed: string): string | null {
  return /^\s*relay\s+REG_(?:EXPAND_)?SZ\s+(.*?)\s*$/m.exec(printed)?.[1] ?? null;
}

/** True if relay wrote the data, which then begins with `START`. */
export function isOurData(data: string): boolean {
  return data.startsWith(START);
}

/**
 * True if `printed`, the output of `reg`, may be `data`. `reg` prints in the console's code page, where a character beyond
 * ASCII may be several bytes, another character or a question mark. So the comparison accepts anything in place of such a
 * character.
 */
export function isSameData(printed: string, data: string): boolean {
  const pattern = [...data].map((letter) =>
    /[ -~]/.test(letter) ? letter.replace(/[^\w ]/, '\\$&') : '.{1,4}',
  );
  return new RegExp(`^${pattern.join('')}$`, 's').test(printed);
}

/**
 * True if the user has disabled relay in Task Manager: then the first byte of the value is odd.
 * @param printed what `reg query` prints of `APPROVED_KEY`
 */
export function isSwitchedOff(printed: string): boolean {
  const [, first] = /^\s*relay\s+REG_BINARY\s+([0-9A-F]{2})/im.exec(printed) ?? [];
  return first !== undefined && Number.parseInt(first, 16) % 2 === 1;
}
