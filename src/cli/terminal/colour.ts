/**
 * Colours for a terminal: for state marks and `relay:` at the start of a line, and for the head of a table. Lines are coloured
 * after they are cleaned and laid out. So widths do not change, and text from outside can at worst colour its own line. Pure.
 */

const START = '\u001b[';
const END = '\u001b[0m';

/** Forms of lines, tried in order. The first group of a form gets its style: 1 bold, 2 faint, 31 to 33 red, green, yellow. */
const FORMS: ReadonlyArray<readonly [form: RegExp, style: string]> = [
  [/^(✓)(?= )/u, '32'],
  [/^(✗)(?= )/u, '31'],
  [/^(!)(?= )/, '33'],
  [/^(relay:)(?= )/, '1;31'],
  // Words in capitals, two spaces apart.
  [/^([A-Z0-9#]+(?: [A-Z0-9]+)*(?: {2,}[A-Z0-9#]+(?: [A-Z0-9]+)*)+)$/, '2'],
];

/** Returns the lines of `text`, each coloured as its form in `FORMS` says. */
export function coloured(text: string): string {
  return text.split('\n').map(colouredLine).join('\n');
}

function colouredLine(line: string): string {
  const [form, style] = FORMS.find(([one]) => one.test(line)) ?? [];
  return form ? line.replace(form, `${START}${style}m$1${END}`) : line;
}

/** True if the person wants colours (no-color.org) and the terminal supports them. */
export function wantsColour({ NO_COLOR: no = '', TERM: kind }: NodeJS.ProcessEnv): boolean {
  return no === '' && kind !== 'dumb';
}
