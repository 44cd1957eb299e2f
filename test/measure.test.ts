/** The figures of `npm run measure`: which values count as worse, and which tokens a model pays for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Figures, recordedFigures, worseFigures } from '../scripts/measure/figures.ts';
import { createModel } from '../scripts/measure/model.ts';
import { tokensOf } from '../scripts/measure/tokens.ts';
import { withRelay } from './support/world.ts';

const recorded: Figures = { ...recordedFigures(), track_row: 40, requests_five: 96 };

test('a figure may be worse than the recorded one by 5 %, and better by any amount', () => {
  const fine: Partial<Figures>[] = [
    {},
    { track_row: 42 },
    { track_row: 1 },
    { requests_five: 91.5 },
    { requests_five: 100 },
  ];
  for (const change of fine) assert.deepEqual(worseFigures({ ...recorded, ...change }, recorded), []);
});

test('a figure that is worse by more is reported with both values and what to do', () => {
  const now = { ...recorded, track_row: 43, requests_five: 91 };
  assert.deepEqual(worseFigures(now, recorded), [
    'Worse than recorded: A track, in a list of tracks: 43 tokens, recorded: 40 tokens. Improve it, or record it with: npm run measure -- --write',
    'Worse than recorded: Requests as people say them, whose tool is among the first five: 91.0 %, recorded: 96.0 %. Improve it, or record it with: npm run measure -- --write',
  ]);
});

test('a figure beyond its limit is reported, whatever was recorded', () => {
  const now = { ...recorded, list_tokens: 13_501, keywords_five: 97.9 };
  assert.deepEqual(worseFigures(now, now), [
    'Beyond its limit: `tools/list`, with output schemas: 13,501 tokens, allowed: 13,500 tokens.',
    'Beyond its limit: The same, among the first five: 97.9 %, allowed: 98.0 %.',
  ]);
});

test('a model pays for the arguments and the text of each answer, and not for the list of tools', () =>
  withRelay(async ({ client }) => {
    const model = createModel(client);
    assert.deepEqual([model.tokens, model.calls], [0, 0]);
    const answer = await model.call('find_playlist_by_name', { name: 'Morning Ferry' });
    const paid = tokensOf('{"name":"Morning Ferry"}') + tokensOf(JSON.stringify(answer));
    assert.deepEqual([model.tokens, model.calls], [paid, 1]);
  }));
