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
  for (const args of [['--help'], ['--demo'], ['--home', '/tmp/x'], ['--home=/tmp/x', '--demo'], ['help']])
    assert.deepEqual(await relay(args), help, args.join(' '));
  assert.deepEqual([help.code, help.err], [0, '']);
  for (const name of ['serve', 'login', 'logout', 'status', 'key', 'tools', 'call', 'config'])
    assert.match(help.out, new RegExp(`^  ${name} `, 'm'));
  assert.deepEqual(await relay(['help', 'jobs', 'fix']), await relay(['jobs', 'fix', '--help']));
});

test('the help of every command fits a small screen, and needs no part of the program, no settings and no home', async () => {
  const env = { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x', MCP_API_KEY: 'x' };
  for (const path of PATHS) {
    const { code, out, err } = await relay([...path, '--help'], { env, columns: 200 });
    const name = path.join(' ');
    assert.deepEqual([code, err], [0, ''], name);
    assert.match(out, /^Usage: relay/);
    const lines = out.split('\n');
    const most = path.length === 0 ? 40 : path[0] === 'import' ? 50 : 24;
    assert.ok(lines.length - 1 <= most, `${name}: ${lines.length - 1} lines`);
    assertNone(lines, (line) => line.length > 80 || /\s$/.test(line), name);
    if (path.length === 1) assert.match(out, /\nExamples:\n {2}\$ relay /, name);
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
  for (const words of ['--version --json', '--json -V', 'status --version --json'])
    assert.deepEqual(await relay(words.split(' ')), document);
});

test('a terminal that is narrow gets the descriptions wrapped, and one of 0 columns counts as one of 80', async () => {
  const { out } = await relay(['login', '--help'], { columns: 50 });
  assert.match(
    out,
    / {2}--no-browser {9}Print an address to open in\n {23}any browser, then paste the\n {23}result back\n/,
  );
  assert.deepEqual(await relay(['login', '--help'], { columns: 0 }), await relay(['login', '--help']));
});

test('the descriptions of commands, options and arguments have one form', () => {
  for (const command of everyCommand(program)) {
    // A group of commands takes any word, so that it can say which commands it has.
    const words = command.commands.length > 0 ? [] : command.registeredArguments;
    const described = [
      command.description(),
      ...[...command.options, ...words].map((one) => one.description),
    ];
    for (const text of described) assert.match(text, /^[A-Z].*[^.]$/, `${command.name()}: ${text}`);
  }
});

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((nested) => [nested, ...everyCommand(nested)]);
}
