/** Tracks, queries and results, each as one line of text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import type { Track } from '../../src/domain/shapes.ts';
import { type MatchResult, matchTrack } from '../../src/music/match.ts';
import type { TrackQuery } from '../../src/music/trackQuery.ts';

/**
 * The track of a line such as `Title | Artist ; Artist | Album | 1999-05-01 | 200 | ISRC | E`. 200 is its length in seconds; E
 * stands for explicit, C for clean. Every part after the artists may be left out or empty. Without an ISRC or length each track
 * is a recording of its own. A line that begins with `|` is one of `Plinth | Ula`.
 */
export function trackOf(line: string, index = 0): Track {
  const [name = '', artists = '', album = '', date = '', seconds = '', isrc = '', mark = ''] = partsOf(line);
  return {
    id: `id${index}`,
    uri: `spotify:track:id${index}`,
    type: 'track',
    name,
    artists: artists.split(';').map((artist, n) => ({ id: `artist${n}`, name: artist.trim() })),
    album: { id: null, name: album || null, release_date: date || null },
    duration_ms: seconds === '' ? null : Number(seconds) * 1000,
    explicit: mark === '' ? null : mark === 'E',
    is_local: false,
    isrc: isrc || null,
    url: null,
  };
}

function partsOf(line: string): string[] {
  return line
    .replace(/^(?=\|)/, 'Plinth | Ula ')
    .split('|')
    .map((part) => part.trim());
}

/** The query of a line such as `Title | Artist | Album | year`. Album and year are optional. */
export function queryOf(line: string): TrackQuery {
  const [title = '', artist = '', album = '', year = ''] = partsOf(line);
  return { title, artist, ...(album && { album }), ...(year && { year: Number(year) }) };
}

/** A track of the simulated catalogue as the provider's answer gives it. */
export function catalogueTrack({
  id,
  uri,
  name,
  artists,
  album,
  durationMs,
  explicit,
  isrc,
}: DemoTrack): Track {
  return {
    id,
    uri,
    type: 'track',
    name,
    artists: artists.map((artist) => ({ id: artist.id, name: artist.name })),
    album: { id: album.id, name: album.name, release_date: album.releaseDate },
    duration_ms: durationMs,
    explicit,
    is_local: false,
    isrc,
    url: null,
  };
}

export type Row = readonly [ask: string, found: readonly string[], result: string];

/** One test for each row. */
export function testRows(rows: readonly Row[]): void {
  for (const [ask, found, result] of rows) {
    test(`${ask}: ${result}`, () => {
      const tracks = found.map(trackOf);
      assert.equal(resultOf(matchTrack(queryOf(ask), tracks), tracks), result);
    });
  }
}

/**
 * `matched 1: album` with the place of the match in the provider's answer and its reasons, where `title` and `artist` go without
 * saying if both agree; `ambiguous 0 2` with the candidates in order; `unmatched` with the nearest miss.
 */
function resultOf({ status, match, candidates }: MatchResult, tracks: readonly Track[]): string {
  const placeOf = (track: Track) => tracks.findIndex((one) => one.uri === track.uri);
  if (status === 'ambiguous')
    return ['ambiguous', ...candidates.map(({ track }) => placeOf(track))].join(' ');
  const [first] = candidates;
  if (!first) return status;
  if (match) assert.deepEqual({ track: first.track, score: first.score }, match);
  const agree = first.reasons.includes('title') && first.reasons.includes('artist');
  const told = first.reasons.filter((reason) => !(agree && /^(?:title|artist)$/.test(reason)));
  return [`${status} ${placeOf(first.track)}`, ...(told.length > 0 ? [told.join(', ')] : [])].join(': ');
}
