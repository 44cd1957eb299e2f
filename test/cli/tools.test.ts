import assert from 'node:assert/strict';
import test from 'node:test';
import * as z from 'zod';
import { toolArguments, type ValueSchema } from '../../src/cli/call/toolArguments.ts';
import { ALL_TOOLS, levelOf } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { exampleWords, relay } from '../support/cli.ts';
import { assertNone, linesOf } from '../support/entries.ts';

test('tools lists every tool with what it does', async () => {
  const { code, out, err } = await relay(['tools']);
  assert.deepEqual([code, err], [0, '']);
  const rows = linesOf(out).map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    rows.map(([name]) => name),
    ALL_TOOLS.map(({ name }) => name),
  );
  for (const [index, [, what = '']] of rows.entries()) {
    assert.match(what, /\.$/);
    assert.ok(ALL_TOOLS[index]?.description.startsWith(what), what);
  }
});

test('tools --json has the descriptions and the schemas too', async () => {
  const { out } = await relay(['tools', '--json']);
  assert.deepEqual(JSON.parse(out), { tools: ALL_TOOLS.map(recordOf) });
});

/** What `--json` prints for each tool. */
function recordOf(tool: Tool) {
  const { name, title, description, kind, input, output } = tool;
  const inputSchema = z.toJSONSchema(input, { io: 'input' });
  const outputSchema = z.toJSONSchema(output, { io: 'output' });
  const record = { name, title, description, kind, access: levelOf(tool), inputSchema, outputSchema };
  return JSON.parse(JSON.stringify(record)) as typeof record;
}

const SEEK = `seek: Seek

Seeks to a position or time in the current song: jumps to a minute or second,
fast forwards, rewinds, or starts over from the beginning (0). Beyond the end,
the next song plays.

Arguments:
  position_ms: integer, required
      Milliseconds from the start, 0 or more
  device_id: string, optional
      ID or name; else the active device

Result:
  ok, position_ms

Example, with the content of the demo:
  $ relay call seek position_ms=60000
`;

test('tools TOOL says what the tool does and takes, with an example', async () => {
  assert.deepEqual(await relay(['tools', 'seek']), { code: 0, out: SEEK, err: '' });
  const { out } = await relay(['tools', 'seek', '--json']);
  assert.deepEqual(JSON.parse(out), recordOf(ALL_TOOLS.find(({ name }) => name === 'seek') ?? assert.fail()));
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

test('the text of every tool fits 80 columns but for its example, which is a call that the tool takes', async () => {
  const examples: string[] = [];
  for (const tool of ALL_TOOLS) {
    const { out } = await relay(['tools', tool.name], { columns: 200 });
    const [example = '', ...lines] = linesOf(out).reverse();
    assertNone(lines, (line) => line.length > 80, tool.name);
    examples.push(example);
  }
  for (const [index, [name, ...args]] of exampleWords(examples).entries()) {
    const tool = ALL_TOOLS[index] ?? assert.fail();
    const schema = z.toJSONSchema(tool.input, { io: 'input' }) as ValueSchema;
    const given = toolArguments(args, undefined, schema, { platform: 'linux', piped: false });
    assert.equal(name, tool.name);
    assert.deepEqual(tool.input.safeParse(given).error?.issues ?? [], [], examples[index]);
  }
});

test('`relay tools TOOL` lists the members of the answer that the tool gives by default', async () => {
  const { out } = await relay(['tools', 'get_playlist_tracks']);
  assert.match(out, /\nResult:\n {2}items, total, next_offset, links\n/);
});
