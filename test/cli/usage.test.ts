import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import test from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { systemWorld } from '../../src/cli/world.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { relay, relayProcess } from '../support/cli.ts';

const COMMANDS = ['serve', 'login', 'logout', 'status', 'key', 'tools', 'call', 'config'];

test('relay alone prints the help and succeeds', async () => {
  const alone = await relay([]);
  const asked = await relay(['--help']);
  assert.deepEqual([alone.code, asked.code, alone.err], [0, 0, '']);
  assert.equal(alone.out, asked.out);
  for (const name of COMMANDS) assert.match(alone.out, new RegExp(`^  ${name} `, 'm'));
});

test('relay --version prints the version of the package, and opens nothing', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const result = await relayProcess(['--version'], { env: { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x' } });
  assert.deepEqual(result, { code: 0, out: `${version}\n`, err: '' });
});

const MISTAKES: Array<[args: string, message: string, remedy: string]> = [
  ['serv', 'Unknown command "serv".', 'Did you mean serve? See `relay --help`.'],
  ['xyzzy', 'Unknown command "xyzzy".', 'See `relay --help`.'],
  ['x', 'Unknown command "x".', 'See `relay --help`.'],
  // What other programs call `status` and `login`.
  ['doctor', 'Unknown command "doctor".', 'Did you mean status? See `relay --help`.'],
  ['setup', 'Unknown command "setup".', 'Did you mean login? See `relay --help`.'],
  ['serve --prot 1', 'Unknown option "--prot".', 'Did you mean --port? See `relay serve --help`.'],
  ['--hom x status', 'Unknown option "--hom".', 'Did you mean --home? See `relay status --help`.'],
  [
    'status extra',
    'Too many arguments for "status". Expected 0 arguments but got 1.',
    'See `relay status --help`.',
  ],
  ['call', 'Missing required argument "tool".', 'See `relay call --help`.'],
  ['jobs fix', 'Missing required argument "job".', 'See `relay jobs fix --help`.'],
  [
    'clients add X',
    'Required option "--redirect-uri <uri...>" not specified.',
    'See `relay clients add --help`.',
  ],
  // The value of an option may be the name of a command.
  ['--home jobs status --bad', 'Unknown option "--bad".', 'See `relay status --help`.'],
  ['jobs --home list fix --bad', 'Unknown option "--bad".', 'See `relay jobs fix --help`.'],
  ['key sho', 'Unknown command "key sho".', 'Did you mean "show"? See `relay key --help`.'],
  [
    'config remove',
    'Unknown command "config remove".',
    'It has list, get, set, unset, path. See `relay config --help`.',
  ],
  [
    'library ask x --limit 0',
    'Option "--limit <n>" argument "0" is invalid. It must be a whole number from 1 to 500.',
    'See `relay library ask --help`.',
  ],
  [
    'playlists show library',
    'Required option "--at <when>" not specified.',
    'See `relay playlists show --help`.',
  ],
  [
    'login --timeout soon',
    'Option "--timeout <seconds>" argument "soon" is invalid. It must be a whole number of seconds from 1 to 3600.',
    'See `relay login --help`.',
  ],
  // What `--home="$DIR"` becomes in a shell in which DIR is not set. Otherwise the default home would be used instead.
  [
    '--home= status',
    'Option "--home <dir>" argument "" is invalid. It must not be empty.',
    'See `relay status --help`.',
  ],
  // What `logs -n "$COUNT"` becomes in a shell in which COUNT is not set.
  [
    'logs -n ',
    'Option "-n, --lines <n>" argument "" is invalid. It must be a whole number from 0 to 100,000.',
    'See `relay logs --help`.',
  ],
];

for (const [args, message, remedy] of MISTAKES) {
  test(`relay ${args}: exit 2 and what to do`, async () => {
    assert.deepEqual(await relay(args.split(' ')), {
      code: 2,
      out: '',
      err: `relay: ${message}\n  ${remedy}\n`,
    });
  });
}

test('an option that was meant as text is named whole, and the remedy says how to write it', async () => {
  const args = ['undo', '-- which one?\nthe (last) one?'];
  const told = JSON.parse((await relay([...args, '--json'])).err).error;
  assert.deepEqual(told, {
    code: 'USAGE',
    message: 'Unknown option "-- which one?\nthe (last) one?".',
    remedy: 'If it is text, put -- before it. See `relay undo --help`.',
  });
});

test('with --json an error is one line of JSON on stderr', async () => {
  const result = await relayProcess(['serv', '--json']);
  assert.deepEqual(
    { ...result, err: JSON.parse(result.err) },
    {
      code: 2,
      out: '',
      err: {
        error: {
          code: 'USAGE',
          message: 'Unknown command "serv".',
          remedy: 'Did you mean serve? See `relay --help`.',
        },
      },
    },
  );
});

test('an unknown home directory of the user is reported', async () => {
  const openOffline = () =>
    Promise.reject(
      Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { syscall: 'uv_os_get_passwd' }),
    );
  assert.deepEqual(await relay(['key', '--home', '/no/such/home'], { parts: { openOffline } }), {
    code: 1,
    out: '',
    err: `relay: Your home directory is unknown: it is set neither in the environment nor in the system.
  Set HOME in the environment to a directory of your own, then run this again.
`,
  });
});

test('on a terminal the message about an interrupt begins on a new line', async () => {
  const signal = AbortSignal.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
  const run = async (stderr: boolean, ...flags: string[]) =>
    (await relay(['key', '--home', '/no/such/home', ...flags], { signal, terminal: { stderr } })).err;
  assert.equal(await run(true), '\nrelay: Interrupted.\n');
  assert.equal(await run(false), 'relay: Interrupted.\n');
  assert.match(await run(true, '--json'), /^\{"error":/);
});

test('--home and --json are taken before and after the command', async () => {
  const before = await relay(['--home', '/no/such/home', '--json', 'config', 'path']);
  const after = await relay(['config', 'path', '--json', '--home', '/no/such/home']);
  assert.deepEqual(before, { code: 0, out: '{"path":"/no/such/home/config.json"}\n', err: '' });
  assert.deepEqual(after, before);
});

test('unusable settings are exit 2, whatever the command', async () => {
  for (const args of [['serve'], ['status'], ['login'], ['call', 'get_devices'], ['config', 'get', 'port']]) {
    const { code, out, err } = await relay(args, { env: { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x' } });
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(
      err,
      /^relay: RELAY_PORT in the environment must be a whole number from 0 to 65535, not "x"\./,
    );
  }
});

test('an unexpected error is reported without its message, which may hold a secret', async () => {
  const parts = {
    createLog: () => {
      throw new Error('hunter2');
    },
  };
  const result = await relay(['logout'], { env: { RELAY_HOME: '/no/such/home' }, parts });
  assert.deepEqual(result, {
    code: 1,
    out: '',
    err: 'relay: A bug in relay stopped the command.\n  Run it again with LOG_LEVEL=debug in the environment to see where, and report it.\n',
  });
});

test('the descriptions of commands and options have one form, and every command has examples', () => {
  const { program } = createProgram(systemWorld(new AbortController().signal), () => {});
  for (const command of everyCommand(program)) {
    for (const text of [command.description(), ...command.options.map(({ description }) => description)]) {
      assert.match(text, /^[A-Z].*[^.]$/, `${command.name()}: ${text}`);
    }
  }
  for (const command of program.commands) assert.match(helpOf(command), /\nExamples:\n {2}\$ relay /);
});

test('the help needs no more than commander: everything else is loaded by the command that uses it', () => {
  assert.deepEqual(staticImports(resolve(import.meta.dirname, '../../src/main.ts')), ['commander']);
});

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((nested) => [nested, ...everyCommand(nested)]);
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** The packages that are imported by `import … from` lines, except type imports, in any of the files. */
function staticImports(entry: string): string[] {
  const packages = new Set<string>();
  const files = [entry];
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    for (const [, clause = '', from = ''] of source.matchAll(/^import ([^;]*?) from '([^']+)'/gms)) {
      const onlyTypes = clause.startsWith('type ') || /^\{(\s*type \w+,?)+\s*\}$/.test(clause);
      const path = resolve(dirname(file), from);
      if (onlyTypes || from.startsWith('node:')) continue;
      if (!from.startsWith('.')) packages.add(from);
      else if (path.endsWith('.ts') && !files.includes(path) && existsSync(path)) files.push(path);
    }
  }
  return [...packages].sort();
}
