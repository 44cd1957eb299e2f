/** Who did it: with two clients, each change names the one that asked, and can be found and undone by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../support/answers.ts';
import { run } from '../support/cli.ts';
import { at } from '../support/entries.ts';
import { named, urisOf } from '../support/playlists.ts';
import { withRelay } from '../support/world.ts';

test('changes are listed and undone by who asked for them', () =>
  withRelay(async (relay) => {
    const playlist = named(relay, 'Exactly Two Hundred');
    const before = urisOf(playlist);
    const [one, two] = [at(relay.provider.catalogue.tracks, 5), at(relay.provider.catalogue.tracks, 6)];
    const call = ['call', 'add_tracks_to_playlist', `playlist_id=${playlist.id}`, `track_ids=${one.uri}`];
    assert.equal((await run(relay, call)).code, 0);
    await relay.call('add_tracks_to_playlist', { playlist_id: playlist.id, track_ids: [two.uri] });
    assert.deepEqual(urisOf(playlist), [...before, one.uri, two.uri]);
    const { items, total } = await relay.call('list_changes', { by: 'api' });
    assert.deepEqual([total, (items as Array<{ asked_by: string }>)[0]?.asked_by], [1, 'API key']);
    const history = await run(relay, ['history', '--by', 'command', '--json']);
    assert.deepEqual(
      JSON.parse(history.out).items.map(({ who }: { who: string }) => who),
      ['you, in the terminal'],
    );
    // The last change is the key's; the one before it is the command line's.
    const { code } = await run(relay, ['undo', '--by', 'Command line', '--yes']);
    assert.equal(code, 0);
    assert.deepEqual(urisOf(playlist), [...before, two.uri]);
    await relay.call('undo_change', { by: 'API key' });
    assert.deepEqual(urisOf(playlist), before);
    assert.match(
      failureOf(await relay.call('undo_change', { by: 'Nobody' })).message,
      /no change of "Nobody"/,
    );
  }));
