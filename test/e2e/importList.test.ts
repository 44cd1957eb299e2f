/** A person's list is imported and corrected, in a terminal and through MCP. In the terminal, it is exported too. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { pluck } from '../support/entries.ts';
import { withDesk } from '../support/program.ts';

/** Songs whose name and artist belong to only one recording. Names that hold what separates title and artist are left out. */
function distinctSongs(count: number): DemoTrack[] {
  const { tracks } = sharedCatalogue();
  const nameOf = ({ name, artists }: DemoTrack) => `${name} | ${artists[0]?.name}`;
  const recordings = new Map<string, Set<string>>();
  for (const track of tracks) {
    recordings.set(nameOf(track), (recordings.get(nameOf(track)) ?? new Set()).add(track.isrc));
  }
  const seen = new Set<string>();
  const distinct = tracks.filter((track) => {
    const isFirst = !seen.has(nameOf(track));
    seen.add(nameOf(track));
    return isFirst && recordings.get(nameOf(track))?.size === 1 && !/ [-–] | by /.test(nameOf(track));
  });
  const step = distinct.length / count;
  return Array.from({ length: count }, (_, n) => distinct[Math.floor(n * step)] ?? assert.fail());
}

test('the demo imports a list, and exports the same songs', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'relay-list-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const songs = distinctSongs(12);
  const path = join(dir, 'A dozen.txt');
  writeFileSync(path, songs.map(({ name, artists }) => `${artists[0]?.name} - ${name}`).join('\n'));
  await withDesk({}, async (desk) => {
    await desk.host(['--demo']);
    const done = await desk.relay(['import', path]);
    assert.equal(done.code, 0, done.err);
    const exported = await desk.relay(['export', 'A dozen', '--json']);
    assert.deepEqual(pluck(JSON.parse(exported.out).tracks, 'isrc'), pluck(songs, 'isrc'));
  });
});
