import assert from 'node:assert/strict';
import test from 'node:test';
import { TOOLS, toolsOf } from '../../src/tools/index.ts';
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

const CHOSEN: Array<[args: string[], env: Record<string, string>, choice: Parameters<typeof toolsOf>[0]]> = [
  [['--toolsets', 'extras,jobs'], {}, { toolsets: ['extras', 'jobs'], readOnly: false }],
  [['--read-only'], { RELAY_TOOLSETS: 'library' }, { toolsets: ['library'], readOnly: true }],
  [['--toolsets', 'all'], { RELAY_READ_ONLY: '1' }, { toolsets: ['all'], readOnly: true }],
];

for (const [args, env, choice] of CHOSEN) {
  test(`tools ${args.join(' ')} with ${JSON.stringify(env)} lists what a server would offer`, async () => {
    const { out } = await relay(['tools', ...args, '--json'], { env });
    const names = (tools: ReadonlyArray<{ name: string }>) => tools.map(({ name }) => name);
    assert.deepEqual(names(JSON.parse(out).tools), names(toolsOf(choice)));
  });
}

test('tools refuses a toolset that there is not', async () => {
  const { code, out, err } = await relay(['tools', '--toolsets', 'musik']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /--toolsets must be a list of toolsets/);
});

test('tools --markdown is the tool reference', async () => {
  assert.deepEqual(await relay(['tools', '--markdown']), { code: 0, out: toolsMarkdown(TOOLS), err: '' });
});
