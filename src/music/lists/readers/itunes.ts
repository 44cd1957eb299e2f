import type { Fields } from '../columns.ts';
import { refused } from '../decode.ts';
import { playlistNamer } from '../entry.ts';
import type { Row } from '../list.ts';
import type { Source } from '../source.ts';
import { childOf, elementsOf, localName, wordsOf, type XmlElement } from '../xmlTree.ts';
import type { Reader } from './reader.ts';

type Dict = ReadonlyMap<string, XmlElement>;

/** Keys that mark items of a library that are not songs. */
const OTHER_KINDS = ['Podcast', 'Movie', 'TV Show', 'Audiobook', 'Voice Memo'];
/** Keys that mark playlists to leave out: views of the whole library, and folders. */
const VIEWS = ['Master', 'Distinguished Kind', 'Folder'];

/**
 * The XML that iTunes and Music export, for a playlist or the whole library. The songs of playlists come first, playlist by
 * playlist. Then come the songs that are in no playlist. Views that Music itself makes do not count as playlists.
 */
export const itunes: Reader = {
  format: 'itunes',
  name: 'iTunes XML',
  looksLike: ({ text }) => /^\s*</u.test(text) && /<plist\b/u.test(text.slice(0, 5_000)),
  read(source) {
    const library = dictOf(childOf(source.xml(), 'dict'));
    const tracks = library.get('Tracks');
    if (!tracks) {
      throw refused('The property list has no tracks.', {
        line: 1,
        remedy: 'Export the playlist or library as XML from iTunes or Music.',
      });
    }
    const byId = new Map([...dictOf(tracks)].map(([id, track]) => [id, { track, fields: dictOf(track) }]));
    const playlists = elementsOf(library.get('Playlists'))
      .map(dictOf)
      .filter((playlist) => !VIEWS.some((view) => playlist.has(view)));
    const named = playlistNamer();
    const listed = new Set<string>();
    const rows: Row[] = [];
    for (const playlist of playlists) {
      const items = elementsOf(playlist.get('Playlist Items'));
      const list = items.length > 0 ? named(wordsOf(playlist.get('Name'))) : '';
      for (const item of items) {
        const id = wordsOf(dictOf(item).get('Track ID'));
        const found = byId.get(id);
        listed.add(id);
        rows.push(found ? rowOf({ ...found, list }, source) : missingRow(item, source));
      }
    }
    const others = [...byId].filter(([id]) => !listed.has(id));
    const list = rows.length > 0 ? named('Library') : '';
    return { rows: [...rows, ...others.map(([, found]) => rowOf({ ...found, list }, source))] };
  },
};

function rowOf(
  { track, fields, list }: { track: XmlElement; fields: Dict; list: string },
  source: Source,
): Row {
  const row = source.placeOf(track.start, track.end);
  const kind = OTHER_KINDS.find((name) => fields.has(name));
  if (kind) return { ...row, why: `of type "${kind.toLowerCase()}"` };
  const of = (key: string) => wordsOf(fields.get(key)).trim();
  const song: Fields = {
    title: of('Name'),
    artist: of('Artist'),
    albumArtist: of('Album Artist'),
    album: of('Album'),
    year: of('Year'),
  };
  return { ...row, fields: { ...song, ...(list !== '' && { list }) } };
}

function missingRow(item: XmlElement, source: Source): Row {
  return { ...source.placeOf(item.start, item.end), why: 'a track that the file does not describe' };
}

/** A property list's dictionary, in which each `<key>` is followed by its value. */
function dictOf(element: XmlElement | undefined): Dict {
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
