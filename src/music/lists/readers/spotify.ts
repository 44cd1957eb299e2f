import { LEFT_OUT_PLAYS } from '../../../domain/listImport.ts';
import type { Fields } from '../columns.ts';
import { playlistNamer } from '../entry.ts';
import { beginsLikeJson, itemsOf, type JsonNode, propertiesOf, textOf } from '../jsonTree.ts';
import type { RawList, Row } from '../list.ts';
import type { Source } from '../source.ts';
import type { Reader } from './reader.ts';

/** What YourLibrary.json has besides songs. Each kind has its own array. */
const LIBRARY_OTHERS: Readonly<Record<string, string>> = {
  albums: 'an album',
  shows: 'a podcast',
  episodes: 'an episode',
  artists: 'an artist',
  bannedTracks: 'a song that you have hidden',
  bannedArtists: 'an artist that you have hidden',
  other: 'not a song',
};

/** Spotify's own data export: YourLibrary.json, Playlist1.json, StreamingHistory and the extended history. */
export const spotify: Reader = {
  format: 'spotify',
  name: "Spotify's data export",
  looksLike: (source) => beginsLikeJson(source.text) && partOf(source) !== null,
  read: (source, options) => partOf(source)?.(source, options) ?? { rows: [] },
};

/** The function that reads this kind of file; null for other files. */
function partOf(source: Source): Reader['read'] | null {
  const root = source.json();
  const library = propertiesOf(root);
  const [playlist] = itemsOf(library.get('playlists'));
  if (playlist && propertiesOf(playlist).has('items')) return readPlaylists;
  if (library.has('tracks') && (library.has('bannedTracks') || library.has('albums'))) return readLibrary;
  const play = propertiesOf(itemsOf(root)[0]);
  const isHistory = play.has('msPlayed') || play.has('master_metadata_track_name');
  return isHistory ? readHistory : null;
}

function readPlaylists(source: Source): RawList {
  const named = playlistNamer();
  const rows = itemsOf(propertiesOf(source.json()).get('playlists')).flatMap((node) => {
    const playlist = propertiesOf(node);
    const items = itemsOf(playlist.get('items'));
    const list = items.length > 0 ? named(textOf(playlist.get('name'))) : '';
    return items.map((item) => itemRow(item, list, source));
  });
  return { rows };
}

function itemRow(item: JsonNode, list: string, source: Source): Row {
  const properties = propertiesOf(item);
  const localTrack = propertiesOf(properties.get('localTrack'));
  if (localTrack.size > 0) {
    return rowAt(item, source, { uri: textOf(localTrack.get('uri')) || 'spotify:local:' });
  }
  const track = propertiesOf(properties.get('track'));
  const episode = propertiesOf(properties.get('episode'));
  const isEpisode = episode.size > 0;
  return rowAt(item, source, {
    title: textOf(isEpisode ? episode.get('episodeName') : track.get('trackName')),
    artist: textOf(isEpisode ? episode.get('showName') : track.get('artistName')),
    album: textOf(track.get('albumName')),
    uri: textOf(isEpisode ? episode.get('episodeUri') : track.get('trackUri')),
    list,
  });
}

function readLibrary(source: Source): RawList {
  const library = propertiesOf(source.json());
  const songs = itemsOf(library.get('tracks')).map((node) => {
    const track = propertiesOf(node);
    return rowAt(node, source, {
      title: textOf(track.get('track')),
      artist: textOf(track.get('artist')),
      album: textOf(track.get('album')),
      uri: textOf(track.get('uri')),
    });
  });
  const others = Object.entries(LIBRARY_OTHERS).flatMap(([key, why]) =>
    itemsOf(library.get(key)).map((node) => ({ ...rowAt(node, source, {}), why })),
  );
  return { rows: [...songs, ...others] };
}

/** A shorter play is left out. Spotify does not count it either. */
const SHORT_MS = 30_000;

/** One row for each play, so a song that was played twice is there twice. */
function readHistory(source: Source, { allPlays }: { allPlays: boolean }): RawList {
  const rows = itemsOf(source.json()).map((node) => {
    const play = propertiesOf(node);
    const of = (...keys: string[]) =>
      textOf(keys.map((key) => play.get(key)).find((found) => textOf(found) !== ''));
    const ms = of('msPlayed', 'ms_played');
    const row = rowAt(node, source, {
      title: of('trackName', 'master_metadata_track_name', 'episode_name'),
      artist: of('artistName', 'master_metadata_album_artist_name', 'episode_show_name'),
      album: of('master_metadata_album_album_name'),
      uri: of('spotify_track_uri', 'spotify_episode_uri'),
    });
    const isShort = !allPlays && ms !== '' && Number(ms) < SHORT_MS;
    return isShort ? { ...row, why: LEFT_OUT_PLAYS.short } : row;
  });
  return { rows, isHistory: true };
}

function rowAt({ offset, length }: JsonNode, source: Source, fields: Fields): Row {
  return { ...source.placeOf(offset, offset + length), fields };
}
