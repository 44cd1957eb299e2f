/** A listening history that is dropped on the owner's page. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOffline } from '../../../src/server/offline.ts';
import { relay as cli } from '../../support/cli.ts';
import { signIn } from '../../support/ownerBrowser.ts';
import type { Relay } from '../../support/world.ts';
import { extended, zipped } from './exports.ts';
import { allPlays, withExports } from './withExports.ts';

async function upload(relay: Relay, proof: Record<string, string>, bytes: Uint8Array, type?: string) {
  const answer = await fetch(`${relay.baseUrl}/owner/plays/import`, {
    method: 'POST',
    headers: {
      'content-type': type ?? 'application/octet-stream',
      'x-relay-import': encodeURIComponent(JSON.stringify({ fileName: 'my_spotify_data.zip' })),
      ...proof,
    },
    body: Buffer.from(bytes),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function ended({ server }: Relay, id: unknown) {
  for (;;) {
    const progress = await server.local.playsProgress({ id: Number(id) });
    if (progress.state === 'done') return progress;
  }
}

const uploadsIn = ({ home }: Relay) => readdirSync(home).filter((name) => name.startsWith('plays-upload-'));

test('an uploaded history is a file in the home that only its owner may read, and is deleted after the import', () =>
  withExports({ connect: false }, async (relay) => {
    const proof = { 'x-relay-owner': await signIn(relay) };
    const rows = Array.from({ length: 1_000 }, (_, song) =>
      extended({ at: '2020-01-02T03:04:05Z', song, ms: 31_000 + song }),
    );
    // Larger than any other body may be.
    const padding = Buffer.alloc(5 * 1024 * 1024);
    const bytes = zipped({ 'endsong_0.json': rows, 'ReadMeFirst.pdf': padding });
    assert.ok(bytes.length > padding.length);
    const stranger = await upload(relay, {}, bytes);
    assert.equal(stranger.status, 401);
    assert.equal((await upload(relay, proof, bytes, 'application/json')).status, 415);
    assert.deepEqual(uploadsIn(relay), []);
    const { status, body } = await upload(relay, proof, bytes);
    assert.equal(status, 200);
    const [waiting] = uploadsIn(relay);
    if (waiting) assert.equal((await stat(join(relay.home, waiting))).mode & 0o777, 0o600);
    assert.equal((await ended(relay, body.id)).plays.added, 1_000);
    assert.equal((await allPlays(relay)).length > 0, true);
    assert.deepEqual(uploadsIn(relay), []);

    const broken = await upload(relay, proof, bytes.slice(0, 4_000));
    await assert.rejects(ended(relay, broken.body.id), {
      code: 'INVALID_ARGUMENT',
      message: /^my_spotify_data\.zip is not a complete zip archive/,
    });
    assert.deepEqual(uploadsIn(relay), []);

    // What a kill leaves is gone after the next start.
    await writeFile(join(relay.home, 'plays-upload-0011'), bytes);
    await relay.restart();
    assert.deepEqual(uploadsIn(relay), []);

    // Without a server, the command that forgets plays leaves no archive of them either.
    await relay.server.close();
    for (const args of [
      ['library', 'forget', '--plays'],
      ['logout', '--erase'],
    ]) {
      await writeFile(join(relay.home, 'plays-upload-0011'), bytes);
      const { code, err } = await cli(args, { env: relay.env, parts: { openOffline } });
      assert.equal(code, 0, err);
      assert.deepEqual(uploadsIn(relay), [], args.join(' '));
    }
  }));
