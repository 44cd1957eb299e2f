/** The value under the Run key of Windows, as text. Pure. */
import { RelayError } from '../domain/errors.ts';

export const RUN_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
/** Where the Task Manager remembers what the person switched off. */
export const APPROVED_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`;
export const VALUE = 'relay';

/** Windows runs no longer command from there ("Run and RunOnce Registry Keys"). */
const LONGEST = 260;

/** `start /min`: the server is a console program, whose window would otherwise cover the desktop at each login. */
const START = 'cmd.exe /d /c start "relay" /min';

/** The value's data. Throws `SERVICE_FAILED` for a command that Windows would not run as it stands. */
export function runValue(command: readonly string[]): string {
  const text = [START, ...command.map(windowsWord)].join(' ');
  if (/%[^%]+%/.test(text)) {
    throw unusable('has two percent signs, between which the command processor expects a variable', text);
  }
  if (text.length > LONGEST) throw unusable(`is longer than ${LONGEST} characters`, text);
  return text;
}

function unusable(why: string, text: string): RelayError {
  return new RelayError('SERVICE_FAILED', `The command to start at login ${why}: ${text}`, {
    remedy: 'Move the program or its home to another path, then run this again.',
  });
}

/** As Microsoft's C runtime takes arguments apart: backslashes count only before a quote. */
function windowsWord(word: string): string {
  if (/^[\w\\:./-]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`;
}

export function addArgs(data: string): string[] {
  return ['add', RUN_KEY, '/v', VALUE, '/t', 'REG_SZ', '/d', data, '/f'];
}

/** The data in what `reg query` printed. */
export function queriedData(printed: string): string | null {
  return /^\s*relay\s+REG_(?:EXPAND_)?SZ\s+(.*?)\s*$/m.exec(printed)?.[1] ?? null;
}

/** Only `cmd /c start "relay"` is a form that this program writes. */
export function isOurData(data: string): boolean {
  return data.startsWith(START);
}

/**
 * Whether `printed` by `reg` is `data`. It prints in the console's code page, in which a letter may be several bytes, another
 * letter or a question mark, so anything is taken for a letter beyond ASCII.
 */
export function isSameData(printed: string, data: string): boolean {
  const pattern = [...data].map((letter) =>
    /[ -~]/.test(letter) ? letter.replace(/[^\w ]/, '\\$&') : '.{1,4}',
  );
  return new RegExp(`^${pattern.join('')}$`, 's').test(printed);
}

/** The first byte is odd where the person switched it off. */
export function isSwitchedOff(printed: string): boolean {
  const [, first] = /^\s*relay\s+REG_BINARY\s+([0-9A-F]{2})/im.exec(printed) ?? [];
  return first !== undefined && Number.parseInt(first, 16) % 2 === 1;
}
