import assert from 'node:assert/strict';
import test from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { HELP_GROUPS } from '../../src/cli/usage/commandGroups.ts';
import { systemWorld } from '../../src/cli/world.ts';
import { relay } from '../support/cli.ts';
import { assertNone } from '../support/entries.ts';

const { program } = createProgram(systemWorld(new AbortController().signal), () => {});
const PATHS = pathsBelow(program, []);

function pathsBelow(command: Command, path: string[]): string[][] {
  return [path, ...command.commands.flatMap((child) => pathsBelow(child, [...path, child.name()]))];
}

test('options without a command get the help, and that is no error', async () => {
  const help = await relay([]);
  for (const args of [['--demo'], ['--home', '/tmp/x'], ['--home=/tmp/x', '--demo'], ['--json']])
    assert.deepEqual(await relay(args), help, args.join(' '));
  assert.equal(help.code, 0);
});

test('the version is one JSON document with --json, wherever the flag is', async () => {
  const document = { code: 0, out: '{"version":"1.2.3"}\n', err: '' };
  assert.deepEqual(await relay(['--version', '--json']), document);
  assert.deepEqual(await relay(['--json', '-V']), document);
  assert.deepEqual(await relay(['status', '--version', '--json']), document);
});

const SUGGESTIONS: ReadonlyArray<[args: string, remedy: string]> = [
  ['bogus', 'See `relay --help`.'],
  ['statsu', 'Did you mean status? See `relay --help`.'],
  ['logn', 'Did you mean login or logs? See `relay --help`.'],
  ['helpp', 'Did you mean help? See `relay --help`.'],
  ['serve --bogus', 'See `relay serve --help`.'],
  ['serve --prto', 'Did you mean --port? See `relay serve --help`.'],
];

for (const [args, remedy] of SUGGESTIONS) {
  test(`relay ${args}: only near names are suggested`, async () => {
    assert.equal((await relay(args.split(' '))).err.split('\n')[1], `  ${remedy}`);
  });
}

test('help names an unknown command and suggests near names', async () => {
  const said = (message: string, remedy: string) => ({
    code: 2,
    out: '',
    err: `relay: ${message}\n  ${remedy}\n`,
  });
  assert.deepEqual(
    await relay(['help', 'jbs']),
    said('Unknown command "jbs".', 'Did you mean "jobs"? See `relay --help`.'),
  );
  assert.deepEqual(
    await relay(['help', 'doctor']),
    said('Unknown command "doctor".', 'Did you mean "status"? See `relay --help`.'),
  );
  assert.deepEqual(await relay(['help', 'xyzzy']), said('Unknown command "xyzzy".', 'See `relay --help`.'));
  assert.deepEqual(
    await relay(['help', 'jobs', 'shw']),
    said('Unknown command "jobs shw".', 'Did you mean "show"? See `relay jobs --help`.'),
  );
  assert.deepEqual(
    await relay(['config', 'help', 'sett']),
    said('Unknown command "config sett".', 'Did you mean "set"? See `relay config --help`.'),
  );
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

test('every command is under a heading of its own choice', async () => {
  const headings = Object.values<string>(HELP_GROUPS);
  for (const command of program.commands) assert.ok(headings.includes(command.helpGroup()), command.name());
  const { out } = await relay([]);
  assert.deepEqual(out.match(/^\S.*:$/gm), ['Options:', ...headings, 'Examples:']);
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
