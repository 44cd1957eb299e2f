/** The playlist files of players: M3U, PLS, CUE sheets, XSPF and other XML, and the XML of iTunes and Music. */
import { parseXml, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml';
import { percentDecoded } from '../../base/parsing.ts';
import { FILE_ENDING } from '../listNoise.ts';
import { type Fields, fieldsOf, planColumns } from './columns.ts';
import { isrcOf, takeAddresses } from './entries.ts';
import {
  excerpt,
  lineFinder,
  MAX_LINE,
  playlistNamer,
  type RawList,
  type Reader,
  type Row,
  refused,
  tidyText,
} from './list.ts';
import { canSplit, DASH } from './marks.ts';

const NUMBER = /^(?:\d{1,2}[-.])?\d{1,3}(?:\s*[-.]\s*|\s+|_)(?=\S)/u;
/** Directories of people, of disks, of music, and of records of several artists, none of which is an artist. */
const NO_ARTIST =
  /^(?:home|users|volumes|mnt|media|storage|emulated|0|sdcard\d?|internal storage|[\da-f]{4}-[\da-f]{4}|[a-z]:|(?:my )?music|musik|downloads?|compilations?|various(?: artists)?|<?unknown(?: artist)?>?)$/iu;
/** Directories in which each person or disk has one. */
const ROOT = /^(?:home|users|volumes|mnt|media|storage)$/iu;
/** A line that is the path of a file, as in the listing of a directory. */
const PATH =
  /^[ \t]*(?:[a-z]:|file:|~|\.{1,2})?[\\/]\S.*\.(?:mp[34]|m4a|flac|wav|og[ga]|opus|aac|wma|aiff?|ape)[ \t]*$/gimu;
/** "Artist - Album", as a directory is called. "1999 - Album" names no artist. */
const RECORD = /^(?!(?:19|20)\d\d\s)(\S.*?) [-–] (.+)$/u;
/** A directory for one disc of an album. */
const DISC = /^(?:cd|dis[ck])[\s_-]*\d{1,2}$/iu;

/** A song of a player's list. `title` usually names the artist too; both may be ''. */
interface File {
  line: number;
  raw: string;
  title: string;
  path: string;
  artist?: string;
  album?: string;
  /** True if the artist was given with this song, so that a dash in the title does not separate two names. */
  isNamed?: boolean;
}

/** One row for each file. If most titles name an artist by "by", a tab or quotation marks, all are read so: one may be "Stand by Me". */
function rowsOf(files: readonly File[]): Row[] {
  const titles = files.map(({ title }) => title).filter((title) => title !== '');
  const hasTwoNames = (title: string) => title.length <= MAX_LINE && canSplit(title);
  const isWhole = titles.length > 1 && titles.filter(hasTwoNames).length * 2 > titles.length;
  return files.map(({ line, raw, title: written, path, artist, album, isNamed }) => {
    const isAddress = takeAddresses(path).refs.length > 0;
    const fields: Fields = { ...(isAddress && { uri: path }), ...(album && { album }) };
    const title = isFileName(written, path) ? '' : written;
    const isBoth = DASH.test(title) || (isWhole && !artist && hasTwoNames(title));
    if (isBoth && !(isNamed && artist)) return { line, raw, text: title, fields };
    if (artist && title !== '') return { line, raw, fields: { title, artist, ...fields } };
    if (isAddress) return { line, raw, ...(title !== '' && { text: title }), fields };
    const { name, ...named } = songOfPath(path);
    const text = title || name;
    // A station of a radio is no song.
    if (/^(?!file:)[a-z]{3,}:\/\//iu.test(path) && !canSplit(text)) return { line, raw, why: 'no artist' };
    return named.artist === undefined
      ? { line, raw, text, fields: { ...fields, title: text } }
      : { line, raw, fields: { title: text, ...named, ...fields } };
  });
}

/** True if a program had no title and wrote the name of the file. Without extension or zero, "99 Lanterns" may be a title. */
function isFileName(title: string, path: string): boolean {
  const plain = (name: string) => name.replace(FILE_ENDING, '').replace(NUMBER, '');
  const isPlain = !FILE_ENDING.test(title) && !/^0\d(?!\d)/u.test(title);
  return !isPlain && plain(title) === plain(partsOf(path).at(-1) ?? '');
}

/** What a path says: `Artist - Title.mp3` or `Artist/Album/03 Title.mp3`. Directories on the web are those of radio stations. */
function songOfPath(path: string): { name: string; artist?: string; album?: string } {
  const [written = '', ...above] = partsOf(path).reverse();
  const file = written.replace(FILE_ENDING, '').replace(/_/gu, ' ');
  const name = file.replace(NUMBER, '');
  // In "21 - Artist - Title", "21" is a track number. In "21 - Title", it may be the artist.
  if (DASH.test(name)) return { name };
  const [album = '', artist, root = ''] =
    above.length > 1 && DISC.test(above[0] ?? '') ? above.slice(1) : above;
  const [, of = '', record = ''] = RECORD.exec(album) ?? [];
  const isNamed =
    !/^https?:/iu.test(path) && artist !== undefined && !NO_ARTIST.test(artist) && !ROOT.test(root);
  if (isNamed) return { name, artist, album };
  if (of !== '' && !NO_ARTIST.test(of)) return { name, artist: of, album: record };
  return { name: /^0\d/u.test(file) ? name : file };
}

/** The directories of a path and the name of the file. The host of a web server is no directory. */
function partsOf(path: string): string[] {
  return percentDecoded(path.replace(/^(?:file:\/\/(?:localhost)?|https?:\/\/[^/]*)/iu, ''))
    .split(/[/\\]+/u)
    .filter((part) => !/^\.{0,2}$/u.test(part));
}

const byLine = (a: Row, b: Row) => a.line - b.line;
const linesOf = (text: string) => text.replace(/\n$/u, '').split('\n');

/** `#EXTINF:seconds,Artist - Title` above the address of each song, or the address alone. */
export const m3u8: Reader = {
  format: 'm3u8',
  name: 'M3U playlist',
  looksLike(text) {
    const start = text.slice(0, 100_000);
    const paths = start.match(PATH)?.length ?? 0;
    return /^[ \t]*#EXT(?:M3U\b|INF:)/imu.test(start) || paths * 2 > linesOf(start).filter(Boolean).length;
  },
  read(text) {
    const files: File[] = [];
    const others: Row[] = [];
    let [name, artist] = ['', ''];
    /** The file whose address has not come yet. Some programs write lists of names only. */
    let open: File | undefined;
    for (const [index, written] of linesOf(text).entries()) {
      const line = written.trim();
      const row = { line: index + 1, raw: excerpt(line) };
      const [, directive = '', value = ''] =
        /^#(EXTM3U|EXTINF|PLAYLIST|EXTALB|EXTART)\b:?(.*)$/iu.exec(line) ?? [];
      const key = directive.toUpperCase();
      if (key === 'EXTINF') {
        open = { ...row, title: titleOf(value), path: '', artist };
        files.push(open);
      } else if (key === 'PLAYLIST') name ||= value.trim();
      else if (key === 'EXTART') artist = value.trim();
      else if (key === 'EXTALB' && open) open.album = value.trim();
      else if (key === 'EXTM3U') continue;
      else if (line === '') others.push({ ...row, why: 'empty' });
      else if (line.startsWith('#')) others.push({ ...row, why: 'comment' });
      else if (open) {
        open.path = line;
        open.raw = excerpt(`${open.raw}\n${line}`);
        open = undefined;
      } else files.push({ ...row, title: '', path: line, artist });
    }
    return { rows: [...rowsOf(files), ...others].sort(byLine), ...(name && { name }) };
  },
};

/** What follows the first comma outside quotation marks: `#EXTINF:225 group-title="a,b",Title`. */
function titleOf(value: string): string {
  const comma = value.replace(/"[^"]*"/gu, (quoted) => ' '.repeat(quoted.length)).indexOf(',');
  return comma < 0 ? '' : value.slice(comma + 1).trim();
}

/** `[playlist]` with `File1=` and `Title1=` for each song. */
export const pls: Reader = {
  format: 'pls',
  name: 'PLS playlist',
  looksLike: (text) => /^\s*\[playlist\]\s*$/imu.test(text.slice(0, 1_000)),
  read(text) {
    const files = new Map<string, File>();
    const others: Row[] = [];
    let name = '';
    for (const [index, written] of linesOf(text).entries()) {
      const line = written.trim();
      const row = { line: index + 1, raw: excerpt(line) };
      const [, key = '', number = '', value = ''] = /^(file|title)(\d+)\s*=\s*(.*)$/iu.exec(line) ?? [];
      if (number !== '') {
        const known = files.get(number);
        const raw = known ? excerpt(`${known.raw}\n${line}`) : row.raw;
        const field = /^file$/iu.test(key) ? { path: value } : { title: value };
        files.set(number, { title: '', path: '', ...row, ...known, ...field, raw });
      } else if (/^x-gnome-title\s*=/iu.test(line)) name = line.replace(/^[^=]*=\s*/u, '');
      else if (!/^(?:\[playlist\]|(?:length\d*|numberofentries|version)\s*=.*)$/iu.test(line)) {
        const why = line === '' ? 'empty' : line.startsWith(';') ? 'comment' : 'not a line of a PLS playlist';
        others.push({ ...row, why });
      }
    }
    return { rows: [...rowsOf([...files.values()]), ...others].sort(byLine), ...(name && { name }) };
  },
};

/** `TITLE` and `PERFORMER` of each `TRACK`. Those above the first one are the album's, and its artist is that of the other tracks. */
export const cue: Reader = {
  format: 'cue',
  name: 'CUE sheet',
  looksLike: (text) => /^[ \t]*TRACK \d+ [A-Z]/imu.test(text) && /^[ \t]*INDEX \d+ \d/imu.test(text),
  read(text) {
    const album: Fields = {};
    const rows: Row[] = [];
    for (const [index, written] of linesOf(text).entries()) {
      const [, command = '', quoted, plain = ''] =
        /^\s*(?:REM\s+)?(TRACK|TITLE|PERFORMER|ISRC|DATE)\s+(?:"(.*)"|(.*\S))\s*$/iu.exec(written) ?? [];
      const value = (quoted ?? plain).replaceAll('""', '"');
      const key = command.toUpperCase();
      const track = rows.at(-1);
      if (key === 'TRACK') rows.push({ line: index + 1, raw: written.trim(), fields: {} });
      else if (key !== '' && track) {
        track.fields = { ...track.fields, [key === 'PERFORMER' ? 'artist' : key.toLowerCase()]: value };
        track.raw = excerpt(`${track.raw}\n${written.trim()}`);
      } else if (key === 'TITLE') album.album = value;
      else if (key === 'PERFORMER') album.artist = value;
      else if (key === 'DATE') album.year = value;
    }
    return { rows: rows.map((row) => ({ ...row, fields: { ...album, ...row.fields } })) };
  },
};

/** Elements of one song: XSPF, WPL, Subsonic, Rhythmbox, Last.fm, Plex. */
const TRACKS = /^(?:track|media|entry|song|child)$/u;
/** Attributes and elements that hold the address of a file. */
const PATHS = /^(?:location|src|path|href|file)$/u;
/** Those that hold an address on the web or a recording code. */
const ADDRESSES = /^(?:identifier|location|info|link)$/u;

/** The XML playlist of VLC and others (https://xspf.org/spec), and other XML whose elements or attributes name songs. */
export const xspf: Reader = {
  format: 'xspf',
  name: 'XML playlist',
  looksLike: (text) =>
    /^\s*<(?:\?(?:xml|wpl|zpl)\b|!doctype\b|(?:[\w-]+:)?(?:playlist|smil|subsonic-response|lfm)\b|(?!strong|font)([\w-]{3,})\b[\s\S]*<\/\1>\s*$)/iu.test(
      text,
    ),
  read(text) {
    const root = rootOf(text);
    const placeOf = placeFinder(text);
    const named = playlistNamer();
    const files: (File & { more: Fields })[] = [];
    const others: Row[] = [];
    const visit = (element: XmlElement, list: string): void => {
      const own = localName(element);
      const name = own === 'playlist' ? named(element.attributes.name ?? '') : list;
      for (const child of elementsOf(element)) {
        if (TRACKS.test(localName(child)) || (own === 'playlist' && localName(child) === 'location'))
          files.push({ ...placeOf(child), ...fileOf(child, name) });
        else if (own === 'tracklist') others.push({ ...placeOf(child), why: 'not a track' });
        else visit(child, name);
      }
    };
    visit(root, '');
    if (files.length === 0)
      throw refused('The XML is neither a playlist nor an iTunes library.', {
        line: 1,
        remedy: 'Export the playlist as XSPF, as CSV, or from iTunes or Music as XML.',
      });
    const rows = rowsOf(files).map(
      (row, at): Row => ({ ...row, fields: { ...row.fields, ...files[at]?.more } }),
    );
    const name = tidyText(wordsOf(childOf(root, 'title') ?? childOf(childOf(root, 'head'), 'title')));
    return { rows: [...rows, ...others].sort(byLine), ...(name !== '' && { name }) };
  },
};

/** What a song says in its attributes and elements, whose names are those of columns. */
function fileOf(track: XmlElement, list: string) {
  const own = elementsOf(track).length === 0 ? [track] : elementsOf(track);
  const said: (readonly [string, string])[] = [
    ...Object.entries(track.attributes),
    ...own.map(
      (child) => [localName(child), wordsOf(child).trim() || wordsOf(childOf(child, 'name'))] as const,
    ),
  ].filter(([, value]) => value !== '');
  const fields = fieldsOf(
    planColumns(said.map(([key]) => key)),
    said.map(([, value]) => value),
  );
  const addresses = said.flatMap(([key, value]) => (ADDRESSES.test(key) ? [value] : []));
  const uri = addresses.find((address) => takeAddresses(address).refs.length > 0);
  const isrc = fields.isrc ?? addresses.find((address) => isrcOf(address) !== null);
  const path = said.find(([key]) => PATHS.test(key))?.[1] ?? '';
  return {
    title: fields.title ?? '',
    artist: fields.artist ?? fields.albumArtist ?? '',
    album: fields.album ?? '',
    path: uri ?? path,
    isNamed: true,
    more: { ...(fields.year && { year: fields.year }), ...(isrc && { isrc }), ...(list !== '' && { list }) },
  };
}

/** Keys that mark items of a library that are not songs. */
const OTHER_KINDS = ['Podcast', 'Movie', 'TV Show', 'Audiobook', 'Voice Memo', 'Music Video'];
/** Keys that mark playlists to leave out: views of the whole library, and folders. */
const VIEWS = ['Master', 'Distinguished Kind', 'Folder'];

/** The XML that iTunes and Music export: the songs playlist by playlist, then those that are in none. */
export const itunes: Reader = {
  format: 'itunes',
  name: 'iTunes XML',
  looksLike: (text) => /^\s*</u.test(text) && /<plist\b/u.test(text.slice(0, 5_000)),
  read(text): RawList {
    const library = dictOf(childOf(rootOf(text), 'dict'));
    if (!library.has('Tracks'))
      throw refused('The property list has no tracks.', {
        line: 1,
        remedy: 'Export the playlist or library as XML from iTunes or Music.',
      });
    const placeOf = placeFinder(text);
    const tracks = dictOf(library.get('Tracks'));
    const named = playlistNamer();
    const listed = new Set<string>();
    const rows: Row[] = [];
    for (const playlist of elementsOf(library.get('Playlists')).map(dictOf)) {
      const isView = VIEWS.some((view) => isSet(playlist.get(view)));
      const items = isView ? [] : elementsOf(playlist.get('Playlist Items'));
      const list = items.length > 0 ? named(wordsOf(playlist.get('Name'))) : '';
      for (const item of items) {
        const id = wordsOf(dictOf(item).get('Track ID'));
        const track = tracks.get(id);
        listed.add(id);
        if (track) rows.push({ ...placeOf(track), ...songOfTrack(track, list) });
        else rows.push({ ...placeOf(item), why: 'a track that the file does not describe' });
      }
    }
    const list = rows.length > 0 ? named('Library') : '';
    const others = [...tracks].filter(([id]) => !listed.has(id));
    return {
      rows: [...rows, ...others.map(([, track]) => ({ ...placeOf(track), ...songOfTrack(track, list) }))],
    };
  },
};

function songOfTrack(track: XmlElement, list: string): Pick<Row, 'fields' | 'why'> {
  const dict = dictOf(track);
  const of = (key: string) => wordsOf(dict.get(key)).trim();
  const isBook = /audible|audiobook/iu.test(`${of('Kind')} ${of('Genre')}`);
  const kind =
    OTHER_KINDS.find((name) => isSet(dict.get(name))) ??
    (isBook ? 'Audiobook' : of('Track Type') === 'URL' && 'Stream');
  if (kind) return { why: `of type "${kind.toLowerCase()}"` };
  const fields = fieldsOf(
    planColumns([...dict.keys()]),
    [...dict.values()].map((value) => wordsOf(value)),
  );
  return { fields: { ...fields, ...(list !== '' && { list }) } };
}

/** True for a mark of a property list that is there and neither `<false/>` nor 0. */
function isSet(mark: XmlElement | undefined): boolean {
  return mark !== undefined && localName(mark) !== 'false' && wordsOf(mark).trim() !== '0';
}

/** A property list's dictionary, in which each `<key>` is followed by its value. */
function dictOf(element: XmlElement | undefined): Map<string, XmlElement> {
  const dict = new Map<string, XmlElement>();
  let key: string | null = null;
  for (const child of elementsOf(element)) {
    if (localName(child) === 'key') key = wordsOf(child).trim();
    else if (key !== null) {
      dict.set(key, child);
      key = null;
    }
  }
  return dict;
}

/** The outermost element. Entities of the file are not expanded, and nothing outside it is read (CWE-776, CWE-611). */
function rootOf(text: string): XmlElement {
  const remedy = 'Correct the file, or export it again.';
  try {
    const { root } = parseXml(text, { includeOffsets: true });
    if (root) return root;
  } catch (error) {
    if (error instanceof XmlError) {
      const what = error.message.split(' (line ')[0]?.replaceAll('`', '"') ?? '';
      throw refused(`Line ${error.line} is not valid XML: ${what}.`, { line: error.line, remedy });
    }
    // The parser calls itself for each level, so elements nested a thousand deep use up the stack.
    if (error instanceof RangeError) throw refused('The XML is nested too deeply.', { remedy });
    throw error;
  }
  throw refused('The XML has no element.', { remedy });
}

function placeFinder(text: string): (element: XmlElement) => { line: number; raw: string } {
  const lineAt = lineFinder(text);
  return ({ start, end }) => ({
    line: lineAt(start),
    raw: excerpt(text.slice(start, end).replace(/\s+/gu, ' ')),
  });
}

function elementsOf(element: XmlElement | undefined): XmlElement[] {
  return (element?.children ?? []).filter((child) => child instanceof XmlElement);
}

/** The first child with this name, whatever its case and namespace prefix. @param name in lower case */
function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return elementsOf(element).find((child) => localName(child) === name);
}

function localName({ name }: XmlElement): string {
  return name.replace(/^.*:/u, '').toLowerCase();
}

/** The text of an element's own children. */
function wordsOf(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (child instanceof XmlText ? child.text : '')).join('');
}
