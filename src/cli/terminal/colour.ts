/**
 * Colours of a terminal, by the forms that relay's own lines have: marks of a state, the start of an error, the head of a
 * table. They are put on lines that are clean and laid out already. So widths do not change, and text from outside can at
 * most have a line of its own coloured. Pure.
 */

const START = '\u001b[';
const END = '\u001b[0m';

/** In the order in which they are tried; the first group is what is coloured. 1 is bold, 2 faint, 31 to 33 are red, green, yellow. */
const FORMS: ReadonlyArray<readonly [form: RegExp, style: string]> = [
  [/^(✓)(?= )/u, '32'],
  [/^(✗)(?= )/u, '31'],
  [/^(!)(?= )/, '33'],
  [/^(relay:)(?= )/, '1;31'],
  // Words in capitals, two spaces apart.
  [/^([A-Z0-9#]+(?: [A-Z0-9]+)*(?: {2,}[A-Z0-9#]+(?: [A-Z0-9]+)*)+)$/, '2'],
];

/** The lines of `text` with the colours of what they are. */
export function coloured(text: string): string {
  return text.split('\n').map(colouredLine).join('\n');
}

function colouredLine(line: string): string {
  const [form, style] = FORMS.find(([one]) => one.test(line)) ?? [];
  return form ? line.replace(form, `${START}${style}m$1${END}`) : line;
}

/** Whether a person wants colours (no-color.org) and the terminal knows them. */
export function wantsColour({ NO_COLOR: no = '', TERM: kind }: NodeJS.ProcessEnv): boolean {
  return no === '' && kind !== 'dumb';
}
