/** The words of version notes, normalised. Add a new word to one of these lists and nowhere else. */
import { placesBy } from '../base/lists.ts';

/** The versions that separate recordings, with the phrases for each. */
const VERSION_PHRASES = {
  live: [
    'live',
    'recorded live',
    'in concert',
    'en concert',
    'en vivo',
    'ao vivo',
    'en directo',
    'dal vivo',
    'en public',
    'ライブ',
    'ライヴ',
    '라이브',
    'концерт',
  ],
  remix: [
    'remix',
    'remixed',
    're mix',
    'rmx',
    'rework',
    'reworked',
    'bootleg',
    'refix',
    'リミックス',
    'ремикс',
  ],
  extended: ['extended', '12 inch', '12 version', '12 mix', 'long version'],
  acoustic: ['acoustic', 'unplugged', 'acustico', 'acustica', 'acoustique', 'akustik', 'акустика'],
  stripped: ['stripped', 'stripped down', 'stripped back'],
  instrumental: ['instrumental', 'instrumentals', 'instrumentale', 'inst', 'no vocals', 'off vocal'],
  'a cappella': ['a cappella', 'a capella', 'acappella', 'acapella', 'vocals only'],
  'sped up': ['sped up', 'speed up', 'spedup'],
  nightcore: ['nightcore'],
  slowed: ['slowed', 'slowed down'],
  reverb: ['reverb', 'reverbed'],
  '8d': ['8d', '8d audio'],
  karaoke: ['karaoke', 'backing track', 'sing along', 'カラオケ'],
  cover: ['cover', 'cover version'],
  tribute: ['tribute', 'a tribute', 'tribute version'],
  demo: ['demo', 'demos', 'home demo', 'early demo', 'rough demo'],
  alternate: ['alternate', 'alternative', 'alt', 'outtake', 'early take', 'early version', 'alternate take'],
  rehearsal: ['rehearsal'],
  're-recorded': ['re recorded', 'rerecorded', 're recording', 'rerecording', 'new recording'],
  mixed: ['mixed'],
} as const satisfies Record<string, readonly string[]>;

/** `version` is any other named version, such as "French Version". */
export type Version = keyof typeof VERSION_PHRASES | 'version';

/** Notes that a request may name, but that do not make another recording. */
export type Note = 'remaster' | 'edit' | 'mono' | 'clean' | 'explicit';

/** Phrases that do not separate recordings; phrases under `none` mean nothing at all. */
const NOTE_PHRASES = {
  remaster: [
    'remaster',
    'remastered',
    'digital remaster',
    'digitally remastered',
    'remasterizado',
    'remasterise',
  ],
  edit: ['edit', 'radio', 'single', 'short version', '7 inch', '7 version', '7 mix', 'video edit'],
  mono: ['mono', 'monaural'],
  clean: ['clean', 'censored'],
  explicit: ['explicit', 'uncensored', 'dirty version'],
  none: [
    'stereo',
    'album',
    'lp',
    'ep',
    'original',
    'full',
    'full length',
    'studio',
    'official',
    'video',
    'music video',
    'lyrics',
    'lyric video',
    'visualizer',
    'visualiser',
    'audio',
    'hd',
    'hq',
    '4k',
    'bonus',
    'hidden track',
    'deluxe',
    'super deluxe',
    'expanded',
    'special edition',
    'anniversary edition',
    'anniversary version',
    'collectors edition',
    'reissue',
    'main version',
    'us version',
    'uk version',
    'international version',
    'soundtrack',
    'dolby atmos',
    'spatial audio',
    'lyrics video',
    'with lyrics',
    'video clip',
    'videoclip',
    'musikvideo',
    'mv',
    'm v',
    'uhd',
    'full hd',
    '8k',
    '1080p',
    '720p',
    '60fps',
    'high quality',
    'clip officiel',
    'video officielle',
    'oficial',
    'clipe oficial',
    'videoclip oficial',
    'offizielles',
    'ufficiale',
    'letra',
    'con letra',
    'клип',
    'официальный клип',
    'текст песни',
    '가사',
    '歌詞付き',
  ],
} as const satisfies Record<Note | 'none', readonly string[]>;

/** Words that neither make a note nor prevent one from being recognised. */
const FILLERS = new Set(
  'version ver mix edition recording session sessions take track performance the and'.split(' '),
);

/** Words between a version and its place: "Live at …". */
export const PLACE_WORDS: ReadonlySet<string> = new Set(
  'at in from on with auf aus im en desde bei au'.split(' '),
);

/** First words of a subtitle, never of a remixer's name: "In the Mix". */
export const NOT_A_NAME: ReadonlySet<string> = new Set('in on to of for from my your i we'.split(' '));

/** Words after "with" and its translations that continue a title ("With You") rather than name a guest. */
export const NOT_A_GUEST: ReadonlySet<string> = new Set(
  (
    'me you us him her them it or a an my your his our their no all every some this that love without ' +
    'te ti el ella mi tu su la los las un una moi toi lui elle nous vous le les une mon ton son ' +
    'mir dir ihm ihr uns euch dem der den einem einer mim voce ele ela'
  ).split(' '),
);

/** Anywhere in a note, these say that someone other than the artist performs the song. */
export const KARAOKE_NOTE =
  /\b(?:karaoke|originally performed by|made famous by|in the style of|backing track)\b/u;
export const TRIBUTE_NOTE = /^(?:a )?tribute to\b/u;
/** A later mix of the same tapes, as on reissues. */
export const YEAR_MIX = /^(?:new )?(\d{4}) (?:stereo |mono )?mix$/u;

/**
 * Phrases that lists write after a title without brackets, and that no song is likely to end with. "audio" and "video" alone
 * are removed only in brackets or after a dash.
 */
export const TITLE_ENDINGS: readonly string[] = [
  ...'official music video,official lyrics video,official lyric video,official hd video,official 4k video'.split(
    ',',
  ),
  ...'official video clip,official videoclip,official visualizer,official visualiser'.split(','),
  ...'official video,official audio,official lyrics,official clip,official mv,official m/v'.split(','),
  ...'music video,lyrics video,lyric video,with lyrics,lyrics,video clip,clip officiel,vidéo officielle'.split(
    ',',
  ),
  ...'video oficial,vídeo oficial,videoclip oficial,clipe oficial,audio oficial,lyric video oficial'.split(
    ',',
  ),
  ...'offizielles musikvideo,offizielles video,video ufficiale,audio ufficiale,официальный клип'.split(','),
  ...'full hd,uhd,hd,hq,4k,8k,1080p,720p,60fps,m/v,mv'.split(','),
];

/** Version notes that lists also write without brackets; they do not make another recording. */
export const NOTE_ENDINGS: readonly string[] =
  'radio edit,radio version,single version,single edit,album version,original mix,original version,bonus track'.split(
    ',',
  );

/** What lists write in place of an unknown artist. */
export const NO_ARTIST: ReadonlySet<string> = new Set(
  'various artists,various,va,v a,unknown artist,unknown,n a,none,artist'.split(','),
);

/** Words in a name which say that the artist performs other people's songs. */
export const PERFORMS_OTHERS =
  /\b(?:tributes?|karaoke|covers?|cover band|sing along|backing tracks?|made famous|lullaby|piano guys|string quartet)\b/u;

/** Number words and Roman numerals. A changed letter in one makes another number, so it is no typo. */
export const NUMERALS: ReadonlySet<string> = new Set(
  (
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
    'eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred ' +
    'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'
  ).split(' '),
);

export interface Phrase {
  readonly words: readonly string[];
  readonly version?: Version;
  readonly note?: Note;
}

/** All phrases, longer ones first so that they are recognised before their parts. */
export const PHRASES: readonly Phrase[] = [
  ...phrasesOf(VERSION_PHRASES, (version) => ({ version })),
  ...phrasesOf(NOTE_PHRASES, (note) => (note === 'none' ? {} : { note })),
].sort((a, b) => b.words.length - a.words.length);

const PHRASES_BY_START = placesBy(PHRASES, ({ words: [first] }) => first);

/** The phrases that start with one of `words`, longer ones first. */
export function phrasesFrom(words: readonly string[]): Phrase[] {
  const starts = [...new Set(words)].flatMap((word) => PHRASES_BY_START.get(word) ?? []);
  return starts.sort((a, b) => a - b).flatMap((at) => PHRASES[at] ?? []);
}

function phrasesOf<K extends string>(
  table: Readonly<Record<K, readonly string[]>>,
  meaning: (kind: K) => Omit<Phrase, 'words'>,
): Phrase[] {
  const kinds = Object.keys(table) as K[];
  return kinds.flatMap((kind) => table[kind].map((text) => ({ words: text.split(' '), ...meaning(kind) })));
}

/** True for fillers, years, numbers of two digits (short years) and ordinals ("25th"). */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || isYear(word) || /^\d{2}$|^\d+(?:st|nd|rd|th)$/u.test(word);
}

export function isYear(word: string): boolean {
  return /^(?:19|20)\d{2}$/u.test(word);
}
