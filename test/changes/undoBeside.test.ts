/** Undoing a change between whose requests another person wrote: what they wrote stays. */
import assert from 'node:assert/strict';
import { named, reach, tracks, urisOf } from '../jobs/support.ts';
import { longTest } from '../support/scale.ts';
import { at } from '../support/shapes.ts';
import {
  assertDone,
  assertRows,
  committed,
  ended,
  fill,
  LIMIT_AFTER_FIRST,
  withExtras,
  withUnkind,
} from './support.ts';

/** A job that a limit stops after its first request, while another person appends a song. */
async function withSongBetween(
  type: string,
  size: number,
  rows: (former: readonly string[], items: readonly string[], song: string) => readonly string[],
): Promise<void> {
  await withUnkind({}, async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const [former, items] = [tracks(relay, size), tracks(relay, 250, 3_000)];
    const [song = ''] = tracks(relay, 1, 8_000);
    fill(playlist, former);
    const id = await committed(relay, type, items, { playlist_id: playlist.id }, () =>
      relay.provider.faults.add(LIMIT_AFTER_FIRST),
    );
    await reach(relay, id, 'waiting');
    relay.provider.editPlaylist(playlist.id, [...urisOf(playlist), song]);
    assert.equal((await ended(relay, id)).status, 'completed');
    assertRows(playlist, rows(former, items, song));
    await withExtras(relay, async ({ changes, undo }) => assertDone(await undo(at(await changes(), 0))));
    assertRows(playlist, [...former, song]);
  });
}

for (const size of [30, 200]) {
  longTest(`the undo of an addition to ${size} rows keeps the song that came between`, () =>
    withSongBetween('add_to_playlist', size, (former, items, song) => [
      ...former,
      ...items.slice(0, 100),
      song,
      ...items.slice(100),
    ]),
  );
}

longTest('the undo of a replacement keeps the song that came between', () =>
  withSongBetween('replace_playlist', 200, (_, items, song) => [
    ...items.slice(0, 100),
    song,
    ...items.slice(100),
  ]),
);
