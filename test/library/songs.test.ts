import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupSongs } from '../../src/library/tables/songs.ts';
import { at } from '../support/entries.ts';
import { longTest, sized } from '../support/scale.ts';
import { withRelay } from '../support/world.ts';
import { ask, counted, readAll, WITH_SQL } from './queries.ts';

interface Recording {
  track: number;
  name: string;
  first: string;
  isrc: string | null;
  duration_ms: number | null;
}

/** Groups recordings by the literal rule, without regard to speed. */
function oracle(recordings: readonly Recording[]): number[][] {
  const alike = (a: Recording, b: Recording) =>
    (a.isrc !== null && a.isrc === b.isrc) ||
    (a.name.toLowerCase() === b.name.toLowerCase() &&
      a.name !== '' &&
      a.first === b.first &&
      a.duration_ms !== null &&
      b.duration_ms !== null &&
      Math.abs(a.duration_ms - b.duration_ms) <= 2_000);
  const left = new Set(recordings);
  const groups: number[][] = [];
  for (const begin of recordings) {
    if (!left.delete(begin)) continue;
    const group = [begin];
    for (const one of group)
      for (const other of [...left]) if (alike(one, other) && left.delete(other)) group.push(other);
    groups.push(group.map(({ track }) => track).sort((a, b) => a - b));
  }
  return groups.sort((a, b) => at(a, 0) - at(b, 0));
}

function grouped(songs: ReadonlyMap<number, number>): number[][] {
  const groups = new Map<number, number[]>();
  for (const [track, song] of songs)
    groups.set(
      song,
      [...(groups.get(song) ?? []), track].sort((a, b) => a - b),
    );
  return [...groups.values()].sort((a, b) => at(a, 0) - at(b, 0));
}

test('recordings are one song by ISRC, by title, artist and length, and through a third recording', () => {
  let state = 7;
  const below = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % count;
  };
  for (let turn = 0; turn < sized(2_000, 200); turn++) {
    const recordings = Array.from({ length: 1 + below(25) }, (_, index) => ({
      track: index + 1,
      name: at(['Song', 'SONG', 'Other', ''], below(4)),
      first: at(['A', 'B'], below(2)),
      isrc: below(3) === 0 ? `I${below(6)}` : null,
      duration_ms: below(8) === 0 ? null : 200_000 + below(12) * 1_000,
    }));
    assert.deepEqual(grouped(groupSongs(recordings)), oracle(recordings), `turn ${turn}`);
  }
});

longTest('after tracks have come and gone, the column song is as if all tracks were grouped at once', () =>
  withRelay(WITH_SQL, async (relay) => {
    const account = at(relay.provider.accounts, 0);
    account.playlists.splice(2);
    account.saved.splice(250);
    await readAll(relay);
    const check = async () => {
      const sql = `select tracks.rowid, name, ifnull((select artist from track_artists where track_uri = uri and place = 0), ''),
        isrc, duration_ms, song from tracks order by tracks.rowid`;
      const rows: Array<Array<string | number | null>> = [];
      for (;;) {
        const { rows: more } = await ask(relay, `${sql} limit 100 offset ${rows.length}`, {
          limit: 100,
          max_age_minutes: 1_000,
        });
        if (more.length === 0) break;
        rows.push(...more);
      }
      const recordings = rows.map(
        ([track, name, first, isrc, duration_ms]) => ({ track, name, first, isrc, duration_ms }) as Recording,
      );
      const songs = new Map(rows.map(([track, , , , , song]) => [Number(track), Number(song)]));
      assert.deepEqual(grouped(songs), grouped(groupSongs(recordings)));
      assert.ok(songs.size > new Set(songs.values()).size, 'the demo has recordings of one song');
    };
    await check();
    account.saved.splice(40, 90);
    account.saved.splice(0, 20);
    await counted(relay, 'select 1');
    await check();
  }),
);
