/** Splits texts that hold title and artist in one, with one decision for the whole file. */
import { columnKey, planColumns } from '../columns.ts';
import type { ArtistSide } from '../list.ts';
import { type Unmarked, withoutMarks } from './marks.ts';
import { decideSide, type Side, type Song, songOf } from './side.ts';
import { type Style, stylesOf } from './split.ts';

export type SplitText = (Song & { year?: number }) | { heading: true } | null;

export interface SplitTexts {
  /**
   * What each text is, in order: a song, a heading such as "Artist - Title", or null if nothing separates two names.
   */
  songs: SplitText[];
  side?: ArtistSide;
}

/** Only within this many lines can a line such as "Artist - Title" be a heading. */
const HEADING_WITHIN = 20;

/** Splits texts, which must be tidy but may hold tabs. `known` holds keys of artists' names, see `nameKey`. */
export function splitTexts(
  texts: readonly string[],
  { known, side: asked }: { known: ReadonlySet<string>; side?: Side },
): SplitTexts {
  const unmarked = withoutMarks(texts);
  const styles = stylesOf(unmarked.map(({ text }) => text));
  const split = unmarked.map((line) => splitLine(line, styles));
  const headings = new Map(
    split.slice(0, HEADING_WITHIN).flatMap((line) => {
      const says = headingSide(line?.parts ?? []);
      return line && says ? [[line, says] as const] : [];
    }),
  );
  const [heading] = headings.values();
  const open = split.filter((line): line is Line => {
    return line !== null && line.style.artist === undefined && !headings.has(line);
  });
  const side = sideOf(
    open.map(({ parts, style }) => (style.columnar ? parts.slice(0, 2) : parts)),
    { known, quoted: open.flatMap(({ quoted }) => quoted ?? []), asked, heading },
  );
  return {
    songs: split.map((line) => {
      if (!line) return null;
      if (headings.has(line)) return { heading: true };
      const song = songIn(line, side?.side ?? 'left');
      return {
        ...song,
        title: withoutQuotes(song.title),
        ...(line.year !== undefined && { year: line.year }),
      };
    }),
    ...(side && { side }),
  };
}

interface Line {
  parts: string[];
  style: Style;
  /** The side that is in quotation marks, if only one is. */
  quoted: Side | undefined;
  year?: number;
}

function splitLine({ text, year }: Unmarked, styles: readonly Style[]): Line | null {
  for (const style of styles) {
    const written = withoutTimes(style.parts(text), style);
    if (!written) continue;
    const parts = written.map(withoutQuotes);
    const quoted = quotedSide(style.columnar ? written.slice(0, 2) : written);
    return { parts, style, quoted, ...(year !== undefined && { year }) };
  }
  return null;
}

function quotedSide(parts: readonly string[]): Side | undefined {
  const [left, right] = [parts.at(0), parts.at(-1)].map((part = '') => withoutQuotes(part) !== part);
  if (left === right) return undefined;
  return left ? 'left' : 'right';
}

/** Removes a column of lengths. Rows copied from a player may have one: title, length, artist, album. */
function withoutTimes(parts: string[] | null, { columnar }: Style): string[] | null {
  const rest = columnar ? parts?.filter((part) => !/^(?:\d{1,2}:)?\d{1,3}:[0-5]\d$/u.test(part)) : null;
  return rest && rest.length > 1 ? rest : parts;
}

function songIn(line: Line, decided: Side): Song {
  const { parts, style } = line;
  const side = style.artist === undefined ? decided : style.artist === 'first' ? 'left' : 'right';
  const [first = '', second = '', album] = parts;
  if (!style.columnar || parts.length < 3) return songOf(parts, side);
  const [artist, title] = side === 'left' ? [first, second] : [second, first];
  return { artist, title, ...(album && { album }) };
}

function sideOf(
  lines: readonly (readonly string[])[],
  {
    known,
    quoted,
    asked,
    heading,
  }: { known: ReadonlySet<string>; quoted: readonly Side[]; asked?: Side; heading?: Side },
): ArtistSide | undefined {
  if (lines.length === 0) return undefined;
  if (asked) return { side: asked, because: 'it was asked for', certain: true };
  if (heading) return { side: heading, because: 'the heading says so', certain: true };
  return decideSide(lines, known, quoted);
}

/** The side of the artist in a heading such as "Artist - Title" or "Title | Artist | Album"; null for songs. */
function headingSide(parts: readonly string[]): Side | null {
  if (parts.length > 4 || parts.some((part) => part.length > 20)) return null;
  const { columns } = planColumns(parts.map(columnKey));
  const artist = columns.get('artist')?.[0];
  const title = columns.get('title')?.[0];
  if (artist === undefined || title === undefined || columns.size < Math.min(parts.length, 2)) return null;
  return artist < title ? 'left' : 'right';
}

/** Removes quotation marks around the whole part. */
function withoutQuotes(part: string): string {
  return /^["“”„«»「『](.+?),?["“”»«」』]$/u.exec(part)?.[1]?.trim() ?? part;
}
