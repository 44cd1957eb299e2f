import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aliasKey, searchQueries } from '../../src/music/trackQuery.ts';
import { assertNone } from '../support/entries.ts';
import { queryOf } from './matchRows.ts';

/** A query, and its search texts in order. */
const SEARCHES: readonly (readonly [string, readonly string[]])[] = [
  ['Plinth | Ula Brenk', ['track:"Plinth" artist:"Ula Brenk"', 'Plinth Ula Brenk']],
  [
    'Plinth | Ula Brenk | Rooms (Deluxe Edition) | 1994',
    [
      'track:"Plinth" artist:"Ula Brenk" album:"Rooms"',
      'track:"Plinth" artist:"Ula Brenk"',
      'Plinth Ula Brenk',
    ],
  ],
  ['Plinth (feat. Ovo) [2011 Remaster] | Ula', ['track:"Plinth" artist:"Ula"', 'Plinth Ula']],
  ['Plinth - Live at Brask | Ula', ['live brask track:"Plinth" artist:"Ula"', 'Plinth live brask Ula']],
  ['Plinth (Ovo Remix) | Ula', ['ovo remix track:"Plinth" artist:"Ula"', 'Plinth ovo remix Ula']],
  ['Plinth | Ula & Ovoline', ['track:"Plinth" artist:"Ovoline"', 'Plinth Ula & Ovoline']],
  ['Plinth | Ula feat. Ovoline', ['track:"Plinth" artist:"Ula"', 'Plinth Ula feat. Ovoline']],
  ['Rise/Fall | K/B', ['track:"Rise/Fall" artist:"K/B"', 'Rise/Fall K/B']],
  ['Don’t Unpick It | Ula', ['track:"Don\'t Unpick It" artist:"Ula"', "Don't Unpick It Ula"]],
  ['灯台と硯 | おぼろ時計店', ['track:"灯台と硯" artist:"おぼろ時計店"', '灯台と硯 おぼろ時計店']],
  ['Маяк | Ёлкин', ['track:"Маяк" artist:"Ёлкин"', 'Маяк Ёлкин']],
  ['…—… | ¡¿!', ['track:"…—…" artist:"¡¿!"', '…—… ¡¿!']],
  [
    'Plinth | Ula | …—…',
    ['track:"Plinth" artist:"Ula" album:"…—…"', 'track:"Plinth" artist:"Ula"', 'Plinth Ula'],
  ],
  ['11:47 | 0909', ['track:"11 47" artist:"0909"', '11 47 0909']],
  ['Say "Kettle" | Ula', ['track:"Say Kettle" artist:"Ula"', 'Say Kettle Ula']],
  ['year:1999 NOT | -Ula*', ['track:"year 1999 NOT" artist:"-Ula*"', 'year 1999 not Ula']],
  ['" | Ula', ['artist:"Ula"', 'Ula']],
  ['" | :', []],
];

for (const [ask, searches] of SEARCHES) {
  test(`search texts for ${ask}`, () => {
    assert.deepEqual(searchQueries(queryOf(ask)), searches);
  });
}

test('a search text has at most 250 characters, and no character or quotation is cut in half', () => {
  const long = (sign: string) => sign.repeat(200 / sign.length);
  for (const sign of ['a', 'ab ', 'ﷺ', '硯', '🔥', '"', 'feat. ', '(Live) ']) {
    const searches = searchQueries({ title: long(sign), artist: long(sign), album: long(sign) });
    for (const text of searches) {
      assert.ok(text.length <= 250, `${text.length} characters for ${sign}`);
      assert.doesNotMatch(text, /\p{Cs}/u);
      assert.equal([...text].filter((one) => one === '"').length % 2, 0, text);
    }
  }
});

const ALIKE: readonly (readonly [string, string])[] = [
  ['Plinth | Ula', 'PLINTH | úla'],
  ['Plinth | The Kettles', 'Plinth | Kettles'],
  ['Plinth (feat. Ovo) | Ula', 'Plinth | Ula feat. Ovo'],
  ['Plinth | Ula & Ovo', 'Plinth | Ovo, Ula'],
  ['Plinth (Live) | Ula', 'Plinth - Live | Ula'],
  ['Plinth, Pt. 1 | Ula', 'Plinth (Part One) | Ula'],
  ['Plinth | Ula | Rooms', 'Plinth | Ula | The Rooms'],
];
const UNLIKE: readonly (readonly [string, string])[] = [
  ['Plinth | Ula', 'Plinth | Ulana'],
  ['Plinth | Ula', 'Plinth (Live) | Ula'],
  ['Plinth Live | Ula', 'Plinth (Live) | Ula'],
  ['Plinth (Ovo Remix) | Ula', 'Plinth (Tam Remix) | Ula'],
  ['Plinth (Live at Brask) | Ula', 'Plinth (Live) | Ula'],
  ['Plinth - 2011 Remaster | Ula', 'Plinth | Ula'],
  ['Plinth | Ula', 'Plinth | Ula | Rooms'],
  ['Plinth | Ula | | 1994', 'Plinth | Ula | | 2008'],
  ['Plinth | Ula | | 1994', 'Plinth | Ula'],
  ['??? | Ula', '!!! | Ula'],
];

test('queries that mean the same share an alias', () => {
  assertNone(ALIKE, ([a, b]) => aliasKey(queryOf(a)) !== aliasKey(queryOf(b)));
});

test('queries that may mean different recordings do not share an alias', () => {
  assertNone(UNLIKE, ([a, b]) => aliasKey(queryOf(a)) === aliasKey(queryOf(b)));
});
