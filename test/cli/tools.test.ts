import assert from 'node:assert/strict';
import test from 'node:test';
import * as z from 'zod';
import { toolArguments, type ValueSchema } from '../../src/cli/call/toolArguments.ts';
import { ALL_TOOLS, groupOf, TOOLS, toolsOf } from '../../src/tools/index.ts';
import { toolsMarkdown } from '../../src/tools/markdown.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { exampleWords, relay } from '../support/cli.ts';
import { assertNone, linesOf } from '../support/entries.ts';

test('tools lists every tool with its kind and title', async () => {
  const { code, out, err } = await relay(['tools']);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(
    linesOf(out).map((line) => line.split(/ {2,}/)),
    TOOLS.map(({ name, kind, title }) => [name, kind, title]),
  );
});

test('tools --json has the descriptions and the schemas too', async () => {
  const { out } = await relay(['tools', '--json']);
  assert.deepEqual(JSON.parse(out), { tools: TOOLS.map(recordOf) });
});

/** What `--json` prints for each tool. */
function recordOf(tool: Tool) {
  const { name, title, description, kind, input, output } = tool;
  const inputSchema = z.toJSONSchema(input, { io: 'input' });
  const outputSchema = z.toJSONSchema(output, { io: 'output' });
  const record = { name, title, description, kind, toolset: groupOf(tool), inputSchema, outputSchema };
  return JSON.parse(JSON.stringify(record)) as typeof record;
}

const SEEK = `seek: Seek
write, toolset playback

Seeks to a position or time in the current song: jumps to a minute or second,
fast forwards, rewinds, or starts over from the beginning (0). Beyond the end,
the next song plays.

Arguments:
  position_ms: integer, required
      Milliseconds from the start, 0 or more
  device_id: string, optional
      From get_devices; else the active one

Result:
  ok, position_ms

Example, with the content of the demo:
  $ relay call seek position_ms=60000
`;

test('tools TOOL says what the tool does and takes, with an example', async () => {
  assert.deepEqual(await relay(['tools', 'seek']), { code: 0, out: SEEK, err: '' });
  const { out } = await relay(['tools', 'seek', '--json']);
  assert.deepEqual(JSON.parse(out), recordOf(TOOLS.find(({ name }) => name === 'seek') ?? assert.fail()));
});

test('call TOOL --help prints the same as tools TOOL, wherever the options are', async () => {
  const text = await relay(['tools', 'seek']);
  const json = await relay(['tools', 'seek', '--json']);
  for (const args of [
    'call seek --help',
    'call --help seek',
    'call seek position_ms=1 -h',
    'call --args {} seek -h',
  ]) {
    assert.deepEqual(await relay(args.split(' ')), text, args);
  }
  assert.deepEqual(await relay(['--home', 'call', 'call', 'seek', '--json', '-h']), json);
  assert.match((await relay(['call', '--help'])).out, /^Usage: relay call/);
});

test('tools with an unknown name suggests near names', async () => {
  const said = (name: string, remedy: string) => ({
    code: 2,
    out: '',
    err: `relay: There is no tool "${name}".\n  ${remedy}\n`,
  });
  assert.deepEqual(
    await relay(['tools', 'get_trak']),
    said('get_trak', 'Did you mean "get_track" or "next_track"? `relay tools` lists them.'),
  );
  assert.deepEqual(await relay(['tools', 'X']), said('X', '`relay tools` lists them.'));
  assert.deepEqual(await relay(['call', 'X', '--help']), said('X', '`relay tools` lists them.'));
});

test('tools explains a tool that the settings leave out, and notes that it is not offered', async () => {
  const { code, out, err } = await relay(['tools', 'get_queue']);
  assert.deepEqual(
    [code, err],
    [0, 'Not offered with these settings: get_queue is in the toolset extras, kind read.\n'],
  );
  assert.match(out, /^get_queue: .+\nread, toolset extras\n/);
});

test('the text of every tool fits 80 columns but for its example, which is a call that the tool takes', async () => {
  for (const tool of ALL_TOOLS) {
    const { out } = await relay(['tools', tool.name, '--toolsets', 'all'], { columns: 200 });
    const [example = '', ...lines] = linesOf(out).reverse();
    assertNone(lines, (line) => line.length > 80, tool.name);
    const [name, ...args] = exampleWords(example);
    const given = toolArguments(args, undefined, z.toJSONSchema(tool.input, { io: 'input' }) as ValueSchema, {
      platform: 'linux',
      piped: false,
    });
    assert.equal(name, tool.name);
    assert.deepEqual(tool.input.safeParse(given).error?.issues ?? [], [], example);
  }
});

test('`relay tools TOOL` lists the members of the answer that the tool gives by default', async () => {
  const { out } = await relay(['tools', 'get_playlist_tracks']);
  assert.match(out, /\nResult:\n {2}items, total, next_offset, links\n/);
});

test('tools TOOL --markdown prints the section of that tool in the tool reference', async () => {
  const { out } = await relay(['tools', 'seek', '--markdown']);
  assert.match(out, /^## seek\n/);
  assert.ok(toolsMarkdown(TOOLS).includes(out));
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

test('tools refuses an unknown toolset', async () => {
  const { code, out, err } = await relay(['tools', '--toolsets', 'musik']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /--toolsets must be a list of toolsets/);
});

test('tools --markdown prints the tool reference', async () => {
  assert.deepEqual(await relay(['tools', '--markdown']), { code: 0, out: toolsMarkdown(TOOLS), err: '' });
});
