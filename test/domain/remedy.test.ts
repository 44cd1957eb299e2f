import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPlaylistName } from '../../src/domain/errors.ts';
import { pageText, plainCommand, readRemedy, remedyText, terminalText } from '../../src/domain/remedy.ts';

test('a remedy names tools to a model, commands to a person, and buttons on the page', () => {
  const text = '{Pass force|Add --force|Press “Undo”}, or see {list_jobs|relay jobs}{ (later)|}.';
  const stored = readRemedy(JSON.parse(JSON.stringify({ text })));
  assert.ok(stored);
  assert.equal(remedyText(stored), 'Pass force, or see list_jobs (later).');
  assert.equal(terminalText(stored, plainCommand), 'Add --force, or see `relay jobs`.');
  assert.equal(pageText(stored, plainCommand), 'Press “Undo”, or see `relay jobs`.');
});

test('a playlist name with dollar signs is shown as it is', () => {
  const message = withPlaylistName('Someone changed the playlist 4xY since.', '4xY', 'Cash $$ & $& Co');
  assert.equal(message, 'Someone changed "Cash $$ & $& Co" since.');
});
