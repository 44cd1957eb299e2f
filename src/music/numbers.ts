/** Numbers of parts and volumes in one form: "Pt. II", "Part 2" and "Part Two" are equal. */

const WORDS = 'one two three four five six seven eight nine ten'.split(' ');
const ROMAN = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'.split(' ');

const COUNTED: Readonly<Record<string, string>> = {
  part: 'part',
  parts: 'part',
  pt: 'part',
  pts: 'part',
  volume: 'volume',
  vol: 'volume',
  chapter: 'chapter',
};
const NUMBERED = new RegExp(
  `\\b(${Object.keys(COUNTED).join('|')})(?: ?(\\d+)| (${[...WORDS, ...ROMAN].join('|')}))\\b`,
  'gu',
);

/**
 * A normalised name with its part, volume and chapter numbers as digits. Numerals without such a word stay as they are:
 * "Plinth II" is not "Plinth 2", since a lone "I" or "V" is more often a word.
 */
export function withPlainNumbers(normalised: string): string {
  return normalised.replace(NUMBERED, (_, word: string, digits?: string, spelt?: string) => {
    return `${COUNTED[word]} ${digits === undefined ? numeralValue(spelt ?? '') : Number(digits)}`;
  });
}

function numeralValue(spelt: string): number {
  return 1 + Math.max(WORDS.indexOf(spelt), ROMAN.indexOf(spelt));
}
