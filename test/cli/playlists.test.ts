/** `relay playlists`: the lists of playlists and of their songs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widthOf } from '../../src/cli/terminal/textWidth.ts';
import { at, linesOf, owner, pluck } from '../support/entries.ts';
import { withLists } from '../support/lists.ts';

test('playlists lists every playlist with its name, and keeps to the width of the terminal', () =>
  withLists(async ({ world, run }) => {
    const { playlists } = owner(world.provider);
    at(playlists, 0).name = `A very long name ${'of a playlist '.repeat(10)}`;
    const wide = await run(['playlists'], { columns: 200 });
    const [head = '', ...rows] = linesOf(wide.out);
    assert.deepEqual(head.split(/ {2,}/), ['NAME', 'SONGS', 'OWNER', 'ID']);
    assert.equal(rows.length, playlists.length);
    for (const columns of [80, 50]) {
      const { out } = await run(['playlists'], { columns, terminal: { stdout: true } });
      const lines = linesOf(out);
      for (const line of lines) assert.ok(widthOf(line) <= columns, line);
    }
    const piped = await run(['playlists'], { columns: 50 });
    assert.equal(piped.out, wide.out, 'in a pipe nothing is cut');
    const { items, total } = JSON.parse((await run(['playlists', '--json'])).out);
    assert.equal(total, playlists.length);
    assert.deepEqual(pluck(items, 'id'), pluck(playlists, 'id'));
    const first = at(playlists, 0);
    const shown = await run(['playlists', 'show', first.id]);
    assert.equal(linesOf(shown.out).length, first.rows.length);
    const now = JSON.parse((await run(['playlists', 'show', first.id, '--json'])).out);
    assert.deepEqual(
      [now.playlist_id, now.items.length, now.items[0].position],
      [first.id, first.rows.length, 0],
    );
  }));
