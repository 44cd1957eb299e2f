import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SETTING_KEYS, SETTINGS } from '../../src/config/table.ts';
import { CLIENTS } from '../../src/connect/clientTable.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { relay, temporaryHome } from '../support/cli.ts';

/** What a shell offers for a line, sorted. `dir` is its working directory. */
type Complete = (script: string, line: string, dir: string) => string[];

const bash: Complete = (script, line, dir) => {
  const words = line.split(' ');
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _relay
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', ['--norc', '-c', program, 'bash', script, ...words], dir);
};

/** The functions of zsh's completion system only work on a terminal. These stand-ins print what the real ones would offer. */
const ZSH_STUBS = `
  compdef() { }
  _files() { print -l -- $PREFIX*(N) }
  offer() { local one; for one; do [[ $one == $PREFIX* ]] && print -r -- $one; done }
  compadd() { offer \${(P)2} }
  _describe() { offer \${\${(P)argv[-1]}%%:*} }
`;
const zsh: Complete = (script, line, dir) => {
  const program = `${ZSH_STUBS} source $1; shift; words=("$@") CURRENT=$# PREFIX=\${@[-1]}; _relay; true`;
  return run('zsh', ['-f', '-c', program, 'zsh', script, ...line.split(' ')], dir);
};

const fish: Complete = (script, line, dir) =>
  run('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line], dir).map(
    (found) => found.split('\t')[0] as string,
  );

const SHELLS: Record<string, Complete> = { bash, zsh, fish };

const STORED = SETTING_KEYS.filter((key) => SETTINGS[key].inFile);
const COMMANDS_OF_KEY = ['show', 'rotate'];

/** What relay offers for each line. A shell shows only the offers that begin with the last word of the line. */
const PLACES: ReadonlyArray<[line: string, offered: readonly string[]]> = [
  ['key ', COMMANDS_OF_KEY],
  ['--json key s', COMMANDS_OF_KEY],
  ['--home some key s', COMMANDS_OF_KEY],
  ['key --home some s', COMMANDS_OF_KEY],
  ['key nothing ', []],
  ['nothing ', []],
  ['nothing key ', []],
  ['config set ', STORED],
  ['config unset providerR', STORED],
  ['config set port ', []],
  ['call ', ALL_TOOLS.map(({ name }) => name)],
  ['call get_devices ', []],
  ['connect ', CLIENTS.map(({ id }) => id)],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['serve --port ', []],
  ['serve --port 1 --d', await offers('serve -')],
  ['--home al', [':files']],
  ['backup al', [':files']],
  ['keep add X --every ', ['hour', 'day', 'week']],
  ['import al', [':files']],
  ['export --all --output al', [':files']],
];

for (const [line, offered] of PLACES) {
  test(`relay ${line}: what can follow`, async () => {
    assert.deepEqual(await offers(line), offered);
  });
}

test('every command is offered, with the options of a command and of the program', async () => {
  const help = await relay(['--help']);
  const listed = [...help.out.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
  assert.deepEqual((await offers('')).sort(), listed.sort());
  assert.deepEqual((await offers('tools --')).sort(), [
    ...['--demo', '--help', '--home', '--json', '--version'],
    ...['-V', '-h'],
  ]);
});

/** What shells offer for each line; `inBash` if bash differs. If relay offers bash nothing, bash itself offers files. */
const LINES: ReadonlyArray<[line: string, offered: string[], inBash?: string[]]> = [
  ['relay comp', ['completion']],
  ['relay import al', ['albums/', 'all my/', 'also.txt'], []],
];

for (const [shell, complete] of Object.entries(SHELLS)) {
  test(`${shell} asks relay each time the tab key is pressed`, { skip: skipped(shell) }, async (context) => {
    const { script, dir } = await prepared(context, shell);
    for (const [line, offered, inBash = offered] of LINES) {
      const expected = shell === 'bash' ? inBash : offered;
      assert.deepEqual(withoutSlash(complete(script, line, dir)), withoutSlash(expected), line);
    }
  });
}

test('completion needs no home and no settings, and prints one document with --json', async () => {
  const env = { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x' };
  const plain = await relay(['completion', 'bash'], { env });
  assert.deepEqual([plain.code, plain.err], [0, '']);
  const json = await relay(['completion', 'bash', '--json'], { env });
  assert.deepEqual(JSON.parse(json.out), { shell: 'bash', script: plain.out });
});

async function prepared(context: TestContext, shell: string): Promise<{ script: string; dir: string }> {
  const dir = temporaryHome(context);
  const { code, out } = await relay(['completion', shell]);
  assert.equal(code, 0);
  const script = join(dir, 'script');
  writeFileSync(script, out);
  // A program that prints what relay answers, without a start of Node for each press of the key.
  mkdirSync(join(dir, 'bin'));
  for (const [line] of LINES) {
    const words = ['__complete', ...line.split(' ').slice(1)];
    writeFileSync(join(dir, 'bin', words.join(' ')), (await relay(words)).out);
  }
  writeFileSync(join(dir, 'bin', 'relay'), '#!/bin/sh\ncat "$(dirname "$0")/$*"\n', { mode: 0o755 });
  mkdirSync(join(dir, 'albums'));
  mkdirSync(join(dir, 'all my'));
  writeFileSync(join(dir, 'also.txt'), '');
  return { script, dir };
}

/** The words that `relay __complete` offers for the words of a line, without their descriptions. */
async function offers(line: string): Promise<string[]> {
  const { code, out } = await relay(['__complete', ...line.split(' ')]);
  assert.equal(code, 0);
  return out
    .split('\n')
    .slice(0, -1)
    .map((one) => one.split(' ')[0] as string);
}

function run(program: string, args: string[], dir: string): string[] {
  const env = { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOME: dir, LANG: 'C.UTF-8' };
  const out = execFileSync(program, args, { cwd: dir, env, encoding: 'utf8', timeout: 120_000 });
  return out
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

function withoutSlash(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/^--home=/, '').replace(/\/$/, '')).sort();
}

function skipped(shell: string): string | false {
  const isThere = spawnSync(shell, ['-c', 'true']).error === undefined;
  return isThere || process.env.CI === 'true' ? false : `there is no ${shell} here`;
}
