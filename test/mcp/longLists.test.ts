/** A long list is checked in turns of the event loop; what comes of it is what the check at once says. */
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

/** With another entry at one place. */
const replaced = (entry: unknown, at = 700) => songs(1_000).with(at, entry);

test('a long list is parsed as a short one is', async () => {
  const args = { type: 'save_tracks', items: songs(1_000), max_attempts: null };
  assert.deepEqual(await parseInTurns(tool, args), parseArguments(tool, args));
});

const WRONG: Record<string, Record<string, unknown>> = {
  'an entry that is nothing': { type: 'save_tracks', items: replaced(7) },
  'several of them': { type: 'save_tracks', items: replaced({ title: 'Alone' }).with(3, null) },
  'a key of the language': { type: 'save_tracks', items: replaced(JSON.parse('{"__proto__": {"id": "x"}}')) },
  'too many entries': { type: 'save_tracks', items: songs(10_001) },
  'another argument that is wrong': { type: 'nothing', items: songs(1_000) },
  'an argument that there is not': { type: 'save_tracks', items: songs(1_000), other: 1 },
};

for (const [what, args] of Object.entries(WRONG)) {
  test(`a long list with ${what} is refused in the same words`, async () => {
    const refusal = await parseInTurns(tool, args).catch((error: unknown) => error);
    assert.ok(refusal instanceof RelayError);
    const { code, message, remedy } = refusal;
    assert.throws(() => parseArguments(tool, args), { code, message, remedy });
  });
}
