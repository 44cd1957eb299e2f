/** What the tools may cost a model, and how well a search finds them. `npm run measure` prints all figures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowCosts } from '../scripts/measure/rows.ts';
import { taskCosts } from '../scripts/measure/tasks.ts';
import { recall, toolListSizes } from '../scripts/measure/toolList.ts';

function isAtMost(costs: Record<string, number>, limits: Record<string, number>): void {
  assert.deepEqual(Object.keys(costs), Object.keys(limits));
  for (const [name, limit] of Object.entries(limits)) {
    assert.ok((costs[name] ?? Infinity) <= limit, `${name}: ${costs[name]}, allowed: ${limit}`);
  }
}

test('the list of tools and the instructions stay small', () => {
  const { asked, bytes, instructions, everything } = toolListSizes();
  isAtMost(
    { asked, bytes, instructions, everything },
    { asked: 7_300, bytes: 57_344, instructions: 1_900, everything: 10_500 },
  );
});

test('every everyday task can be done, most in one call', async () => {
  const tasks = await taskCosts();
  assert.deepEqual(
    tasks.filter(({ done }) => !done).map(({ asked }) => asked),
    [],
  );
  assert.ok(tasks.every(({ calls }) => calls <= 2));
});

test('an average row of a list stays lean', async () => {
  isAtMost(await rowCosts(), { track: 50, playlist: 60, library: 60, item: 60 });
});

test('a plain search finds the tool for an everyday request', () => {
  const [keywords, requests] = [recall('keywords'), recall('requests')];
  assert.ok(keywords.first >= 0.85, `keywords, first: ${keywords.first}`);
  assert.ok(keywords.firstFive >= 0.98, `keywords, among the first five: ${keywords.firstFive}`);
  assert.ok(requests.firstFive >= 0.85, `requests, among the first five: ${requests.firstFive}`);
});
