/** Lists of invented songs in every way of writing at once: numbers, bullets, times, dashes, sides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../src/music/lists/readList.ts';
import { seeded } from '../support/seeded.ts';
import { bytesOf } from './told.ts';

const ARTISTS =
  'Ovo Brenk|Tam|The Weirs|Ula & Quill|Jay-Marn|21 Kettles|Sónar Vey|Brask, Olm and Tey|Æ|M. Pell|DJ Rope'.split(
    '|',
  );
const TITLES =
  'Plinth|Kettle (Live)|Rope - Remastered 2011|Stand by Lantern|1979|Quill: Part Two|Who?|7 Doors|Ærie [Ovo Remix]|The Long Way|Wish at 11|Up / Down'.split(
    '|',
  );

type Way = (song: string, at: number) => string;

const NUMBERS: readonly Way[] = [
  (song) => song,
  (song) => song,
  (song, at) => `${at + 1}. ${song}`,
  (song, at) => `${String(at + 1).padStart(3, '0')}) ${song}`,
  (song, at) => `${at + 1} ${song}`,
  (song, at) => `${String(at + 1).padStart(2, '0')} - ${song}`,
  (song, at) => `#${at + 1} ${song}`,
  (song, at) => `[${at + 1}] ${song}`,
  (song, at) => `${500 - at}: ${song}`,
];
const BULLETS: readonly Way[] = [
  (song) => song,
  (song) => song,
  (song) => `• ${song}`,
  (song) => `- ${song}`,
  (song) => `* [ ] ${song}`,
];
const time = (at: number) => `${(at * 3) % 60}:${String((at * 17) % 60).padStart(2, '0')}`;
const TIMES: readonly Way[] = [
  (song) => song,
  (song) => song,
  (song, at) => `${song} ${time(at)}`,
  (song, at) => `${song} (${time(at)})`,
  (song, at) => `${song} – ${time(at)}`,
  (song, at) => `${time(at)} ${song}`,
  (song, at) => `[1:${time(at).padStart(5, '0')}] ${song}`,
];
type Join = (artist: string, title: string) => string;
const JOINS: readonly Join[] = [
  ...[' - ', ' – ', ' — ', '\t'].flatMap((dash): Join[] => [
    (artist, title) => `${artist}${dash}${title}`,
    (artist, title) => `${title}${dash}${artist}`,
  ]),
  (artist, title) => `${title} by ${artist}`,
  (artist, title) => `"${title}" by ${artist}`,
  (artist, title) => `${artist} "${title}"`,
  (artist, title) => `${artist} — “${title}”`,
  (artist, title) => `**"${title}"** – ${artist}`,
  (artist, title) => `**${artist}** – *${title}*`,
];

test('songs are read correctly in every way of writing', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const next = seeded(seed * 6_700_417);
    const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T;
    const [number, bullet, length, join] = [pick(NUMBERS), pick(BULLETS), pick(TIMES), pick(JOINS)];
    // Artists have several songs and each title comes once. That tells relay on which side the artist is.
    const artists = ARTISTS.filter(() => next() < 0.6);
    const songs = TITLES.map((title) => ({
      title,
      artist: artists.length > 0 ? pick(artists) : 'Ovo Brenk',
    }));
    const lines = songs.map(({ title, artist }, at) =>
      bullet(number(length(join(artist, title), at), at), at),
    );
    const { entries, notSongs } = readList(bytesOf(lines.join('\n')));
    assert.deepEqual(
      { songs: entries.map(({ title, artist }) => ({ title, artist })), notSongs },
      { songs, notSongs: [] },
      `seed ${seed}:\n${lines.join('\n')}`,
    );
  }
});
