/** Parses a title into the song, its guests and its version. */
import { memoised } from '../base/memoised.ts';
import { splitNames } from './artists.ts';
import { tidyName } from './letters.ts';
import { normaliseName, withPlainNumbers } from './normalise.ts';
import { joinReadings, type NoteReading, readNote } from './versionNotes.ts';
import { NOT_A_GUEST, type Note, type Version } from './vocabulary.ts';

export interface ParsedTitle {
  /** The whole title as given. */
  readonly written: string;
  /** The song's name, normalised; empty only for blank titles. */
  readonly base: string;
  /** What makes this recording different from others of the song. */
  readonly versions: ReadonlySet<Version>;
  /** The guests, as normalised whole names. */
  readonly featured: readonly string[];
  /** The detail of each version whose note gives one, normalised: remixer, place, year or name. */
  readonly details: ReadonlyMap<Version, string>;
  /** The notes in this title that do not make another recording. */
  readonly notes: ReadonlySet<Note>;
  /** The year of the remaster; null if the title does not say. */
  readonly remasterYear: number | null;
  /** `base` and the version notes together, for titles written without brackets. */
  readonly words: string;
  /** The song's name as written, for a search. */
  readonly plain: string;
  /** The words of the version notes that identify the version, for a search. */
  readonly versionWords: readonly string[];
}

const GUESTS_AFTER_CUE = /^(?:feat\b\.?|ft\b\.?|featuring\b):?\s*(.+)$/iu;
/** Except for "w/", these words are common in titles, so they count only in a note. */
const GUESTS_IN_NOTE = /^(?:(?:duet )?with|w\/|con|avec|mit|com)\s+(.+)$/iu;
/**
 * Guests at the end of the title itself, or of a note ("Someone Remix feat. Other"). Lengths such as "six ft deep" do not
 * count.
 */
const GUESTS_AT_END =
  /^(.*?(?<!\d|\b(?:a|no|one|two|three|four|five|six|ten)))\s+(?:(?:feat|ft|featuring)\b\.?:?|w\/)\s+(?!of\b)(.+)$/iu;
const REMASTER_AT_END = /\s+((?:\d{4} )?(?:digital(?:ly)? )?remaster(?:ed)?(?: \d{4})?(?: version)?)$/iu;
/** Belongs to the song, not to the guests: "Plinth feat. Someone, Pt. 2". */
const PART_AT_END = /,?\s+(?:pt|part|vol|volume)\b\.?\s*(?:\d+|[ivx]+|one|two|three|four)$/iu;
const DASH = /\s+-+\s+/u;

interface TitleParts {
  readings: NoteReading[];
  featured: string[];
}

/**
 * Parses a title. Guests and version notes count only in brackets or after a dash between spaces. "feat.", "w/" and "Remaster"
 * also count at the end. If nothing is left without the notes ("(Live)"), the title stays whole.
 */
export const parseTitle: (title: string) => ParsedTitle = memoised(1_000, (title) => {
  const whole = tidyName(title);
  const parts: TitleParts = { readings: [], featured: [] };
  const unbracketed = takeBrackets(whole, parts);
  const plain = takeEnd(takeDashed(unbracketed, parts), parts);
  if (plain.trim() === '') return parsed(title, title.trim(), { readings: [], featured: [] });
  return parsed(title, plain, parts);
});

function parsed(written: string, plain: string, { readings, featured }: TitleParts): ParsedTitle {
  const note = joinReadings(readings);
  const name = [plain, ...note.rest].join(' ').replace(/\s+/gu, ' ').trim();
  const base = withPlainNumbers(normaliseName(name));
  return {
    written,
    base,
    versions: new Set(note.versions.keys()),
    featured: [...new Set(featured.map(normaliseName))],
    details: new Map([...note.versions].filter(([, detail]) => detail !== '')),
    notes: note.notes,
    remasterYear: note.year,
    words: note.text === '' ? base : `${base} ${note.text}`,
    plain: name,
    versionWords: note.words,
  };
}

/** Takes guests and versions from a note. Returns false if the text is not a note but part of the title. */
function takeNote(content: string, parts: TitleParts): boolean {
  const guests = guestsOf(content);
  if (guests) {
    parts.featured.push(...splitNames(guests));
    return true;
  }
  const tail = GUESTS_AT_END.exec(content);
  const reading = readNote(tail?.[1] ?? content);
  if (!reading) return false;
  if (tail?.[2]) parts.featured.push(...splitNames(tail[2]));
  parts.readings.push(reading);
  return true;
}

function guestsOf(content: string): string | undefined {
  const cued = GUESTS_AFTER_CUE.exec(content.trim())?.[1];
  if (cued) return cued;
  const guests = GUESTS_IN_NOTE.exec(content.trim())?.[1];
  return guests && !NOT_A_GUEST.has(normaliseName(guests).split(' ')[0] ?? '') ? guests : undefined;
}

function takeBrackets(text: string, parts: TitleParts): string {
  let kept = '';
  let from = 0;
  for (const group of bracketGroups(text)) {
    kept += text.slice(from, group.start);
    if (!takeNote(text.slice(group.start + 1, group.end - 1), parts))
      kept += text.slice(group.start, group.end);
    from = group.end;
  }
  return (kept + text.slice(from)).replace(/\s+/gu, ' ').trim();
}

/** The outermost brackets. An unclosed bracket reaches to the end of the text. `end` is after the closing bracket. */
function bracketGroups(text: string): { start: number; end: number }[] {
  const groups: { start: number; end: number }[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if ('([{【〔'.includes(sign)) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (')]}】〕'.includes(sign) && depth > 0) {
      depth -= 1;
      if (depth === 0) groups.push({ start, end: at + 1 });
    }
  }
  // One past the end, where the closing bracket would be.
  if (depth > 0) groups.push({ start, end: text.length + 1 });
  return groups;
}

/** Takes the notes after dashes. The longest tail is tried first, since "2011 - Remaster" is one note. */
function takeDashed(text: string, parts: TitleParts): string {
  const [song = '', ...segments] = text.split(DASH);
  const kept = [song];
  for (let at = 0; at < segments.length; at += 1) {
    if (takeNote(segments.slice(at).join(' - '), parts)) break;
    if (!takeNote(segments[at] ?? '', parts)) kept.push(segments[at] ?? '');
  }
  return kept.join(' - ');
}

function takeEnd(text: string, parts: TitleParts): string {
  const remaster = REMASTER_AT_END.exec(text);
  const reading = remaster?.[1] ? readNote(remaster[1]) : null;
  const song = remaster && reading ? text.slice(0, remaster.index) : text;
  if (reading) parts.readings.push(reading);
  const guests = GUESTS_AT_END.exec(song);
  if (!guests?.[2]) return song;
  // What follows a dash belongs to the song, or is an unknown note: "Plinth feat. Someone - Demmo".
  const rest = guests[2].slice(guests[2].split(DASH)[0]?.length);
  const names = guests[2].slice(0, guests[2].length - rest.length);
  const [part = ''] = PART_AT_END.exec(names) ?? [];
  parts.featured.push(...splitNames(names.slice(0, names.length - part.length)));
  return `${guests[1] ?? song}${part}${rest}`;
}
