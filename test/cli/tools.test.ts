import assert from 'node:assert/strict';
import test from 'node:test';
import { TOOLS } from '../../src/tools/index.ts';
import { toolsMarkdown } from '../../src/tools/markdown.ts';
import { relay } from '../support/cli.ts';

test('tools lists every tool with its kind and title', async () => {
  const { code, out, err } = await relay(['tools']);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    TOOLS.map(({ name, kind, title }) => [name, kind, title]),
  );
});

test('tools --json has the descriptions too', async () => {
  const { out } = await relay(['tools', '--json']);
  const tools = TOOLS.map(({ name, title, description, kind }) => ({ name, title, description, kind }));
  assert.deepEqual(JSON.parse(out), { tools });
});

test('tools --markdown is the tool reference', async () => {
  assert.deepEqual(await relay(['tools', '--markdown']), { code: 0, out: toolsMarkdown(TOOLS), err: '' });
});
