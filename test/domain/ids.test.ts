import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { type EntityKind, parseRef } from '../../src/domain/ids.ts';

const ID = '0000invented0000track0';

const readable: Array<[text: string, wanted: [EntityKind, ...EntityKind[]], uri: string]> = [
  [ID, ['track'], `spotify:track:${ID}`],
  [`  ${ID}\n`, ['track'], `spotify:track:${ID}`],
  [ID, ['playlist'], `spotify:playlist:${ID}`],
  [`spotify:track:${ID}`, ['track'], `spotify:track:${ID}`],
  [`spotify:episode:${ID}`, ['track', 'episode'], `spotify:episode:${ID}`],
  [`spotify:user:some.body:playlist:${ID}`, ['playlist'], `spotify:playlist:${ID}`],
  ['spotify:user:some.body-ü', ['user'], 'spotify:user:some.body-ü'],
  [`https://open.spotify.com/track/${ID}`, ['track'], `spotify:track:${ID}`],
  [`https://open.spotify.com/track/${ID}?si=abc&utm=1`, ['track'], `spotify:track:${ID}`],
  [`https://open.spotify.com/track/${ID}#at=1`, ['track'], `spotify:track:${ID}`],
  [`https://open.spotify.com/track/${ID}/`, ['track'], `spotify:track:${ID}`],
  [`http://open.spotify.com/track/${ID}`, ['track'], `spotify:track:${ID}`],
  [`open.spotify.com/track/${ID}`, ['track'], `spotify:track:${ID}`],
  [`https://play.spotify.com/album/${ID}`, ['album'], `spotify:album:${ID}`],
  [`https://open.spotify.com/intl-de/artist/${ID}`, ['artist'], `spotify:artist:${ID}`],
  [`https://open.spotify.com/intl-pt-br/artist/${ID}`, ['artist'], `spotify:artist:${ID}`],
  [
    `https://open.spotify.com/intl-de/artist/${ID}/discography/all?si=abc`,
    ['artist'],
    `spotify:artist:${ID}`,
  ],
  [`https://open.spotify.com/embed/track/${ID}`, ['track'], `spotify:track:${ID}`],
  [`https://open.spotify.com/user/some.body/playlist/${ID}`, ['playlist'], `spotify:playlist:${ID}`],
  ['https://open.spotify.com/user/some%20body', ['user'], 'spotify:user:some body'],
];

for (const [text, wanted, uri] of readable) {
  test(`reads ${text.trim()} as ${wanted.join(' or ')}`, () => {
    const [, kind, id] = /^spotify:([a-z]+):(.*)$/s.exec(uri) ?? [];
    assert.deepEqual(parseRef(text, wanted), { kind, id, uri });
  });
}

const refused: Array<[text: string, wanted: [EntityKind, ...EntityKind[]], message: RegExp]> = [
  [`spotify:album:${ID}`, ['track'], /is an album, not a track/],
  [`https://open.spotify.com/artist/${ID}`, ['album'], /is an artist, not an album/],
  [`spotify:user:${ID}`, ['playlist'], /is a user, not a playlist/],
  [`spotify:show:${ID}`, ['track', 'episode'], /is a show, not a track or an episode/],
  ['https://spotify.link/AbCdEf', ['track'], /short link/],
  ['https://open.spotify.com/s/AbCdEf', ['track'], /short link/],
  ['spotify:local:Artist:Album:Title:123', ['track'], /local file/],
  ['0000invented0000track', ['track'], /is not a track/],
  [`${ID}x`, ['track'], /is not a track/],
  ['spotify:track:not-an-id', ['track'], /is not a track/],
  [`spotify:track:${ID}:extra`, ['track'], /is not a track/],
  [`https://example.org/track/${ID}`, ['track'], /is not a track/],
  [`https://open.spotify.com.example.org/track/${ID}`, ['track'], /is not a track/],
  ['', ['track'], /is not a track/],
  ['../../etc/passwd', ['playlist'], /is not a playlist/],
];

for (const [text, wanted, message] of refused) {
  test(`refuses ${text === '' ? 'an empty text' : text} as ${wanted.join(' or ')}`, () => {
    assert.throws(
      () => parseRef(text, wanted),
      (error) =>
        error instanceof RelayError &&
        error.code === 'INVALID_ARGUMENT' &&
        message.test(error.message) &&
        (error.remedy ?? '').length > 10,
    );
  });
}
