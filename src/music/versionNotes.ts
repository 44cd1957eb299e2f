/** Parses one note of a title: the text in brackets or after a dash. */
import { compact, normaliseName, withPlainNumbers } from './normalise.ts';
import {
  isFiller,
  isYear,
  KARAOKE_NOTE,
  NOT_A_NAME,
  type Note,
  type Phrase,
  PLACE_WORDS,
  phrasesFrom,
  TRIBUTE_NOTE,
  type Version,
  YEAR_MIX,
} from './vocabulary.ts';

export interface NoteReading {
  /** The versions that a note names, each with its detail: remixer, place, year or name; '' if the note gives none. */
  readonly versions: ReadonlyMap<Version, string>;
  readonly notes: ReadonlySet<Note>;
  /** The year of a remaster; null if the note names none. */
  readonly year: number | null;
  /** The normalised text of the notes that name a version. */
  readonly text: string;
  /** The words that identify the version, for a search. */
  readonly words: readonly string[];
  /** Parts that are not notes and stay in the title, as written. */
  readonly rest: readonly string[];
}

const PARTS = /\s*[,;|()[\]{}]\s*|\s\/\s|\s-\s/u;
/** Where a song comes from: (From the Film "…"), (From "…"), (… Original Motion Picture Soundtrack). */
const FROM_ELSEWHERE =
  /^(?:music |theme )?from (?:the )?(?:["'“”«]|(?:film|movie|motion picture|series|musical|soundtrack)\b)|motion picture|soundtrack/iu;
const PRODUCED = /^(?:prod\.?|produced)(?: by)? \S/iu;

/** The parsed note, or null for text that is not a version note and so belongs to the title. */
export function readNote(content: string): NoteReading | null {
  if (FROM_ELSEWHERE.test(content.trim()) || PRODUCED.test(content.trim())) return reading();
  const whole = withPlainNumbers(normaliseName(content));
  const parts = content.split(PARTS).filter((part) => part.trim() !== '');
  return readClosed(whole) ?? (parts.length > 1 ? readParts(parts) : null) ?? readOpen(whole);
}

/** True for text in which every word belongs to a note: "Live", "Radio Edit", but not "Someone Remix". */
export function isOnlyNote(text: string): boolean {
  return readClosed(withPlainNumbers(normaliseName(text))) !== null;
}

/** All notes of a title, combined. */
export function joinReadings(readings: readonly NoteReading[]): NoteReading {
  const versions = new Map<Version, string>();
  for (const [version, detail] of readings.flatMap((one) => [...one.versions])) {
    versions.set(version, joined(versions.get(version), detail));
  }
  return {
    versions,
    notes: new Set(readings.flatMap((one) => [...one.notes])),
    year: readings.find((one) => one.year !== null)?.year ?? null,
    text: joined(...readings.map((one) => one.text)),
    words: [...new Set(readings.flatMap((one) => one.words))],
    rest: readings.flatMap((one) => one.rest),
  };
}

/**
 * Reads the parts of a note; null if the first part is not itself a note. After "live", a part that is not a note is the place.
 */
function readParts(parts: readonly string[]): NoteReading | null {
  const readings = parts.map((part) => ({ part, read: readPart(part) }));
  if (!readings[0]?.read) return null;
  const live = readings[0].read.versions.has('live');
  return joinReadings(
    readings.map(({ part, read }) => read ?? (live ? placeOf(part) : reading({ rest: [part] }))),
  );
}

function readPart(part: string): NoteReading | null {
  const text = withPlainNumbers(normaliseName(part));
  return readClosed(text) ?? readOpen(text);
}

function placeOf(part: string): NoteReading {
  const text = normaliseName(part);
  return reading({ versions: new Map([['live', text]]), text, words: text.split(' ') });
}

/** Reads a note in which every word is known; null for other text. */
function readClosed(text: string): NoteReading | null {
  const mix = YEAR_MIX.exec(text);
  if (mix) return reading({ notes: new Set(['remaster']), year: Number(mix[1]) });
  const { words, found, unknown } = recognise(text);
  if (unknown.length > 0) return null;
  const named = words.includes('version') && words.every(isFiller) ? words.find(isYear) : undefined;
  if (named) return reading({ versions: new Map([['version', named]]), text, words: [named] });
  return found.length === 0 ? null : fromPhrases(found, words, text);
}

/** Reads a note that also has unknown words: a place, a remixer, the name of a version, the original artist. */
function readOpen(text: string): NoteReading | null {
  if (KARAOKE_NOTE.test(text))
    return reading({ versions: new Map([['karaoke', '']]), text, words: ['karaoke'] });
  if (TRIBUTE_NOTE.test(text))
    return reading({ versions: new Map([['tribute', '']]), text, words: ['tribute'] });
  return readPlaced(text) ?? readMadeBy(text) ?? readNamed(text);
}

function readPlaced(text: string): NoteReading | null {
  const words = text.split(' ');
  const at = words.findIndex((word) => PLACE_WORDS.has(word) && word !== 'en');
  const cut = at > 0 ? at : words.indexOf('en', 2);
  if (cut <= 0 || cut === words.length - 1) return null;
  const head = readClosed(words.slice(0, cut).join(' '));
  const [kind] = head?.versions.keys() ?? [];
  if (!head || !kind) return null;
  const place = words.slice(cut + 1);
  const versions = new Map([...head.versions, [kind, place.join(' ')] as const]);
  return { ...head, versions, text, words: [...head.words, ...place] };
}

/** "Remixed by Someone", "Cover by Someone". */
function readMadeBy(text: string): NoteReading | null {
  const match = /^(.+) by (.+)$/u.exec(text);
  const head = match?.[1] ? readClosed(match[1]) : null;
  const name = match?.[2];
  if (!head || !name || head.versions.size === 0) return null;
  const versions = new Map(head.versions);
  if (versions.has('remix')) versions.set('remix', name);
  return { ...head, versions, text, words: [...head.words, ...name.split(' ')] };
}

/**
 * "Someone Remix", "Someone Extended Mix", "French Version": unknown words, then the kind of version that they name.
 */
function readNamed(text: string): NoteReading | null {
  const { words, found, unknown } = recognise(text);
  const [first] = unknown;
  const last = unknown.at(-1);
  if (first === undefined || last === undefined || NOT_A_NAME.has(words[0] ?? '')) return null;
  const name = words.slice(first, last + 1).join(' ');
  const kind = kindNamedBy(words.slice(last + 1), found);
  if (!kind) return null;
  const kept = found.filter((phrase) => phrase.version || phrase.note !== 'edit');
  const known = fromPhrases(kept, words, text);
  return {
    ...known,
    versions: new Map([...known.versions, [kind, name]]),
    text,
    words: words.filter((word) => !isFiller(word)),
  };
}

function kindNamedBy(tail: readonly string[], found: readonly Phrase[]): 'remix' | 'version' | null {
  if (tail.length === 0) return null;
  if (found.some((phrase) => phrase.version === 'remix')) return 'remix';
  if (tail.includes('mix') || tail.includes('edit')) return 'remix';
  return tail.includes('version') || tail.includes('ver') ? 'version' : null;
}

interface Recognised {
  readonly words: readonly string[];
  readonly found: readonly Phrase[];
  /** Indexes of the words that are neither part of a phrase nor fillers, ascending. */
  readonly unknown: readonly number[];
}

function recognise(text: string): Recognised {
  const words = text.split(' ');
  const taken = new Set<number>();
  const found = phrasesFrom(words).filter((phrase) => {
    const at = words.findIndex((_, start) =>
      phrase.words.every((word, n) => words[start + n] === word && !taken.has(start + n)),
    );
    if (at < 0) return false;
    phrase.words.forEach((_, n) => {
      taken.add(at + n);
    });
    return true;
  });
  const unknown = words.flatMap((word, at) => (taken.has(at) || isFiller(word) ? [] : [at]));
  return { words, found, unknown };
}

function fromPhrases(found: readonly Phrase[], words: readonly string[], text: string): NoteReading {
  const notes = new Set(found.flatMap((phrase) => phrase.note ?? []));
  const year = words.find(isYear);
  const versions = new Map<Version, string>(
    found.flatMap((phrase) => (phrase.version ? [[phrase.version, ''] as const] : [])),
  );
  const ofRemaster = notes.has('remaster') && year !== undefined;
  if (versions.has('live') && year !== undefined && !ofRemaster) versions.set('live', year);
  return reading({
    versions,
    notes,
    year: ofRemaster ? Number(year) : null,
    ...(versions.size > 0 && {
      text,
      words: found.flatMap((phrase) => (phrase.version ? phrase.words : [])),
    }),
  });
}

function reading(part: Partial<NoteReading> = {}): NoteReading {
  return { versions: new Map(), notes: new Set(), year: null, text: '', words: [], rest: [], ...part };
}

function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text).join(' ');
}

/**
 * True if two details may mean the same version. A place may be shorter ("Brask" for "Brask Hall"); any other detail must be equal.
 */
export function sameDetail(version: Version, a: string, b: string): boolean {
  if (version !== 'live') return compact(a) === compact(b);
  const [fewer = [], more = []] = [wordsOf(a), wordsOf(b)].sort((x, y) => x.length - y.length);
  return fewer.every((word) => more.includes(word));
}

function wordsOf(place: string): string[] {
  return place.split(' ').filter((word) => word !== 'the' && !PLACE_WORDS.has(word));
}
