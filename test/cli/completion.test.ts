import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { Argument, Command, Option } from 'commander';
import { bashCompletion } from '../../src/cli/completion/bash.ts';
import { fishCompletion } from '../../src/cli/completion/fish.ts';
import { commandTree } from '../../src/cli/completion/tree.ts';
import { zshCompletion } from '../../src/cli/completion/zsh.ts';
import { SETTING_KEYS } from '../../src/config/table.ts';
import { CLIENTS } from '../../src/connect/clientTable.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { relay, temporaryHome } from '../support/cli.ts';

/** What a shell offers for a line, sorted. `dir` is where it stands. */
type Complete = (script: string, line: string, dir: string) => string[];

const bash: Complete = (script, line, dir) => {
  // It takes a word apart at an equals sign.
  const words = line.split(/ |(=)/).filter((word) => word !== undefined);
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _relay
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', ['--norc', '-c', program, 'bash', script, ...words], dir);
};

/** The functions of zsh's completion system only work on a terminal, so here they say what they were asked for. */
const ZSH_STUBS = `
  compdef() { }
  compset() { PREFIX=\${PREFIX#*=} }
  _files() { if [[ $1 == -/ ]]; then print -l -- $PREFIX*(/N); else print -l -- $PREFIX*(N); fi }
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

const COMMON = ['--demo', '--help', '--home', '--json', '--version', '-V', '-h'];
const KEYS = [...SETTING_KEYS];
const STORED = (await storedKeys()).sort();

/** bash offers the files by itself when it is offered nothing. */
const LINES: ReadonlyArray<[line: string, offered: string[], inBash?: string[]]> = [
  ['relay comp', ['completion']],
  ['relay st', ['status', 'stdio']],
  ['relay key ', ['rotate', 'show']],
  ['relay --json key s', ['show']],
  ['relay --home some key s', ['show']],
  ['relay --home=some key s', ['show']],
  ['relay key --home some s', ['show']],
  ['relay key nothing ', []],
  ['relay nothing ', []],
  ['relay nothing key ', []],
  ['relay config set ', STORED],
  ['relay config get ', KEYS],
  ['relay config unset providerR', ['providerRedirectUri']],
  ['relay config set port ', []],
  ['relay call ', TOOLS.map(({ name }) => name)],
  ['relay call get_rec', ['get_recent_api_errors', 'get_recently_played']],
  ['relay call get_devices ', []],
  ['relay connect ', CLIENTS.map(({ id }) => id)],
  ['relay completion ', ['bash', 'fish', 'zsh']],
  ['relay help comp', ['completion']],
  ['relay service ', ['install', 'status', 'uninstall']],
  ['relay serve --po', ['--port']],
  ['relay serve --port 1 --d', ['--demo']],
  ['relay serve --port ', []],
  ['relay serve --timeout', []],
  ['relay --home al', ['albums/', 'all my/'], ['albums', 'all my']],
  ['relay serve --home=al', ['albums/', 'all my/'], ['albums', 'all my']],
  ['relay backup al', ['albums/', 'all my/', 'also.txt'], []],
  ['relay restore -- al', ['albums/', 'all my/', 'also.txt'], []],
  ['relay import al', ['albums/', 'all my/', 'also.txt'], []],
  ['relay import also.txt --format x', ['xspf']],
  ['relay import --artist-side ', ['left', 'right']],
  ['relay export --all --output al', ['albums/', 'all my/', 'also.txt'], []],
  ['relay export --format m', ['m3u8']],
];

for (const [shell, complete] of Object.entries(SHELLS)) {
  test(`${shell} completes commands, options and values`, { skip: skipped(shell) }, async (context) => {
    const { script, dir } = await prepared(context, shell);
    for (const [line, offered, inBash = offered] of LINES) {
      const expected = shell === 'bash' ? inBash : offered;
      assert.deepEqual(withoutSlash(complete(script, line, dir)), withoutSlash(expected), line);
    }
  });

  test(`${shell} offers the options of a command and of the program`, {
    skip: skipped(shell),
  }, async (context) => {
    const { script, dir } = await prepared(context, shell);
    const offered = complete(script, 'relay tools --', dir).filter((name) => name.startsWith('--'));
    assert.deepEqual(
      offered,
      [...COMMON.filter((name) => name.startsWith('--')), '--markdown', '--toolsets', '--read-only'].sort(),
    );
  });

  test(`${shell} completes a command that was never heard of, whatever its words hold`, {
    skip: skipped(shell),
  }, async (context) => {
    const dir = temporaryHome(context);
    const script = join(dir, 'script');
    writeFileSync(script, RENDER[shell]?.(commandTree(strangeProgram(), {})) ?? '');
    assert.deepEqual(complete(script, 'relay st', dir), ['strange']);
    assert.deepEqual(complete(script, 'relay strange --mode ', dir), ['loud', 'quiet']);
    assert.deepEqual(complete(script, 'relay strange r', dir), ['red']);
    assert.deepEqual(complete(script, 'relay strange red b', dir), ['blue']);
    assert.deepEqual(complete(script, 'relay strange red blue ', dir), ['blue', 'red']);
  });
}

const RENDER: Record<string, (tree: ReturnType<typeof commandTree>) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

function strangeProgram(): Command {
  const strange = new Command('strange')
    .description(`It's "strange": \`id\` $HOME \\ %s; done`)
    .addArgument(new Argument('<colour...>', 'Any').choices(['red', 'blue']))
    .addOption(new Option('-m, --mode <mode>', "What's \\'up\\'").choices(['loud', 'quiet']));
  return new Command('relay').addCommand(strange);
}

test('fish and zsh show what a command does', { skip: skipped('fish') }, async (context) => {
  const { script, dir } = await prepared(context, 'fish');
  const shown = run(
    'fish',
    ['--no-config', '-c', 'source $argv[1]; complete -C "relay serve --op"', script],
    dir,
  );
  assert.deepEqual(shown, ["--open\tOpen the owner's page in the browser"]);
  assert.match((await relay(['completion', 'zsh'])).out, /'--open:Open the owner'\\''s page in the browser'/);
});

test('a real zsh completes at the tab key, without anything in its start-up files', {
  skip: skipped('zsh'),
}, async (context) => {
  const { script, dir } = await prepared(context, 'zsh');
  const program = `zmodload zsh/zpty
    zpty z "HOME=$PWD TERM=dumb zsh -f -i"
    zpty -w z "source $1; bindkey '^I' complete-word; print loa''ded"
    zpty -r z seen '*loaded*'
    zpty -w -n z $'relay compl\\t'
    zpty -r z seen '*completion*' && print -r -- $seen`;
  assert.match(run('zsh', ['-f', '-c', program, 'zsh', script], dir).join('\n'), /completion/);
});

for (const [shell, complete] of Object.entries(SHELLS)) {
  test(`${shell} starts no program while completing`, { skip: skipped(shell) }, async (context) => {
    const { script, dir } = await prepared(context, shell);
    // None is found any more, relay itself as little as those of the system.
    writeFileSync(
      script,
      `${shell === 'fish' ? 'set -gx PATH /nowhere' : 'PATH=/nowhere'}\n${readFileSync(script, 'utf8')}`,
    );
    assert.deepEqual(
      complete(script, 'relay config set provider', dir),
      STORED.filter((key) => key.startsWith('provider')),
    );
    assert.deepEqual(complete(script, 'relay serve --op', dir), ['--open']);
  });
}

test('it needs no home and no settings, and is one document with --json', async () => {
  const env = { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x' };
  const plain = await relay(['completion', 'bash'], { env });
  assert.deepEqual([plain.code, plain.err], [0, '']);
  const json = await relay(['completion', 'bash', '--json'], { env });
  assert.deepEqual(JSON.parse(json.out), { shell: 'bash', script: plain.out });
});

test('without a shell, or with another one, it lists those that it knows', async () => {
  assert.deepEqual(await relay(['completion']), {
    code: 2,
    out: '',
    err: 'relay: Which shell?\n  Name one: bash, zsh, fish. See `relay completion --help`.\n',
  });
  assert.deepEqual(await relay(['completion', 'tcsh']), {
    code: 2,
    out: '',
    err: 'relay: Unknown shell "tcsh".\n  Choose bash, zsh or fish.\n',
  });
});

async function prepared(context: TestContext, shell: string): Promise<{ script: string; dir: string }> {
  const dir = temporaryHome(context);
  const { code, out } = await relay(['completion', shell]);
  assert.equal(code, 0);
  const script = join(dir, 'script');
  writeFileSync(script, out);
  mkdirSync(join(dir, 'albums'));
  mkdirSync(join(dir, 'all my'));
  writeFileSync(join(dir, 'also.txt'), '');
  return { script, dir };
}

async function storedKeys(): Promise<string[]> {
  const { SETTINGS } = await import('../../src/config/table.ts');
  return KEYS.filter((key) => SETTINGS[key].inFile || key === 'providerClientSecret');
}

function run(program: string, args: string[], dir: string): string[] {
  const env = { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8' };
  const out = execFileSync(program, args, { cwd: dir, env, encoding: 'utf8', timeout: 30_000 });
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
