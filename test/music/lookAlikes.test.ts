/** However a song is written, and whatever else the provider's answer holds, no other recording is matched. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Track } from '../../src/domain/shapes.ts';
import { withoutNoise } from '../../src/music/listNoise.ts';
import { matchTrack } from '../../src/music/match.ts';
import { normaliseName } from '../../src/music/names.ts';
import { seeded } from '../support/seeded.ts';
import { trackOf } from './matchRows.ts';
import { LOOK_ALIKES, NEAR_LOOK_ALIKES, WAYS } from './waysOfWriting.ts';

const TURNS = 1;
const TITLES =
  'Plinth,Mallet,Hourglass,Lanternfish,Threadbare,Kettles,Snowfield,Barometer,Été,Łódź,Maяк,Маяк,Φάρος'.split(
    ',',
  );
const WORDS = 'Umber,Nine,of the,Ferrying,in,Copper,Tin,and,My,Slow,Don’t,Rise/Fall,Borrowed,No. 5'.split(
  ',',
);
const ARTISTS = [
  'Ula Brenk',
  'The Kettles',
  'Ovo',
  'Zoë Ålmqvarn',
  'Tamsin & The Weathervanes',
  'Velhaven Choir',
  'M.O.R.V.',
  'Вельморан',
  'K$sk8',
  'Bjørnskår Ødegryn',
];

function madeUpSong(next: () => number): Track {
  const pick = (from: readonly string[]) => from[Math.floor(next() * from.length)] ?? '';
  const title = [next() < 0.6 ? pick(WORDS) : '', pick(TITLES), next() < 0.3 ? pick(TITLES) : ''];
  const name = title.filter((word) => word !== '').join(' ');
  return trackOf(`${name} | ${pick(ARTISTS)} | Rooms | 1994 | 200 | X1`);
}

for (const [kind, lookAlike] of Object.entries(LOOK_ALIKES)) {
  test(`${kind}: never matched beside the song; matched alone only if it is one letter away`, () => {
    const next = seeded(kind.length * 7_919);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const way of WAYS) {
        const song = madeUpSong(next);
        const other = lookAlike(song, next);
        const asked = way.write({ title: song.name, artist: song.artists[0]?.name ?? '' }, next);
        if (!asked || isSameName(withoutNoise(asked), other)) continue;
        const { match } = matchTrack(asked, [other, song]);
        assert.notEqual(
          match?.track.uri,
          other.uri,
          JSON.stringify([way.name, asked, other.name, other.artists]),
        );
        if (NEAR_LOOK_ALIKES.has(kind)) continue;
        const alone = matchTrack(asked, [other]);
        assert.equal(alone.match, null, JSON.stringify([way.name, asked, other.name, other.artists]));
      }
    }
  });
}

/** A typo may turn a name into that of the look-alike. Then the look-alike is what was asked for. */
function isSameName(asked: { title: string; artist: string }, { name, artists }: Track): boolean {
  const written = (title: string, by: string) => `${normaliseName(title)} | ${normaliseName(by)}`;
  return written(asked.title, asked.artist) === written(name, artists[0]?.name ?? '');
}
