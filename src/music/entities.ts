/** Characters as HTML writes them, such as `&amp;`. Lists copied from a page's source, and exports of some programs, have them. */

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/giu;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  hellip: '…',
  middot: '·',
  bull: '•',
  oslash: 'ø',
  Oslash: 'Ø',
  aelig: 'æ',
  AElig: 'Æ',
  szlig: 'ß',
};

/** `eacute` is "é": a letter, then its mark. */
const MARKED_LETTER = /^([A-Za-z])(acute|grave|circ|tilde|uml|ring|cedil)$/u;
const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  cedil: '\u0327',
};

/** The text with each entity replaced by its character. Unknown entities, and those of control characters, stay as they are. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (written, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return namedCharacter(name) ?? written;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (code > 0x10ffff) return written;
    const character = String.fromCodePoint(code);
    return /\p{C}/u.test(character) ? written : character;
  });
}

function namedCharacter(name: string): string | undefined {
  if (Object.hasOwn(NAMED, name)) return NAMED[name];
  const [, letter = '', mark = ''] = MARKED_LETTER.exec(name) ?? [];
  return letter === '' ? undefined : `${letter}${MARKS[mark]}`.normalize('NFC');
}
