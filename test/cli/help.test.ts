import assert from 'node:assert/strict';
import test from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { systemWorld } from '../../src/cli/terminal/processWorld.ts';
import { relay } from '../support/cli.ts';
import { assertNone } from '../support/entries.ts';

const { program } = createProgram(systemWorld(new AbortController().signal));
const PATHS = pathsBelow(program, []);

function pathsBelow(command: Command, path: string[]): string[][] {
  return [path, ...command.commands.flatMap((child) => pathsBelow(child, [...path, child.name()]))];
}

test('options without a command get the help, and that is no error', async () => {
  const help = await relay([]);
  for (const args of [['--demo'], ['--home', '/tmp/x'], ['--home=/tmp/x', '--demo'], ['help']])
    assert.deepEqual(await relay(args), help, args.join(' '));
  assert.equal(help.code, 0);
  assert.deepEqual(await relay(['help', 'jobs', 'fix']), await relay(['jobs', 'fix', '--help']));
});

test('relay --help fits a screen of 40 lines, and that of each command one of 24 but for import', async () => {
  for (const path of PATHS) {
    const { out } = await relay([...path, '--help']);
    const most = path.length === 0 ? 40 : path[0] === 'import' ? 50 : 24;
    assert.ok(out.split('\n').length - 1 <= most, `${path.join(' ')}: ${out.split('\n').length - 1} lines`);
  }
});

test('no command but import has more than eight options, and only the root help has those of all commands', () => {
  for (const command of everyCommand(program)) {
    const { options } = command;
    if (command.name() !== 'import') assert.ok(options.length <= 8, command.name());
    assert.doesNotMatch(command.helpInformation(), /--demo/);
  }
});

test('the version is one JSON document with --json, wherever the flag is', async () => {
  const document = { code: 0, out: '{"version":"1.2.3"}\n', err: '' };
  assert.deepEqual(await relay(['--version', '--json']), document);
  assert.deepEqual(await relay(['--json', '-V']), document);
  assert.deepEqual(await relay(['status', '--version', '--json']), document);
});

test('the help of every command needs no part of the program, no settings and no home', async () => {
  for (const path of PATHS) {
    const { code, out, err } = await relay([...path, '--help'], {
      env: { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x', MCP_API_KEY: 'x' },
    });
    assert.deepEqual([code, err], [0, ''], path.join(' '));
    assert.match(out, /^Usage: relay/);
  }
});

test('no line of any help is wider than a terminal of 80 columns', async () => {
  for (const path of PATHS) {
    const { out } = await relay([...path, '--help'], { columns: 200 });
    assertNone(out.split('\n'), (line) => line.length > 80 || /\s$/.test(line), path.join(' '));
  }
});

test('a terminal that reports 0 columns counts as one of 80 columns', async () => {
  assert.deepEqual(await relay(['login', '--help'], { columns: 0 }), await relay(['login', '--help']));
});

test('a narrow terminal gets the descriptions wrapped', async () => {
  const { out } = await relay(['login', '--help'], { columns: 50 });
  assert.match(
    out,
    / {2}--no-browser {9}Print an address to open in\n {23}any browser, then paste the\n {23}result back\n/,
  );
});

test('the descriptions of arguments have the same form as those of options', () => {
  for (const command of everyCommand(program)) {
    for (const { description, name } of command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
    }))) {
      // A group of commands takes any word, so that it can say which commands it has.
      if (command.commands.length > 0) continue;
      assert.match(description, /^[A-Z].*[^.]$/, `${command.name()} ${name}: ${description}`);
    }
  }
});

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((nested) => [nested, ...everyCommand(nested)]);
}
