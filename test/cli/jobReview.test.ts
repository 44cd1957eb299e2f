import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../support/cli.ts';
import { linesOf } from '../support/entries.ts';
import { assertRows, fill, named, tracks } from '../support/playlists.ts';
import type { Relay } from '../support/world.ts';
import { committed, ended } from '../work/settled.ts';
import { withUnkind } from '../work/unkind.ts';

const APPEND = { method: 'POST', path: /\/items$/ } as const;

const jobs = (world: Relay, ...args: string[]) => run(world, ['jobs', ...args]);

/** A job of three appends, under review: another person took rows out while the answer to the second was lost. */
async function withReview(
  work: (
    world: Relay,
    id: string,
    scene: { rows(expected: readonly string[]): void } & Lists,
  ) => Promise<void>,
): Promise<void> {
  await withUnkind({}, async (world) => {
    const { faults } = world.provider;
    const playlist = named(world, 'Exactly Two Hundred');
    const [former, items] = [tracks(world, 200), tracks(world, 250, 3_000)];
    const edited = [...former.slice(5), ...items.slice(0, 150)];
    fill(playlist, former);
    const edit = () => void world.provider.editPlaylist(playlist.id, edited);
    const look = { method: 'GET', path: /^\/playlists\//, kind: 'hook', fn: edit } as const;
    const id = await committed(world, 'add_to_playlist', items, { playlist_id: playlist.id }, () =>
      faults.add(
        { ...APPEND, skip: 1, kind: 'hook', fn: () => faults.add(look) },
        { ...APPEND, skip: 1, kind: 'status_after', status: 502 },
      ),
    );
    await ended(world, id);
    await work(world, id, { edited, items, rows: (expected) => assertRows(playlist, expected) });
  });
}

interface Lists {
  edited: readonly string[];
  items: readonly string[];
}

test('a job under review shows the three answers, and can be completed with the playlist as it is', () =>
  withReview(async (world, id, { edited, rows }) => {
    const short = id.slice(0, 8);
    const shown = await jobs(world, 'show', short);
    const ways = ['continue', 'keep', 'undo'].map((way) => `: relay jobs resume ${short} --review ${way}`);
    const lines = linesOf(shown.out).slice(-3);
    assert.ok(
      ways.every((way, index) => lines[index]?.endsWith(way)),
      shown.out,
    );
    assert.match(shown.out, /Someone else/m);
    // At most ten songs a side are named.
    assert.match(shown.out, /More than relay left there:\n( +\+ .+ – .+\n){10} +\+ and \d+ more/);
    const { code, out } = await jobs(world, 'resume', short, '--review', 'keep');
    assert.equal(code, 0);
    assert.match(out, /^status +completed$/m);
    rows(edited);
  }));
