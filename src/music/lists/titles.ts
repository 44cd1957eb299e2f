/** Decides which lines that name no artist are titles, and which are headings, remarks or prose. */
import { hasLetterOrDigit } from '../names.ts';

/** A line of a text, or an empty one between two. `plain` is its text without marks; `isMarked`: it had a number, a bullet or a time. */
export type SplitLine = { isSong: boolean; plain: string; isMarked: boolean } | 'empty';

/** `all`: a person says that each line is a song. */
export type Titles = 'likely' | 'none' | 'all';

/** A list has at least three lines. */
const MIN_LINES = 3;
/** Headings that stand among songs: "Side B", "Disc 2". */
const SECTION = /^(?:side|dis[ck]|cd|set|vol(?:ume|\.)?|part)\s?#?\w{1,5}$/iu;
/** Signs at the end of a sentence, or of a part of one. */
const SENTENCE = /[.,;:!…]$/u;
/** Signs of programs, addresses, separators of names and what tracklists write for an unknown song. */
const NO_TITLE = /[@{}<>=|\\;$`\t]|[a-z]:\S|,[^\s\d]|\s[-–—]\s|^\W*id\W*$/iu;

/**
 * The titles among the lines. There are none unless three quarters of the lines are songs or look like titles, so that prose has
 * none. If the songs of a list have numbers or bullets, its titles have them too. The lines between two empty ones are a
 * block. Above songs, its first line is a heading; a block without a song is one too, or in a list of titles a block of one line.
 */
export function titlesIn(lines: readonly SplitLine[], which: Titles): ReadonlySet<SplitLine> {
  const written = lines.flatMap((line) => (line === 'empty' ? [] : [line]));
  const songs = written.filter(({ isSong }) => isSong);
  const titles = written.filter((line) => !line.isSong && looksLikeTitle(line, which === 'all'));
  if (which !== 'likely') return new Set(which === 'all' ? titles : []);
  if (written.length < MIN_LINES || (songs.length + titles.length) * 4 < written.length * 3) return new Set();
  const others = songs.length > 0 ? songs : titles;
  const isMarkedList = others.filter(({ isMarked }) => isMarked).length * 2 > others.length;
  const headings = headingsIn(lines, songs.length > 0);
  return new Set(titles.filter((line) => line.isMarked || !(isMarkedList || headings.has(line))));
}

function looksLikeTitle({ plain, isMarked }: Exclude<SplitLine, 'empty'>, isAsked: boolean): boolean {
  if (
    plain.length > 60 ||
    plain.split(' ').length > 8 ||
    !hasLetterOrDigit(plain) ||
    NO_TITLE.test(plain) ||
    SECTION.test(plain)
  )
    return false;
  // A title that nothing marks has a capital, or letters of a script without capitals.
  return isAsked || isMarked || (/^\P{L}*(?!\p{Ll})\p{L}/u.test(plain) && !SENTENCE.test(plain));
}

function headingsIn(lines: readonly SplitLine[], hasSongs: boolean): ReadonlySet<SplitLine> {
  const blocks: Exclude<SplitLine, 'empty'>[][] = [[]];
  for (const line of lines) {
    if (line === 'empty') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  // In a list with an empty line after each song, empty lines say nothing.
  const isSpaced = blocks.every(({ length }) => length < 2);
  return new Set(
    (isSpaced ? [blocks.flat()] : blocks).flatMap((block) => {
      const inBlock = block.filter(({ isSong }) => isSong).length;
      if (inBlock > 0) return inBlock * 2 >= block.length - 1 ? block.slice(0, 1) : [];
      return hasSongs || block.length === 1 ? block : [];
    }),
  );
}
