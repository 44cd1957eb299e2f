/** A long list is checked in several turns of the event loop, with the same result as a check in one turn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { parseArguments } from '../../src/mcp/parseArguments.ts';
import { parseInTurns } from '../../src/mcp/parseInTurns.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';

const tool = ALL_TOOLS.find(({ name }) => name === 'create_bulk_job') ?? assert.fail();

const songs = (count: number): unknown[] =>
  Array.from({ length: count }, (_, index) =>
    index % 3 === 0
      ? { title: `Song ${index}`, artist: 'Someone', album: null, id: null }
      : `spotify:track:${String(index).padStart(22, '0')}`,
  );

/** The songs with another entry at one place. */
const replaced = (entry: unknown, at = 700) => songs(1_000).with(at, entry);

test('a long list is parsed like a short one', async () => {
  const args = { type: 'save_tracks', items: songs(1_000), max_attempts: null };
  assert.deepEqual(await parseInTurns(tool, args), parseArguments(tool, args));
});

const WRONG: Record<string, Record<string, unknown>> = {
  'an entry that is not a song': { type: 'save_tracks', items: replaced(7) },
  'several such entries': { type: 'save_tracks', items: replaced({ title: 'Alone' }).with(3, null) },
  'a key with a meaning in JavaScript': {
    type: 'save_tracks',
    items: replaced(JSON.parse('{"__proto__": {"id": "x"}}')),
  },
  'too many entries': { type: 'save_tracks', items: songs(10_001) },
  'another argument that is wrong': { type: 'nothing', items: songs(1_000) },
  'an unknown argument': { type: 'save_tracks', items: songs(1_000), other: 1 },
};

for (const [what, args] of Object.entries(WRONG)) {
  test(`a long list with ${what} is refused in the words of the check in one turn`, async () => {
    const refusal = await parseInTurns(tool, args).catch((error: unknown) => error);
    assert.ok(refusal instanceof RelayError);
    const { code, message, remedy } = refusal;
    assert.throws(() => parseArguments(tool, args), { code, message, remedy });
  });
}
