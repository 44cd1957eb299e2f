import { tidyText } from '../entry.ts';
import { excerpt, type Row } from '../list.ts';
import { songOfFile, titlesNameArtists } from '../paths.ts';
import { isrcOf, takeAddresses } from '../refs.ts';
import type { Source } from '../source.ts';
import { childOf, elementsOf, localName, wordsOf, type XmlElement } from '../xmlTree.ts';
import type { Reader } from './reader.ts';

/** The XML playlist of VLC and others (https://xspf.org/spec). */
export const xspf: Reader = {
  format: 'xspf',
  name: 'XSPF playlist',
  looksLike: ({ text }) => /<(?:\w+:)?playlist\b[^>]*>/u.test(text.slice(0, 5_000)) && /^\s*</u.test(text),
  read(source) {
    const root = source.xml();
    const tracks = elementsOf(childOf(root, 'tracklist'));
    const isWhole = titlesNameArtists(
      tracks.flatMap((track) => wordsOf(childOf(track, 'title')).trim() || []),
    );
    const rows = tracks.map((track) => rowOf(track, source, isWhole));
    const name = tidyText(wordsOf(childOf(root, 'title')));
    return { rows, ...(name !== '' && { name }) };
  },
};

/** @param isWhole as for `songOfFile` */
function rowOf(track: XmlElement, source: Source, isWhole: boolean): Row {
  const row = { line: source.lineAt(track.start), raw: excerpt(source.text.slice(track.start, track.end)) };
  if (localName(track) !== 'track') return { ...row, why: 'not a track' };
  const of = (name: string) => wordsOf(childOf(track, name)).trim();
  const places = elementsOf(track)
    .filter((element) => ['identifier', 'location', 'info', 'link'].includes(localName(element)))
    .map((element) => wordsOf(element).trim());
  const uri = places.find((place) => takeAddresses(place).refs.length > 0);
  const isrc = places.find((place) => isrcOf(place) !== null);
  const [title, artist, album] = [of('title'), of('creator'), of('album')];
  const more = { ...(album && { album }), ...(uri && { uri }), ...(isrc && { isrc }) };
  if (artist !== '' || uri || isrc) return { ...row, fields: { title, artist, ...more } };
  return { ...row, ...songOfFile({ title, path: of('location') }, more, isWhole) };
}
