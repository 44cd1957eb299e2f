import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { at } from '../support/entries.ts';
import { trackShape } from '../support/shapes.ts';
import { type Relay, withRelay } from '../support/world.ts';

interface Found {
  status: string;
  match: { track: { id: string; isrc: string }; score: number } | null;
  candidates: Array<{ track: { id: string }; score: number; reasons: string[] }>;
  source: string;
}

const find = (relay: Relay, args: Record<string, unknown>) =>
  relay.call('find_track_exact', args) as unknown as Promise<Found>;
const artistOf = (track: DemoTrack) => at(track.artists, 0).name;

/** A song that only one recording of the catalogue has. */
function uniqueTrack({ provider }: Relay): DemoTrack {
  const { tracks } = provider.catalogue;
  const isPartOfOther = (track: DemoTrack) =>
    tracks.some((other) => other !== track && other.name.includes(track.name));
  const found = tracks.find((track) => /^[A-Za-z ]{12,}$/.test(track.name) && !isPartOfOther(track));
  if (!found) throw new Error('no unique track');
  return found;
}

test('title alone never matches; near misses say why', () =>
  withRelay(async (relay) => {
    const track = uniqueTrack(relay);
    const found = await find(relay, { title: track.name, artist: 'Nobody of That Name' });
    assert.deepEqual([found.status, found.match, found.source], ['unmatched', null, 'search']);
    assert.ok(found.candidates.length <= 5);
    const near = found.candidates.find((candidate) => candidate.track.id === track.id);
    assert.ok(near?.reasons.includes('artist_differs'));
    // Only a match is remembered.
    relay.provider.clearRequests();
    await find(relay, { title: track.name, artist: 'Nobody of That Name' });
    assert.ok(relay.provider.requests.length > 0);
  }));

test('remember_track corrects what a title and an artist refer to, across a restart', () =>
  withRelay(async (relay) => {
    const track = uniqueTrack(relay);
    const names = { title: track.name.toLowerCase(), artist: artistOf(track) };
    const first = await relay.call('remember_track', { track_id: track.uri, ...names });
    assert.deepEqual(first, { track: trackShape(track), alias: { ...names, album: null }, replaced: false });
    const second = await relay.call('remember_track', { track_id: track.id });
    const alias = { title: track.name, artist: artistOf(track), album: null };
    assert.deepEqual(second, { track: trackShape(track), alias, replaced: true });
    await relay.restart();
    relay.provider.clearRequests();
    const found = await find(relay, { ...names, year: 1999 });
    assert.deepEqual([found.match?.track.id, found.source], [track.id, 'alias']);
    assert.deepEqual(relay.provider.requests, []);
  }));

const mismatches: Array<[what: string, given: (track: DemoTrack) => Record<string, string>]> = [
  ['title', () => ({ title: 'Another Song Altogether' })],
  ['artist', () => ({ artist: 'Another Artist' })],
  ['version', ({ name }) => ({ title: `${name} (Live)` })],
  ['album', () => ({ album: 'Another Album' })],
];

for (const [what, given] of mismatches) {
  test(`remember_track refuses another ${what} than the track has`, () =>
    withRelay(async (relay) => {
      const track = uniqueTrack(relay);
      const answer = await relay.call('remember_track', { track_id: track.id, ...given(track) });
      assert.equal((answer.error as { code: string }).code, 'ALIAS_MISMATCH');
      relay.provider.clearRequests();
      await find(relay, { title: track.name, artist: artistOf(track) });
      assert.equal(relay.provider.requests.length, 1, 'nothing was remembered');
    }));
}

test('remember_track keeps what the user confirmed, however it is spelled, across a restart', () =>
  withRelay(async (relay) => {
    const track = uniqueTrack(relay);
    const names = { title: 'Sumthing Else', artist: 'Nobody of That Name' };
    const refused = await relay.call('remember_track', { track_id: track.id, ...names, confirm: false });
    assert.equal((refused.error as { code: string }).code, 'ALIAS_MISMATCH');
    assert.match((refused.error as { remedy: string }).remedy, /confirm: true/);
    const kept = await relay.call('remember_track', { track_id: track.id, ...names, confirm: true });
    assert.deepEqual(kept, { track: trackShape(track), alias: { ...names, album: null }, replaced: false });
    await relay.restart();
    relay.provider.clearRequests();
    const found = await find(relay, names);
    assert.deepEqual([found.match?.track.id, found.source], [track.id, 'alias']);
    assert.deepEqual(relay.provider.requests, []);
  }));

for (const field of ['title', 'artist'] as const) {
  test(`one typo in the ${field} is forgiven, marked, and remembered`, () =>
    withRelay(async (relay) => {
      const track = uniqueTrack(relay);
      const names = { title: track.name, artist: artistOf(track) };
      const right = /[A-Za-z]{5,}/.exec(names[field])?.[0] ?? '';
      const written = names[field].replace(right, `${right.slice(0, 2)}${right.slice(3)}`);
      const found = await find(relay, { ...names, [field]: written });
      assert.deepEqual([found.status, found.match?.track.id], ['matched', track.id]);
      assert.equal(found.candidates[0]?.reasons.includes('spelling'), true);
      assert.equal(relay.provider.requests.length, 2);
      relay.provider.clearRequests();
      // It stays a guess until somebody confirms it.
      const again = await find(relay, { ...names, [field]: written });
      assert.deepEqual(again, { ...found, candidates: again.candidates, source: 'alias' });
      assert.deepEqual(again.candidates[0], found.candidates[0]);
      assert.deepEqual(relay.provider.requests, []);
      await relay.call('remember_track', { ...names, [field]: written, track_id: track.id });
      assert.deepEqual((await find(relay, { ...names, [field]: written })).candidates, []);
    }));
}

type Results = { tracks: { items: SpotifyTrack[] } };
type SpotifyTrack = { id: string; name: string; artists: Array<{ name: string }>; external_ids: object };

for (const field of ['title', 'artist'] as const) {
  test(`a song whose ${field} is one letter off is not taken for a song that is there as written`, () =>
    withRelay(async (relay) => {
      const track = uniqueTrack(relay);
      const off = (name: string) => name.replace(/([A-Za-z]{2})[A-Za-z](?=[A-Za-z]{2})/, '$1q');
      const alike = (one: SpotifyTrack) => ({
        ...one,
        ...(field === 'title' ? { name: off(one.name) } : { artists: [{ name: off(artistOf(track)) }] }),
        ...{ id: 'x'.repeat(22), uri: `spotify:track:${'x'.repeat(22)}`, external_ids: {} },
      });
      const fn = (body: unknown) => ({ tracks: { items: (body as Results).tracks.items.map(alike) } });
      relay.provider.faults.add({ path: '/search', kind: 'transform', fn });
      const found = await find(relay, { title: track.name, artist: artistOf(track) });
      assert.deepEqual([found.match?.track.id, relay.provider.requests.length], [track.id, 2]);
      assert.equal(found.candidates[0]?.reasons.includes('spelling'), false);
    }));
}

test('the lean answer too marks a match whose typo was forgiven, and no other', () =>
  withRelay(async (relay) => {
    const track = uniqueTrack(relay);
    const artist = artistOf(track);
    const written = track.name.replace(/([A-Za-z]{2})[A-Za-z](?=[A-Za-z]{2})/, '$1');
    assert.notEqual(written, track.name);
    const lean = async (title: string) => {
      const found = await relay.call('find_track_exact', { title, artist, detail: 'lean' });
      const candidates = (found.candidates ?? []) as Found['candidates'];
      return candidates.map((one) => [one.track.id, one.reasons.includes('spelling')]);
    };
    assert.deepEqual(await lean(written), [[track.id, true]]);
    assert.deepEqual(await lean(track.name), []);
  }));

test('a match that was found without a year does not answer for a year, from which there may be another recording', () =>
  withRelay(async (relay) => {
    const yearOf = ({ album }: DemoTrack) => Number(album.releaseDate.slice(0, 4));
    const { tracks } = relay.provider.catalogue;
    const isLater = (one: DemoTrack, other: DemoTrack) =>
      one.name === other.name &&
      artistOf(one) === artistOf(other) &&
      one.isrc !== other.isrc &&
      yearOf(other) > yearOf(one) + 1;
    const early = tracks.find((one) => tracks.some((other) => isLater(one, other)));
    const late = early && tracks.find((other) => isLater(early, other));
    assert.ok(early && late);
    const names = { title: early.name, artist: artistOf(early) };
    const isEarly = ({ id }: SpotifyTrack) => id === early.id;
    const fn = (body: unknown) => ({ tracks: { items: (body as Results).tracks.items.filter(isEarly) } });
    relay.provider.faults.add({ path: '/search', kind: 'transform', fn });
    assert.equal((await find(relay, names)).match?.track.isrc, early.isrc);
    for (const [wanted, source] of [
      [late, 'search'],
      [early, 'search'],
      [late, 'alias'],
    ] as const) {
      const found = await find(relay, { ...names, year: yearOf(wanted) });
      assert.deepEqual([found.match?.track.isrc, found.source], [wanted.isrc, source]);
    }
  }));
