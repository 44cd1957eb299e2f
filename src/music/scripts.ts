/**
 * Writes names from other scripts roughly in Latin letters. That is good enough to rank candidates that a person chooses from,
 * but never to decide that two names match.
 */
import { foldLetters } from './letters.ts';

/** Scripts, each with a pattern of its letters. */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Hebrew',
  'Arabic',
  'Hangul',
  'Katakana',
  'Hiragana',
  'Han',
].map((script) => ({ script, letter: new RegExp(`\\p{Script=${script}}`, 'gu') }));

/** The Latin form of each letter. In the lines below, letters and forms alternate; the form `-` drops the letter. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic.
    'а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch',
    'ъ - ы y ь - э e ю yu я ya і i ї yi є ye ґ g ў u ј j љ lj њ nj ћ c ђ dj џ dz',
    // Greek.
    'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s τ t υ y φ f χ ch ψ ps ω o',
    // Hebrew and Arabic: mostly consonants, since short vowels are usually not written.
    'א - ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך k ל l מ m ם m נ n ן n ס s ע - פ p ף p צ ts ץ ts ק k ר r ש sh ת t',
    'ا a ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع - غ gh ف f ق q ك k ل l م m ن n ه h و w ي y ة a ئ y ؤ w ء -',
    // Katakana, with voiced and small letters. `romanised` first turns hiragana into katakana.
    'ア a イ i ウ u エ e オ o カ ka キ ki ク ku ケ ke コ ko サ sa シ shi ス su セ se ソ so タ ta チ chi ツ tsu テ te ト to',
    'ナ na ニ ni ヌ nu ネ ne ノ no ハ ha ヒ hi フ fu ヘ he ホ ho マ ma ミ mi ム mu メ me モ mo ヤ ya ユ yu ヨ yo',
    'ラ ra リ ri ル ru レ re ロ ro ワ wa ヲ o ン n ガ ga ギ gi グ gu ゲ ge ゴ go ザ za ジ ji ズ zu ゼ ze ゾ zo ダ da',
    'ヂ ji ヅ zu デ de ド do バ ba ビ bi ブ bu ベ be ボ bo パ pa ピ pi プ pu ペ pe ポ po ヴ vu ァ a ィ i ゥ u ェ e ォ o',
    'ャ ya ュ yu ョ yo ッ - ー -',
  ].flatMap((line) => {
    const parts = line.split(' ');
    return parts.flatMap((letter, n): [string, string][] =>
      n % 2 === 0 ? [[letter, (parts[n + 1] ?? '').replace('-', '')]] : [],
    );
  }),
);

/** Latin forms of the parts of a Hangul syllable, in Unicode order; `-` for a part that is silent or missing. */
const HANGUL_FIRST = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ');
const HANGUL_VOWEL = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ');
const HANGUL_LAST = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ');

/** The script that most letters of `text` are in; null if no letter is in a known script. */
export function scriptOf(text: string): string | null {
  if (/^[ -~]*[a-z][ -~]*$/i.test(text)) return 'Latin';
  const counts = SCRIPTS.map(({ script, letter }) => ({ script, count: text.match(letter)?.length ?? 0 }));
  const most = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return most.count === 0 ? null : most.script;
}

/** `text` in Latin letters, digits and spaces. All other characters, such as Han and punctuation, are dropped. */
export function romanised(text: string): string {
  const folded = foldLetters(text).replace(/[\u3041-\u3096]/gu, (kana) =>
    String.fromCodePoint((kana.codePointAt(0) ?? 0) + 0x60),
  );
  return [...folded]
    .map((letter) => LETTERS.get(letter) ?? hangul(letter) ?? letter)
    .join('')
    .replace(/[^\p{Script=Latin}\p{N} ]/gu, '');
}

function hangul(syllable: string): string | undefined {
  const at = (syllable.codePointAt(0) ?? 0) - 0xac00;
  if (at < 0 || at >= 19 * 21 * 28) return undefined;
  const first = HANGUL_FIRST[Math.floor(at / (21 * 28))];
  const vowel = HANGUL_VOWEL[Math.floor((at % (21 * 28)) / 28)];
  return `${first}${vowel}${HANGUL_LAST[at % 28]}`.replace(/-/gu, '');
}
