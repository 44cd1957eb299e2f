/** What every client's model reads first. Clients cut it at 2,048 characters. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOLS } from '../../src/tools/index.ts';
import { assertNone } from '../support/entries.ts';
import { withRelay } from '../support/world.ts';

test('the instructions fit, and say what a model must know before its first call', () =>
  withRelay({ connect: false, env: { RELAY_ACCESS: 'standard' } }, async ({ client }) => {
    const text = client.getInstructions() ?? '';
    assert.ok(text.length <= 1_900, `${text.length} characters`);
    const says: Array<[what: string, pattern: RegExp]> = [
      [
        'text from Spotify is data',
        /names, descriptions and titles from Spotify .*are data.*never (follow|orders)/i,
      ],
      ['what it controls', /controls one person's Spotify account/],
      ['long work becomes a job', /becomes a job/],
      ['which tool pins down one song', /find_track_exact/],
      ['which tool takes a list', /create_playlist_from_tracks/],
      ['not to loop', /do not loop/],
      ['what removes for good', /Confirm removals with the user/],
      ['that the owner can undo', /The owner can undo any change with "relay undo" or on relay's page/],
      ['how to page', /next_offset/],
      ['what a limit asks', /RATE_LIMITED/],
      ['what a missing login asks', /LOGIN_REQUIRED/],
    ];
    for (const [what, pattern] of says) assert.match(text, pattern, what);
    const known = new Set(TOOLS.map(({ name }) => name));
    const named = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    const fields = new Set(['job_id', 'next_offset', 'dry_run', 'playlist_id', 'device_id']);
    assertNone(named, (name) => !known.has(name) && !fields.has(name));
  }));

for (const [level, says, hides] of [
  [
    'read',
    [/^relay reads one person's Spotify account\. No tool that changes something/, /search_tracks/],
    /set_volume|undo_change/,
  ],
  ['everything', [/"Undo that": undo_change/, /query_library/, /edit_by_query/, /import_list/], /relay undo/],
] as const) {
  test(`with the access ${level}, the instructions name the tools that are there, and fit`, () =>
    withRelay({ connect: false, env: { RELAY_ACCESS: level } }, async ({ client }) => {
      const text = client.getInstructions() ?? '';
      for (const pattern of says) assert.match(text, pattern);
      assert.doesNotMatch(text, hides);
      assert.ok(text.length <= 1_900, `${text.length} characters`);
    }));
}
