import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPlaylistName } from '../../src/domain/errors.ts';
import { pageText, plainCommand, readRemedy } from '../../src/domain/remedy.ts';

const remedy = {
  text: 'Use a new playlist (create_playlist_from_tracks).',
  terminal: { text: 'Make a new playlist.', commands: [] },
  page: 'Make a new playlist in Spotify.',
};

test('a remedy that was stored still has the words of the owner’s page', () => {
  const stored = readRemedy(JSON.parse(JSON.stringify(remedy)));
  assert.deepEqual(stored, remedy);
  assert.ok(stored);
  assert.equal(pageText(stored, plainCommand), remedy.page);
});

test('without words of its own, the page shows those of the terminal, which name no tools', () => {
  const { page: _, ...other } = remedy;
  assert.equal(pageText(other, plainCommand), 'Make a new playlist.');
});

test('a playlist name with dollar signs is shown as it is', () => {
  const message = withPlaylistName('Someone changed the playlist 4xY since.', '4xY', 'Cash $$ & $& Co');
  assert.equal(message, 'Someone changed "Cash $$ & $& Co" since.');
});
