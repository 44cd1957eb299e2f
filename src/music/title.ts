/**
 * Parses a title into the song, its guests, and notes on the recording. The words of notes are here: add new ones only to the
 * tables below.
 */
import { memoised } from '../base/memoised.ts';
import { normaliseName, splitNames, tidy, withPlainNumbers } from './names.ts';

/** What makes another recording, with the normalised phrases for each. */
const VERSIONS = {
  live: 'recorded live,live,in concert,en concert,en vivo,ao vivo,en directo,dal vivo,en public,ライブ,ライヴ,라이브,концерт',
  remix: 'remixed,remix,re mix,rmx,reworked,rework,bootleg,refix,リミックス,ремикс',
  extended: 'extended,12 inch,12 version,12 mix,long version',
  acoustic: 'acoustic,unplugged,acustico,acustica,acoustique,akustik,акустика',
  stripped: 'stripped down,stripped back,stripped',
  instrumental: 'instrumentals,instrumental,instrumentale,inst,no vocals,off vocal',
  'a cappella': 'a cappella,a capella,acappella,acapella,vocals only',
  'sped up': 'sped up,speed up,spedup',
  nightcore: 'nightcore',
  slowed: 'slowed down,slowed',
  reverb: 'reverbed,reverb',
  '8d': '8d audio,8d',
  karaoke: 'karaoke,backing track,sing along,originally performed by,made famous by,in the style of,カラオケ',
  cover: 'cover version,cover',
  tribute: 'tribute version,a tribute to,tribute to,a tribute,tribute',
  demo: 'home demo,early demo,rough demo,demos,demo',
  alternate: 'alternate take,alternate,alternative,alt,outtake,early take,early version',
  rehearsal: 'rehearsal',
  're-recorded': 're recorded,rerecorded,re recording,rerecording,new recording',
  mixed: 'mixed',
} as const;

/** `version` is any other named version, such as "French Version". */
export type Version = keyof typeof VERSIONS | 'version';

/** What a note may say without making another recording; `none` means nothing at all. */
const NOTES = {
  remaster: 'digitally remastered,digital remaster,remastered,remaster,remasterizado,remasterise',
  edit: 'video edit,short version,7 inch,7 version,7 mix,edit,radio,single',
  mono: 'monaural,mono',
  clean: 'clean,censored',
  explicit: 'uncensored,explicit,dirty',
  none:
    'stereo,album,lp,ep,original,full length,full hd,full,studio,official,oficial,ufficiale,offizielles,music video,lyric video,' +
    'lyrics video,with lyrics,con letra,video clip,videoclip,clip officiel,clipe oficial,video officielle,musikvideo,video,lyrics,' +
    'letra,visualizer,visualiser,audio,hd,hq,uhd,4k,8k,1080p,720p,60fps,mv,m v,high quality,bonus,hidden track,super deluxe,' +
    'deluxe,expanded,special edition,anniversary edition,anniversary version,collectors edition,reissue,main version,us version,' +
    'uk version,international version,soundtrack,dolby atmos,spatial audio,клип,официальный клип,текст песни,가사,歌詞付き',
} as const;
export type Note = Exclude<keyof typeof NOTES, 'none'>;

/** Words that neither make a note nor prevent one from being recognised. */
const FILLERS = new Set(
  'version ver mix edition recording session sessions take track performance the and'.split(' '),
);
/** Words between a version and its place or maker: "Live at …", "Remixed by …". */
const PLACE = new Set('at in from on with by auf aus im en desde bei au'.split(' '));
/** First words of a subtitle, never of a remixer's name: "In the Mix". */
const NOT_A_NAME = new Set('in on to of for from my your i we'.split(' '));
/** Words after "with" and its translations that continue a title ("With You") rather than name a guest. */
const NOT_A_GUEST = new Set(
  (
    'me you us him her them it or a an my your his our their no all every some this that love without ' +
    'te ti el ella mi tu su la los las un una moi toi lui elle nous vous le les une mon ton son ' +
    'mir dir ihm ihr uns euch dem der den einem einer mim voce ele ela'
  ).split(' '),
);
/** Where a song comes from, or who produced it: (From the Film …), (… Motion Picture Soundtrack), (Prod. by …). */
const SOURCE =
  /^(?:music |theme )?from (?:the )?(?:original )?(?:film|movie|motion picture|series|musical|soundtrack)\b|\b(?:motion picture|soundtrack)(?: (?:album|recording|version))?$|^(?:prod\.?|produced)(?: by)? \S/iu;
/** (From "…"), with what follows the name. */
const FROM_QUOTED = /^(?:music |theme )?from (?:the )?["'“”«].+["'“”»](.*)$/iu;
/** A later mix of the same tapes, as on reissues. */
const YEAR_MIX = /^(?:new )?(\d{4}) (?:stereo |mono )?mix$/u;

/** Longer phrases come first, so that they are recognised before their parts. */
const PHRASES = Object.entries({ ...VERSIONS, ...NOTES })
  .flatMap(([kind, phrases]) => phrases.split(',').map((phrase) => ({ kind, phrase })))
  .sort((a, b) => b.phrase.length - a.phrase.length);

export interface ParsedTitle {
  /** The whole title as given. */
  readonly written: string;
  /** The song's name as written, for a search. */
  readonly plain: string;
  /** The song's name, normalised; empty only for blank titles. */
  readonly base: string;
  /** What makes this recording another one, each with its normalised remixer, place, year or name; '' if the note gives none. */
  readonly versions: ReadonlyMap<Version, string>;
  /** What does not, each with its year; '' if the note gives none. */
  readonly notes: ReadonlyMap<Note, string>;
  readonly guests: readonly string[];
  /** The normalised text of the notes that name a version. */
  readonly versionText: string;
}

interface NoteReading {
  readonly versions: ReadonlyMap<Version, string>;
  readonly notes: ReadonlyMap<Note, string>;
  readonly text: string;
  /** Parts that are not notes and stay in the title. */
  readonly rest: readonly string[];
}

interface Taken {
  readonly readings: NoteReading[];
  readonly guests: string[];
}

const MAX_TITLE = 300;
/** The innermost bracket. One that is not closed reaches to the end. */
const BRACKET = /[([{【〔]([^()[\]{}【】〔〕]*)(?:[)\]}】〕]|$)/u;
const DASH = /\s+-+\s+/u;
const GUESTS_AFTER_CUE = /^(?:feat|ft|featuring)\b\.?:?\s*(.+)$/iu;
/** Except for "w/", these words are common in titles, so they count only in a note. */
const GUESTS_IN_NOTE = /^(?:(?:duet )?with|w\/|con|avec|mit|com)\s+(.+)$/iu;
/** Guests at the end of a title or a note. "No small feat" and "six ft deep" name none, but "feat." always does. */
const GUESTS_AT_END =
  /^(.*?)\s+(?:feat\.:?|(?<!\b(?:a|no)\s+)(?:feat|featuring)\b:?|(?<!(?:\d|\b(?:a|one|two|three|four|five|six|ten))\s+)ft\b\.?:?|w\/)\s+(?!of\b)(.+)$/iu;
const REMASTER_AT_END = /\s+((?:\d{4} )?(?:digital(?:ly)? )?remaster(?:ed)?(?: \d{4})?(?: version)?)$/iu;
/** Where the names of guests end: "Plinth feat. Someone, Pt. 2", "Plinth feat. Someone - Demmo". */
const AFTER_GUESTS = /,?\s+(?=(?:pt|part|vol|volume)\b\.?\s*(?:\d|[ivx]+\b|one|two|three|four))|\s+-+\s+/iu;

/** Guests and notes count in brackets or after a dash; "feat.", "w/" and "Remaster" also at the end. "(Live)" alone stays whole. */
export const parseTitle: (title: string) => ParsedTitle = memoised(2_000, (written) => {
  const taken: Taken = { readings: [], guests: [] };
  const whole = tidy(written).slice(0, MAX_TITLE);
  const plain = takeEnd(takeDashed(takeBracketed(whole, taken), taken), taken);
  return plain === ''
    ? titleOf(written, written.trim(), { readings: [], guests: [] })
    : titleOf(written, plain, taken);
});

function titleOf(written: string, name: string, { readings, guests }: Taken): ParsedTitle {
  const note = joined(readings);
  const plain = [name, ...note.rest].join(' ');
  return {
    written,
    plain,
    base: withPlainNumbers(normaliseName(plain)),
    versions: note.versions,
    notes: note.notes,
    guests: [...new Set(guests.map(normaliseName))],
    versionText: note.text,
  };
}

/** Takes guests and versions out of a note. Returns false if the text is a part of the title. */
function takeNote(content: string, taken: Taken): boolean {
  const guests = guestsOf(content.trim());
  if (guests !== undefined) {
    taken.guests.push(...splitNames(guests));
    return true;
  }
  const [, note = content, more] = GUESTS_AT_END.exec(content) ?? [];
  const reading = readNote(note);
  if (!reading) return false;
  taken.readings.push(reading);
  if (more) taken.guests.push(...splitNames(more));
  return true;
}

function guestsOf(content: string): string | undefined {
  const cued = GUESTS_AFTER_CUE.exec(content)?.[1];
  if (cued !== undefined) return cued;
  const guests = GUESTS_IN_NOTE.exec(content)?.[1];
  const [first = ''] = normaliseName(guests ?? '').split(' ');
  return NOT_A_GUEST.has(first) ? undefined : guests;
}

function takeBracketed(title: string, taken: Taken): string {
  let text = title;
  for (let found = BRACKET.exec(text); found; found = BRACKET.exec(text)) {
    const [group, content = ''] = found;
    const kept = takeNote(content, taken) ? ' ' : ` ${content} `;
    text = text.slice(0, found.index) + kept + text.slice(found.index + group.length);
  }
  return text.replace(/\s+/gu, ' ').trim();
}

/** Takes the notes after dashes. The longest tail is tried first, since "2011 - Remaster" is one note. */
function takeDashed(text: string, taken: Taken): string {
  const [song = '', ...segments] = text.split(DASH);
  const kept = [song];
  for (const [at, segment] of segments.entries()) {
    const tail = segments.slice(at).join(' ');
    if (isOnlyNote(tail) && takeNote(tail, taken)) break;
    if (!takeNote(segment, taken)) kept.push(segment);
  }
  return kept.join(' - ').trim();
}

function takeEnd(text: string, taken: Taken): string {
  const remaster = REMASTER_AT_END.exec(text);
  const song = remaster ? text.slice(0, remaster.index) : text;
  if (remaster?.[1]) takeNote(remaster[1], taken);
  const [, before = song, guests] = GUESTS_AT_END.exec(song) ?? [];
  if (guests === undefined) return song;
  const [names = '', ...rest] = guests.split(AFTER_GUESTS);
  // "Plinth feat Someone Remix": without brackets, nobody can tell the guest from the remixer.
  const note = isOnlyNote(names) ? null : readNote(names);
  if (note) taken.readings.push(note);
  else taken.guests.push(...splitNames(names));
  return [before, ...rest].join(' ');
}

/** True for text in which every word belongs to a note: "Live", "Radio Edit", but not "Someone Remix". */
export function isOnlyNote(text: string): boolean {
  return readClosed(withPlainNumbers(normaliseName(text))) !== null;
}

const NOTE_PARTS = /\s*[,;|]\s*|\s\/\s|\s-\s/u;

/** What a note says; null for text that is a part of the title. */
export function readNote(content: string): NoteReading | null {
  const whole = withPlainNumbers(normaliseName(content));
  const closed = readClosed(whole);
  if (closed || isSource(content.trim())) return closed ?? reading({});
  return readParts(content.split(NOTE_PARTS)) ?? readOpen(whole);
}

function isSource(content: string): boolean {
  const [, more] = FROM_QUOTED.exec(content) ?? [];
  return more === undefined ? SOURCE.test(content) : more === '' || isOnlyNote(more);
}

/** Reads the parts of a note; null if the first is not a note itself. After "live", a part that is not a note is the place. */
function readParts(written: readonly string[]): NoteReading | null {
  const parts = written.filter((part) => part.trim() !== '');
  const readings = parts.map((part) => {
    const text = withPlainNumbers(normaliseName(part));
    return readClosed(text) ?? readOpen(text);
  });
  const [first] = readings;
  if (!first || parts.length < 2) return null;
  return joined(
    readings.map((one, at) => {
      const part = parts[at] ?? '';
      if (one || !first.versions.has('live')) return one ?? reading({ rest: [part] });
      return reading({ versions: new Map([['live', normaliseName(part)]]), text: normaliseName(part) });
    }),
  );
}

/** Reads a note in which every word is known; null for other text. */
function readClosed(text: string): NoteReading | null {
  const [, yearOfMix] = YEAR_MIX.exec(text) ?? [];
  if (yearOfMix !== undefined) return reading({ notes: new Map([['remaster', yearOfMix]]) });
  const { kinds, words } = recognised(text);
  if (words.some(isUnknown)) return null;
  const year = words.find(isYear) ?? '';
  if (kinds.size === 0) {
    const isNamed = year !== '' && words.includes('version');
    return isNamed ? reading({ versions: new Map([['version', year]]), text }) : null;
  }
  return readingOf(kinds, year, text);
}

/** Reads a note that also has unknown words: a place, a remixer, the name of a version, the original artist. */
function readOpen(text: string): NoteReading | null {
  const { kinds, words } = recognised(text);
  const ofOthers = (['karaoke', 'tribute'] as const).find((kind) => kinds.has(kind));
  if (ofOthers) return reading({ versions: new Map([[ofOthers, '']]), text: ofOthers });
  return readPlaced(text) ?? readNamed(text, kinds, words);
}

/** "Live at Brask Hall", "Remixed by Someone". */
function readPlaced(text: string): NoteReading | null {
  const words = text.split(' ');
  const at = words.findIndex((word, n) => n > 0 && PLACE.has(word) && !(word === 'en' && n < 2));
  const head = at > 0 ? readClosed(words.slice(0, at).join(' ')) : null;
  const place = words.slice(at + 1).join(' ');
  const kind = head?.versions.has('live') ? 'live' : head?.versions.keys().next().value;
  if (!head || kind === undefined || place === '') return null;
  return { ...head, versions: new Map([...head.versions, [kind, place]]), text };
}

/** "Someone Remix", "Someone Extended Mix", "French Version": unknown words, then the kind of version that they name. */
function readNamed(text: string, kinds: ReadonlySet<string>, words: readonly string[]): NoteReading | null {
  const first = words.findIndex(isUnknown);
  const last = words.findLastIndex(isUnknown);
  const name = words.slice(first, last + 1).filter((word) => word !== KNOWN);
  const end = words[last] ?? '';
  const tail = text.slice(text.lastIndexOf(end) + end.length);
  const isRemix = kinds.has('remix') || /\b(?:mix|edit)\b/u.test(tail);
  if (tail === '' || NOT_A_NAME.has(words[0] ?? '') || !(isRemix || /\bver(?:sion)?\b/u.test(tail)))
    return null;
  const others = new Set([...kinds].filter((kind) => kind !== 'edit'));
  const known = readingOf(others, words.find(isYear) ?? '', text);
  const version = isRemix ? ('remix' as const) : ('version' as const);
  return { ...known, versions: new Map([...known.versions, [version, name.join(' ')]]), text };
}

/** Stands for a phrase that has been recognised. */
const KNOWN = '\u0001';

function recognised(text: string): { kinds: ReadonlySet<string>; words: readonly string[] } {
  const kinds = new Set<string>();
  let left = ` ${text} `;
  for (const { kind, phrase } of PHRASES) {
    if (!left.includes(` ${phrase} `)) continue;
    left = left.replace(` ${phrase} `, ` ${KNOWN} `);
    kinds.add(kind);
  }
  return { kinds, words: left.trim().split(' ') };
}

/** A note with these kinds of phrases. The year is that of the remaster, else of the live recording. */
function readingOf(kinds: ReadonlySet<string>, year: string, text: string): NoteReading {
  const isRemaster = kinds.has('remaster');
  const versions = [...kinds].filter((kind): kind is Version => kind in VERSIONS);
  const notes = [...kinds].filter((kind): kind is Note => kind in NOTES && kind !== 'none');
  return reading({
    versions: new Map(versions.map((kind) => [kind, kind === 'live' && !isRemaster ? year : ''])),
    notes: new Map(notes.map((kind) => [kind, kind === 'remaster' ? year : ''])),
    ...(versions.length > 0 && { text }),
  });
}

function reading(part: Partial<NoteReading>): NoteReading {
  return { versions: new Map(), notes: new Map(), text: '', rest: [], ...part };
}

function joined(readings: readonly NoteReading[]): NoteReading {
  const inOne = <K>(maps: readonly ReadonlyMap<K, string>[]) => {
    const all = new Map<K, string>();
    for (const [kind, detail] of maps.flatMap((map) => [...map]))
      all.set(kind, `${all.get(kind) ?? ''} ${detail}`.trim());
    return all;
  };
  return {
    versions: inOne(readings.map(({ versions }) => versions)),
    notes: inOne(readings.map(({ notes }) => notes)),
    text: readings.flatMap(({ text }) => text || []).join(' '),
    rest: readings.flatMap(({ rest }) => rest),
  };
}

/** The words of a version that tell which one it is, for a search: "live brask" of "live at brask". */
export function tellingWords({ versionText }: ParsedTitle): string {
  const words = versionText.split(' ').filter((word) => !PLACE.has(word) && !isFiller(word));
  return [...new Set(words)].join(' ');
}

/** A key that is equal for the same kinds of version, whatever their order. */
export function kindsKey(versions: ReadonlyMap<Version, string>): string {
  return [...versions.keys()].sort().join(',');
}

/** True if two details may mean the same version. A place may be shorter ("Brask" for "Brask Hall"); any other must be equal. */
export function sameDetail(version: Version, a: string, b: string): boolean {
  if (version !== 'live') return a.replaceAll(' ', '') === b.replaceAll(' ', '');
  const wordsOf = (place: string) => place.split(' ').filter((word) => word !== 'the' && !PLACE.has(word));
  const [fewer = [], more = []] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.length - y.length);
  return fewer.every((word) => more.includes(word));
}

/** Short words of versions, in which one other letter is no typo: "Life" is not "Live". */
export const SHORT_VERSION_WORDS: ReadonlySet<string> = new Set(
  Object.values(VERSIONS)
    .flatMap((phrases) => phrases.split(','))
    .filter((phrase) => phrase.length < 6),
);

function isUnknown(word: string): boolean {
  return word !== KNOWN && !isFiller(word);
}

/** True for fillers, years, numbers of two digits (short years) and ordinals ("25th"). */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || isYear(word) || /^\d{2}$|^\d+(?:st|nd|rd|th)$/u.test(word);
}

function isYear(word: string): boolean {
  return /^(?:19|20)\d{2}$/u.test(word);
}
