import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, withoutChange } from '../support/answers.ts';
import { at, pluck } from '../support/entries.ts';
import { jumpingClock } from '../support/jumpingClock.ts';
import { savedUris } from '../support/playlists.ts';
import { sent } from '../support/requests.ts';
import type { FaultRule } from '../support/simulator/faults.ts';
import { gate, until, withClock } from '../support/waiting.ts';
import { type Relay, withRelay } from '../support/world.ts';

type Args = Record<string, unknown>;

const LIBRARY = '/me/library';
/** 22 characters, and no track of the catalogue. */
const UNKNOWN = 'spotify:track:0000invented0000track0';
/** Tracks that are not saved at the start, in the order of the catalogue. */
const unsaved = (relay: Relay, count: number) => {
  const saved = new Set(savedUris(relay));
  return relay.provider.catalogue.tracks
    .map(({ uri }) => uri)
    .filter((uri) => !saved.has(uri))
    .slice(0, count);
};
const chunkOf = (method: string, uris: readonly string[]) => `${method} ${LIBRARY}?uris=${uris.join(',')}`;
const asked = (uris: readonly string[]) => `GET ${LIBRARY}/contains?uris=${uris.join(',')}`;
const requestsTo = ({ provider }: Relay, path: string) =>
  provider.requests.filter((request) => request.path === path).length;

/** What a write to the library answers once everything is written. */
function written(requested: number, count: number) {
  return { ok: true, requested, written: requested, chunks: { total: count, completed: count } };
}

async function withProgress({ client }: Relay, name: string, args: Args) {
  const heard: unknown[] = [];
  const result = await client.callTool(
    { name, arguments: args },
    { onprogress: ({ progress, total }) => heard.push([progress, total]) },
  );
  return { answer: result.structuredContent as Args, heard };
}

test('save_tracks saves in chunks of 40, in order, repeats included', () =>
  withRelay(async (relay) => {
    const before = savedUris(relay);
    const fresh = unsaved(relay, 80);
    const uris = [...fresh, at(fresh, 0), at(before, 3)];
    const { answer, heard } = await withProgress(relay, 'save_tracks', { track_ids: uris });
    assert.deepEqual(withoutChange(answer), written(82, 3));
    assert.deepEqual(savedUris(relay), [...[...fresh].reverse(), ...before]);
    const distinct = uris.slice(0, 80);
    assert.deepEqual(sent(relay), [
      asked(distinct.slice(0, 40)),
      asked(distinct.slice(40)),
      asked([at(before, 3)]),
      chunkOf('PUT', uris.slice(0, 40)),
      chunkOf('PUT', uris.slice(40, 80)),
      chunkOf('PUT', uris.slice(80)),
    ]);
    assert.deepEqual(heard, [
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  }));

test('remove_saved_tracks asks what is saved, removes in chunks of 40 and ignores what is not saved', () =>
  withRelay(async (relay) => {
    const before = savedUris(relay);
    const uris = [...before.slice(0, 41), ...unsaved(relay, 4), at(before, 0)];
    const { answer, heard } = await withProgress(relay, 'remove_saved_tracks', { track_ids: uris });
    assert.deepEqual(withoutChange(answer), {
      ok: true,
      requested: 46,
      written: 42,
      removed: 41,
      not_found: uris.slice(41, 45),
      chunks: { total: 2, completed: 2 },
    });
    assert.deepEqual(savedUris(relay), before.slice(41));
    const distinct = uris.slice(0, 45);
    assert.deepEqual(sent(relay), [
      asked(distinct.slice(0, 40)),
      asked(distinct.slice(40)),
      chunkOf('DELETE', uris.slice(0, 40)),
      chunkOf('DELETE', uris.slice(40, 41)),
    ]);
    assert.deepEqual(heard, [
      [1, 2],
      [2, 2],
    ]);
  }));

test('IDs, URIs and links are accepted; 40 of them are one request without progress', () =>
  withRelay(async (relay) => {
    const uris = unsaved(relay, 40);
    const id = (uri: string) => uri.split(':').at(-1);
    const track_ids = uris.map((uri, index) =>
      index % 3 === 0 ? id(uri) : index % 3 === 1 ? `https://open.spotify.com/track/${id(uri)}?si=x` : uri,
    );
    const { answer, heard } = await withProgress(relay, 'save_tracks', { track_ids });
    assert.deepEqual(withoutChange(answer), written(40, 1));
    assert.deepEqual(sent(relay), [asked(uris), chunkOf('PUT', uris)]);
    assert.deepEqual(heard, []);
  }));

for (const tool of ['save_tracks', 'remove_saved_tracks']) {
  test(`${tool} that fails in the middle says what was written`, () =>
    withRelay(async (relay) => {
      const method = tool === 'save_tracks' ? 'PUT' : 'DELETE';
      const uris = tool === 'save_tracks' ? unsaved(relay, 100) : savedUris(relay).slice(0, 100);
      relay.provider.faults.add({ method, path: LIBRARY, skip: 1, kind: 'status', status: 403 });
      const done = 40;
      const message = 'Spotify refuses this for the connected account or for this app.';
      const { details, ...failure } = failureOf(await relay.call(tool, { track_ids: uris }));
      assert.deepEqual(failure, {
        code: 'PARTIAL_WRITE',
        message: `${done} of 100 written, then: ${message}`,
        remedy: 'Send the same call again when the cause is fixed: it does the rest.',
      });
      assert.deepEqual(withoutChange(details), {
        ok: false,
        requested: 100,
        written: done,
        ...(method === 'DELETE' ? { removed: done, not_found: [] } : {}),
        chunks: { total: 3, completed: 1 },
        partial: true,
        error: { code: 'FORBIDDEN', message, outcome_unknown: false },
      });
      const saved = new Set(savedUris(relay));
      assert.deepEqual(
        uris.map((uri) => saved.has(uri)),
        uris.map((_, index) => index < done === (method === 'PUT')),
      );
      assert.equal(requestsTo(relay, LIBRARY), 2);
    }));

  test(`${tool} that is refused at its first chunk returns that refusal`, () =>
    withRelay(async (relay) => {
      const before = savedUris(relay);
      relay.provider.faults.add({ path: LIBRARY, kind: 'rate_limit', retryAfterSeconds: 2 });
      const failure = failureOf(await relay.call(tool, { track_ids: before.slice(0, 100) }));
      assert.deepEqual([failure.code, failure.retryAfterSeconds], ['RATE_LIMITED', 2]);
      assert.deepEqual(savedUris(relay), before);
      assert.equal(requestsTo(relay, LIBRARY), 1);
    }));
}

const lost: Array<[what: string, rule: FaultRule]> = [
  ['a server error after its effect', { kind: 'status_after', status: 503 }],
  ['a server error', { kind: 'status', status: 503 }],
  ['a lost connection after its effect', { kind: 'drop', when: 'after' }],
];

for (const [what, rule] of lost) {
  test(`a chunk that ends in ${what} is sent again, which does no harm`, () =>
    withRelay({ clock: jumpingClock() }, async (relay) => {
      const before = savedUris(relay);
      const uris = unsaved(relay, 100);
      relay.provider.faults.add({ ...rule, method: 'PUT', path: LIBRARY, skip: 1 });
      const answer = await relay.call('save_tracks', { track_ids: uris });
      assert.deepEqual(withoutChange(answer), written(100, 3));
      assert.deepEqual(savedUris(relay), [...[...uris].reverse(), ...before]);
      assert.deepEqual(
        sent(relay).filter((line) => line.startsWith('PUT')),
        [uris.slice(0, 40), uris.slice(40, 80), uris.slice(40, 80), uris.slice(80)].map((part) =>
          chunkOf('PUT', part),
        ),
      );
    }));
}

test('if the quota runs out part-way, a job writes the rest, and the library can still be read', () =>
  withRelay(async (relay) => {
    const uris = unsaved(relay, 100);
    relay.provider.faults.add({
      method: 'PUT',
      path: LIBRARY,
      skip: 1,
      kind: 'quota',
      retryAfterSeconds: 86_207,
    });
    const answer = await relay.call('save_tracks', { track_ids: uris });
    assert.deepEqual([answer.ok, answer.written, typeof answer.job_id], [false, 40, 'string']);
    assert.match(String(answer.note), /quota is used up.* Do not send it again/);
    const check = await relay.call('check_saved_tracks', { track_ids: uris.slice(39, 41) });
    assert.deepEqual(pluck(check.items as Array<{ saved: boolean }>, 'saved'), [true, false]);
  }));

test('Spotify refuses to save an unknown track, and relay reports it as not saved', () =>
  withRelay(async (relay) => {
    const failure = failureOf(await relay.call('save_tracks', { track_ids: [UNKNOWN] }));
    assert.deepEqual(failure, {
      code: 'INVALID_ARGUMENT',
      message: `Spotify refused the request (400): Payload contains a non-existing ID. Spotify does not know ${UNKNOWN}.`,
      remedy: 'Leave these out or use other IDs, and send the call again.',
      details: { status: 400, not_found: [UNKNOWN] },
    });
    assert.deepEqual(await relay.call('check_saved_tracks', { track_ids: [UNKNOWN] }), {
      items: [{ input: UNKNOWN, uri: UNKNOWN, saved: false }],
    });
    const removed = await relay.call('remove_saved_tracks', { track_ids: [UNKNOWN] });
    assert.deepEqual(removed, {
      ok: true,
      requested: 1,
      written: 0,
      removed: 0,
      not_found: [UNKNOWN],
      chunks: { total: 0, completed: 0 },
      note: 'Nothing changed: none of these is in the library.',
    });
  }));

const wrong: Array<[tool: string, track_ids: unknown, message: RegExp]> = [
  ['save_tracks', [], /track_ids: Too small/],
  ['save_tracks', ['spotify:episode:0000000000000000000001'], /track_ids\[0\].*is an episode/],
  ['remove_saved_tracks', ['spotify:local:a:b:c:1'], /local file/],
  ['remove_saved_tracks', Array.from({ length: 10_001 }, () => UNKNOWN), /<=10000 items/],
  ['check_saved_tracks', Array.from({ length: 1_001 }, () => UNKNOWN), /<=1000 items/],
  ['check_saved_tracks', UNKNOWN, /track_ids: Invalid input: expected array/],
];

test('anything but a list of tracks is refused before anything is sent', () =>
  withRelay(async (relay) => {
    for (const [tool, track_ids, message] of wrong) {
      const failure = failureOf(await relay.call(tool, { track_ids }));
      assert.equal(failure.code, 'INVALID_ARGUMENT', String(message));
      assert.match(failure.message, message);
    }
    assert.deepEqual(relay.provider.requests, []);
  }));

test('check_saved_tracks maps a thousand inputs exactly, eight requests at a time', () =>
  withClock(async (relay) => {
    const saved = savedUris(relay);
    const inputs = Array.from({ length: 1_000 }, (_, n) => {
      const uri = n % 3 === 0 ? at(saved, n % saved.length) : at(relay.provider.catalogue.tracks, n).uri;
      return n % 2 === 0 ? uri : (uri.split(':').at(-1) ?? '');
    });
    const hold = gate();
    relay.provider.faults.add({ path: /contains$/, kind: 'hook', fn: hold.wait, times: 25 });
    const checking = withProgress(relay, 'check_saved_tracks', { track_ids: inputs });
    await until(() => hold.waiting === 8);
    // By the end of this other call, a ninth request would have arrived.
    await relay.call('get_devices');
    assert.equal(hold.waiting, 8);
    hold.open();
    const { answer, heard } = await checking;
    const known = new Set(saved);
    const items = inputs.map((input) => {
      const uri = input.includes(':') ? input : `spotify:track:${input}`;
      return { input, saved: known.has(uri) };
    });
    // An answer has a maximum length, and says with which entries to call again.
    const { next_offset, note } = answer;
    const shown = Number(next_offset);
    assert.ok(shown > 100, String(shown));
    assert.deepEqual(answer, { items: items.slice(0, shown), next_offset, note });
    const why = `Ended after ${shown} of 1000 rows: an answer holds 10,000 characters.`;
    assert.equal(note, `${why} Call again with the track_ids after the first ${shown}.`);
    assert.deepEqual(
      heard,
      Array.from({ length: 25 }, (_, n) => [n + 1, 25]),
    );
    const checks = relay.provider.requests.filter(({ path }) => path === '/me/library/contains');
    assert.deepEqual(
      checks.map(({ method, query, body }) => [method, query.uris?.split(',').length, body]),
      Array.from({ length: 25 }, () => ['GET', 40, null]),
    );
  }));

test('an answer without one value per track is refused', () =>
  withRelay(async (relay) => {
    const bodies: unknown[] = [[true], { saved: [true, true] }, null];
    for (const body of bodies) {
      relay.provider.faults.add({ path: /contains$/, kind: 'transform', fn: () => body });
      const answer = await relay.call('check_saved_tracks', { track_ids: savedUris(relay).slice(0, 2) });
      assert.equal(failureOf(answer).code, 'PROVIDER_INVALID_RESPONSE');
    }
  }));
