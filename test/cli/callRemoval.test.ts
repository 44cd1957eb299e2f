import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../support/cli.ts';
import { owner } from '../support/entries.ts';
import { assertRows, fill, named, tracks, urisOf } from '../support/playlists.ts';
import type { Relay } from '../support/world.ts';
import { withUnkind } from '../work/unkind.ts';

/** Runs `relay call` on a terminal. `said` is the text before the question; null if `relay call` asks nothing. */
async function call(world: Relay, args: string[], answer: string | null = null) {
  const terminal = { stdin: answer !== null, stdout: false, stderr: answer !== null };
  const options = { terminal, ...(answer === null ? {} : { stdin: `${answer}\n` }) };
  const { code, out, err } = await run(world, ['call', ...args], options);
  const [, said = null] = /^(.*)\nContinue\? \[y\/N\] /m.exec(err) ?? [];
  return { code, out, err, said };
}

interface Scene {
  world: Relay;
  playlist: ReturnType<typeof named>;
  /** 200 rows, the last ten of which repeat the first. */
  rows: string[];
}

function withPlaylist(work: (scene: Scene) => Promise<void>): Promise<void> {
  return withUnkind({ env: { RELAY_TOOLSETS: 'all' } }, async (world) => {
    const playlist = named(world, 'Exactly Two Hundred');
    const rows = [...tracks(world, 190), ...tracks(world, 10)];
    fill(playlist, rows);
    await work({ world, playlist, rows });
  });
}

test('on a terminal, call says how many rows or tracks will be removed, and changes nothing if the answer is no', () =>
  withPlaylist(async ({ world, playlist, rows }) => {
    const saved = owner(world.provider).saved.length;
    const into = `playlist_id=${playlist.id}`;
    const three = `track_ids=${rows.slice(0, 3).join(',')}`;
    const name = '"Exactly Two Hundred"';
    const said: Array<[args: string[], sentence: string]> = [
      [
        ['remove_tracks_from_playlist', into, three],
        `Every row of 3 tracks will be removed from ${name}, which has 200 rows.`,
      ],
      [
        ['replace_playlist_tracks', into, three],
        `200 rows of ${name} will be removed; 3 tracks will replace them.`,
      ],
      [
        ['replace_playlist_tracks', into, '--args', '{"track_ids":[]}'],
        `200 rows of ${name} will be removed.`,
      ],
      [['deduplicate_playlist', into], `10 rows of ${name} that repeat an earlier one will be removed.`],
      [['delete_playlist', into], `${name} with its 200 rows will be removed from your library.`],
      [['remove_saved_tracks', three], '3 tracks will be removed from Liked Songs.'],
    ];
    for (const [args, sentence] of said) {
      const no = await call(world, args, 'n');
      assert.deepEqual([no.said, no.code, no.out], [sentence, 130, ''], args.join(' '));
      assert.match(no.err, /relay: Nothing was changed\.\n$/);
    }
    assertRows(playlist, rows);
    assert.equal(owner(world.provider).saved.length, saved);
    assert.ok(world.provider.requests.every(({ method }) => method === 'GET'));
  }));

test('the call is made if the answer is yes, if --yes is given, and if there is no terminal', () =>
  withPlaylist(async ({ world, playlist, rows }) => {
    for (const [index, [flags, answer]] of (
      [
        [[], 'y'],
        [['--yes'], ''],
        [[], null],
      ] as const
    ).entries()) {
      const uri = rows[20 + index] ?? '';
      const args = [
        'remove_tracks_from_playlist',
        `playlist_id=${playlist.id}`,
        `track_ids=${uri}`,
        ...flags,
      ];
      const { code, said } = await call(world, args, answer);
      assert.deepEqual([code, said !== null], [0, answer === 'y']);
      assert.ok(!urisOf(playlist).includes(uri));
    }
  }));
