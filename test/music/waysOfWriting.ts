/** How lists write a song, and the recordings that are easily mistaken for it. */
import type { Track } from '../../src/domain/shapes.ts';
import type { TrackQuery } from '../../src/music/trackQuery.ts';

type Random = () => number;

/** One way in which lists write a song. */
export interface Way {
  readonly name: string;
  /** The part of all songs that must be found, 0 to 1. */
  readonly goal: number;
  /** Writes the song in this way. Returns null if the song cannot be written so, or would not change. */
  write(song: TrackQuery, next: Random): TrackQuery | null;
}

const same = ({ title, artist }: TrackQuery): TrackQuery => ({ title, artist });
const titled = (form: (title: string, artist: string) => string) => {
  return ({ title, artist }: TrackQuery): TrackQuery => ({ title: form(title, artist), artist });
};
const billed = (form: (artist: string) => string) => {
  return ({ title, artist }: TrackQuery): TrackQuery => ({ title, artist: form(artist) });
};

/** Every way in which lists write a song. */
export const WAYS: readonly Way[] = [
  { name: 'as written', goal: 0.99, write: same },
  { name: 'in capitals', goal: 0.97, write: changed((text) => text.toUpperCase()) },
  { name: 'without accents', goal: 0.97, write: changed(withoutMarks) },
  { name: 'without punctuation', goal: 0.97, write: changed(withoutSigns) },
  { name: 'signs as spaces', goal: 0.97, write: changed(signsAsSpaces) },
  { name: 'as HTML', goal: 0.97, write: changed(asHtml) },
  { name: 'Title (3:45)', goal: 0.97, write: titled((title) => `${title} (3:45)`) },
  { name: 'Title (1999)', goal: 0.97, write: titled((title) => `${title} (1999)`) },
  { name: 'Title - 2011 Remaster', goal: 0.97, write: titled((title) => `${title} - 2011 Remaster`) },
  { name: 'Title (Official Video)', goal: 0.97, write: titled((title) => `${title} (Official Video)`) },
  { name: 'Title (Official Audio) HD', goal: 0.97, write: titled((title) => `${title} (Official Audio) HD`) },
  { name: 'Title [Lyrics]', goal: 0.97, write: titled((title) => `${title} [Lyrics]`) },
  { name: 'Title (Audio)', goal: 0.97, write: titled((title) => `${title} (Audio)`) },
  { name: 'Title 4K', goal: 0.97, write: titled((title) => `${title} 4K`) },
  {
    name: 'Title Official Music Video',
    goal: 0.97,
    write: titled((title) => `${title} Official Music Video`),
  },
  { name: 'Title | Official Video', goal: 0.97, write: titled((title) => `${title} | Official Video`) },
  { name: 'Artist - Title', goal: 0.97, write: titled((title, artist) => `${artist} - ${title}`) },
  { name: 'Artist – Title [4K]', goal: 0.97, write: titled((title, artist) => `${artist} – ${title} [4K]`) },
  { name: 'Title - Artist', goal: 0.97, write: titled((title, artist) => `${title} - ${artist}`) },
  { name: '03. Title', goal: 0.97, write: titled((title) => `03. ${title}`) },
  { name: '03. Artist - Title', goal: 0.97, write: titled((title, artist) => `03. ${artist} - ${title}`) },
  {
    name: '07 - Artist - Title.mp3',
    goal: 0.97,
    write: titled((title, artist) => `07 - ${artist} - ${title}.mp3`),
  },
  { name: 'Artist - Topic', goal: 0.97, write: billed((artist) => `${artist} - Topic`) },
  { name: 'Artist Official', goal: 0.97, write: billed((artist) => `${artist} Official`) },
  { name: 'ArtistVEVO', goal: 0.9, write: billed(vevo) },
  {
    name: 'ArtistVEVO, Artist - Title (Official Video)',
    goal: 0.9,
    write: ({ title, artist }) => ({ title: `${artist} - ${title} (Official Video)`, artist: vevo(artist) }),
  },
  { name: 'one typo in the title', goal: 0.8, write: misspelled('title') },
  { name: 'one typo in the artist', goal: 0.8, write: misspelled('artist') },
  {
    name: 'Artist - Title [HD] with one typo',
    goal: 0.8,
    write(song, next) {
      const written = misspelled('title')(song, next);
      return written && { ...written, title: `${song.artist} - ${written.title} [HD]` };
    },
  },
];

function changed(form: (text: string) => string): Way['write'] {
  return ({ title, artist }) => {
    const written = { title: form(title), artist: form(artist) };
    const isEmpty = written.title === '' || written.artist === '';
    return isEmpty || (written.title === title && written.artist === artist) ? null : written;
  };
}

function withoutMarks(text: string): string {
  return text
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '')
    .replace(/ø/gu, 'o')
    .replace(/ł/gu, 'l')
    .normalize('NFC');
}

function withoutSigns(text: string): string {
  return text
    .replace(/[^\p{L}\p{M}\p{N} ]/gu, '')
    .replace(/ +/gu, ' ')
    .trim();
}

function signsAsSpaces(text: string): string {
  return text
    .replace(/'/gu, '')
    .replace(/[^\p{L}\p{M}\p{N} ]/gu, ' ')
    .replace(/ +/gu, ' ')
    .trim();
}

function asHtml(text: string): string {
  return text.replace(/[&"'<>]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}

function vevo(artist: string): string {
  return `${artist.replace(/[^\p{L}\p{M}\p{N}]/gu, '')}VEVO`;
}

/** A Latin, Greek or Cyrillic word of at least four letters; the plural's "s" is left alone. */
const WORD =
  /(?<![\p{L}\p{M}\p{N}'’])[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{4,}(?![\p{L}\p{M}\p{N}'’])/gu;

function misspelled(field: 'title' | 'artist'): Way['write'] {
  return ({ title, artist }, next) => {
    const song = { title, artist };
    const words = [...song[field].matchAll(WORD)];
    const word = words[Math.floor(next() * words.length)];
    if (!word) return null;
    const written = typoIn(word[0], next);
    const at = word.index;
    return { ...song, [field]: song[field].slice(0, at) + written + song[field].slice(at + word[0].length) };
  };
}

/** One letter wrong, missing, doubled, or two swapped. */
function typoIn(word: string, next: Random): string {
  const at = Math.floor(next() * word.length);
  const [before, letter = '', after] = [word.slice(0, at), word[at], word.slice(at + 1)];
  const kind = Math.floor(next() * 4);
  if (kind === 0) return before + after;
  if (kind === 1) return before + letter + letter + after;
  const other = after[0];
  if (kind === 2 && other && other !== letter) return before + other + letter + after.slice(1);
  const nearby = neighbour(letter, next);
  return before + nearby + after;
}

function neighbour(letter: string, next: Random): string {
  const code = letter.codePointAt(0) ?? 0;
  const by = 1 + Math.floor(next() * 6);
  const other = String.fromCodePoint(/[\p{Lu}]/u.test(letter) ? code + by : code - by);
  return /^\p{L}$/u.test(other) ? other : letter === 'e' ? 'o' : 'e';
}

/** Each kind of recording that is not the song, as a provider may rank it first. */
export const LOOK_ALIKES: Readonly<Record<string, (song: Track, next: Random) => Track>> = {
  karaoke: ({ name, ...song }) => other(song, `${name} (Karaoke Version)`, 'Parlour Machine'),
  'karaoke, originally performed by': ({ name, ...song }) =>
    other(song, `${name} (Originally Performed by ${lead(song)}) [Karaoke]`, 'Microphone Parlour'),
  'karaoke by the artist': ({ name, ...song }) => other(song, `${name} - Karaoke`, lead(song)),
  tribute: ({ name, ...song }) => other(song, `${name} (Tribute to ${lead(song)})`, 'Evening Bureau'),
  'tribute band': ({ name, ...song }) => other(song, name, `${lead(song)} Tribute Band`),
  'in the style of': ({ name, ...song }) =>
    other(song, `${name} (In the Style of ${lead(song)})`, 'Assembly'),
  cover: ({ name, ...song }) => other(song, `${name} - Cover`, 'Borrowed Voices'),
  'cover by another': ({ name, ...song }) => other(song, name, 'Borrowed Voices'),
  'covers of the artist': ({ name, ...song }) => other(song, name, `${lead(song)} Covers`),
  live: ({ name, ...song }) => other(song, `${name} - Live`, lead(song)),
  'live somewhere': ({ name, ...song }) => other(song, `${name} (Live at Brask Hall)`, lead(song)),
  remix: ({ name, ...song }) => other(song, `${name} - Tam Remix`, lead(song)),
  acoustic: ({ name, ...song }) => other(song, `${name} (Acoustic)`, lead(song)),
  instrumental: ({ name, ...song }) => other(song, `${name} - Instrumental`, lead(song)),
  'sped up': ({ name, ...song }) => other(song, `${name} (Sped Up)`, lead(song)),
  slowed: ({ name, ...song }) => other(song, `${name} - Slowed + Reverb`, lead(song)),
  demo: ({ name, ...song }) => other(song, `${name} - Demo`, lead(song)),
  're-recorded': ({ name, ...song }) => other(song, `${name} (Re-Recorded)`, lead(song)),
  "artist's version": ({ name, ...song }) => other(song, `${name} (Tam’s Version)`, lead(song)),
  'artist with a word more': ({ name, ...song }) => other(song, name, `${lead(song)} Orchestra`),
  'artist with DJ': ({ name, ...song }) => other(song, name, `DJ ${lead(song)}`),
  'artist in the plural': ({ name, ...song }) => other(song, name, `${lead(song)}s`),
  'artist with a word less': ({ name, ...song }) =>
    other(song, name, lead(song).split(' ').slice(0, -1).join(' ') || `${lead(song)} Junior`),
  'artist with one other letter': ({ name, ...song }, next) => other(song, name, nearName(lead(song), next)),
  'title with one other letter': ({ name, ...song }, next) => other(song, nearName(name, next), lead(song)),
  'title in the plural': ({ name, ...song }) => other(song, `${name}s`, lead(song)),
  'title with a word more': ({ name, ...song }) => other(song, `${name} Again`, lead(song)),
  'title, part two': ({ name, ...song }) => other(song, `${name}, Pt. 2`, lead(song)),
  'title with artist': ({ name, ...song }) => other(song, `${lead(song)} - ${name}`, 'Borrowed Voices'),
  'other song by the artist': (song) => other(song, 'Nothing of the Sort', lead(song)),
};

/** Look-alikes that are one letter away from the song. Alone in an answer, each looks like the song with a typo. */
export const NEAR_LOOK_ALIKES: ReadonlySet<string> = new Set([
  'artist with one other letter',
  'title with one other letter',
  'artist in the plural',
  'title in the plural',
]);

function lead({ artists }: Pick<Track, 'artists'>): string {
  return artists[0]?.name ?? '';
}

function other(song: Omit<Track, 'name'>, name: string, artist: string): Track {
  const id = `planted ${name} ${artist}`;
  return {
    ...song,
    id,
    uri: `spotify:track:${id}`,
    name,
    artists: [{ id: null, name: artist }],
    album: { id: null, name: 'Planted', release_date: '1950' },
    isrc: null,
    duration_ms: (song.duration_ms ?? 200_000) + 21_000,
  };
}

/** A name one letter away in its longest word. */
function nearName(name: string, next: Random): string {
  const longest = [...name.matchAll(/\p{L}+/gu)].sort((a, b) => b[0].length - a[0].length)[0];
  if (!longest) return `${name} II`;
  const at = longest.index + Math.floor(next() * longest[0].length);
  return name.slice(0, at) + neighbour(name[at] ?? 'a', next) + name.slice(at + 1);
}
