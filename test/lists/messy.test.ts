/** One messy list of 120 lines against the simulated catalogue: most songs are found, and no line finds a wrong one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import { searchOf } from '../../src/demo/catalogue/search.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { readList } from '../../src/music/lists/readList.ts';
import { parseTitle } from '../../src/music/title.ts';
import { findTrack } from '../../src/work/resolve/search.ts';
import { catalogueTrack } from '../music/matchRows.ts';
import { bytesOf } from './told.ts';

const catalogue = sharedCatalogue();

type Write = (artist: string, title: string, at: number) => string;
const WRITTEN: readonly Write[] = [
  (artist, title) => `${artist} - ${title}`,
  (artist, title) => `${title} - ${artist}`,
  (artist, title) => `${title} by ${artist}`,
  (artist, title, at) => `${at}. ${artist} - ${title}`,
  (artist, title) => `${artist} - ${title} (Official Music Video) [HD]`,
  (artist, title) => `${artist} - ${title} [-0S3qV972A0].mp4`,
  (artist, title) => `[${artist} - ${title}](https://example.com/v) - \`3:02\``,
  (artist, title) => `${artist} - ${title.slice(0, 4)}${title.slice(5)}`,
  (artist, title) => `Listen to ${title} by ${artist} on Apple Music`,
  (artist, title) => `${artist.toUpperCase()} – ${title.toLowerCase()} https://example.com/${title.length}`,
];
const OTHERS =
  '|# for the road|----|Side B:|ID - ID|https://example.com/a|Thank you all!|more soon|haha yes - good one|Stand by Me'.split(
    '|',
  );

/** Releases of a song differ in the guests that they name. */
function songKey({ name, artists }: { name: string; artists: readonly { name: string }[] }): string {
  return `${parseTitle(name).base} by ${artists[0]?.name}`;
}

test('at least 80 of 100 songs of a messy list are found, and nothing wrong', async () => {
  const plain = catalogue.tracks.filter(({ name }) => {
    const { versions, notes } = parseTitle(name);
    return versions.size === 0 && notes.size === 0 && name.length > 6;
  });
  const songs = Array.from({ length: 100 }, (_, at) => plain[at * Math.floor(plain.length / 100)]).flatMap(
    (song) => song ?? [],
  );
  const lines = songs.flatMap(({ name, artists }, at) => {
    const line = WRITTEN[at % WRITTEN.length]?.(artists[0]?.name ?? '', name, at + 1) ?? '';
    return at % 5 === 4 ? [line, OTHERS[((at - 4) / 5) % OTHERS.length] ?? ''] : [line];
  });
  assert.equal(lines.length, 120);
  const { entries } = readList(bytesOf(lines.join('\n')));
  const wrong: string[] = [];
  let found = 0;
  for (const entry of entries) {
    const { match } = await findTrack(entry, async (text) =>
      searchOf(catalogue).tracks(text).slice(0, 10).map(catalogueTrack),
    );
    if (!match) continue;
    // Six lines for five songs: the sixth is no song.
    const song = entry.line % 6 === 0 ? undefined : songs[entry.line - 1 - Math.floor(entry.line / 6)];
    if (song && songKey(match.track) === songKey(song)) found += 1;
    else wrong.push(`${entry.raw}: ${songKey(match.track)}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(found >= 80, `${found} of 100`);
});

test('a search that Spotify refuses is tried once with fewer words', async () => {
  const track = { ...catalogueTrack(catalogue.tracks[0] as DemoTrack), name: 'Kept', isrc: null };
  const [artist = ''] = track.artists.map(({ name }) => name);
  const asked: string[] = [];
  const { match } = await findTrack({ title: 'Kept', artist }, async (text) => {
    asked.push(text);
    if (asked.length === 1)
      throw new RelayError('INVALID_ARGUMENT', 'Spotify refused the request (400).', {});
    return [track];
  });
  assert.equal(match?.track.uri, track.uri);
  assert.deepEqual(asked, [`track:"Kept" artist:"${artist}"`, `Kept ${artist}`]);
});
