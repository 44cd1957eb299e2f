import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import test from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import { relay, relayProcess } from '../support/cli.ts';

test('relay --version prints the version of the package, and opens nothing', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const result = await relayProcess(['--version'], { env: { RELAY_HOME: '/no/such/home', RELAY_PORT: 'x' } });
  assert.deepEqual(result, { code: 0, out: `${version}\n`, err: '' });
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
          remedy: 'Did you mean "serve" or "service"? See `node bin/relay.mjs --help`.',
          details: { word: 'serv' },
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
  const before = await relay(['--home', '/no/such/home', '--json', 'config', 'unset', 'port']);
  const after = await relay(['config', 'unset', 'port', '--json', '--home', '/no/such/home']);
  assert.deepEqual(before, { code: 0, out: '{"key":"port","removed":false}\n', err: '' });
  assert.deepEqual(after, before);
});

test('unusable settings are exit 2, whatever the command', async () => {
  for (const args of [['serve'], ['status'], ['login'], ['call', 'get_devices'], ['connect']]) {
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

test('the help needs no more than commander: everything else is loaded by the command that uses it', () => {
  assert.deepEqual(staticImports(resolve(import.meta.dirname, '../../src/main.ts')), ['commander']);
});

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
