import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { temporaryHome } from '../support/cli.ts';

const EXECUTABLE = process.env.RELAY_BIN ?? '';

interface Lonely {
  folder: string;
  run(args: string[], env?: Record<string, string>): Promise<{ code: number; out: string; err: string }>;
}

/** Copies the executable alone into an empty directory. The environment has an empty PATH and this directory as the home. */
function lonely(context: TestContext): Lonely {
  const folder = temporaryHome(context);
  const program = join(folder, 'relay');
  copyFileSync(EXECUTABLE, program);
  return {
    folder,
    async run(args, env = {}) {
      const child = spawn(program, args, {
        cwd: folder,
        env: { PATH: '', HOME: folder, TMPDIR: folder, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code: code as number, out, err };
    },
  };
}

test('the file alone, with an empty PATH, serves the demo and answers a call', async (context) => {
  const { folder, run } = lonely(context);
  const server = spawn(join(folder, 'relay'), ['serve', '--demo', '--json', '--port', '0'], {
    cwd: folder,
    env: { PATH: '', HOME: folder, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  context.after(() => server.kill('SIGKILL'));
  const [line] = await once(server.stdout, 'data');
  const ready = JSON.parse(String(line));
  assert.deepEqual([ready.event, ready.providerConnected, ready.demo], ['ready', true, true]);
  const found = await run(['call', 'search_tracks', 'query=carousel', 'limit=1', '--json']);
  assert.equal(found.code, 0, found.err);
  assert.equal(JSON.parse(found.out).items.length, 1);
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(readdirSync(folder).sort(), ['.config', 'relay']);
});

test('the executable answers questions about the library, and ends those that take too long', async (context) => {
  const { folder, run } = lonely(context);
  const server = spawn(join(folder, 'relay'), ['serve', '--demo', '--json', '--port', '0'], {
    cwd: folder,
    env: { PATH: '', HOME: folder, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  context.after(() => server.kill('SIGKILL'));
  const [line] = await once(server.stdout, 'data');
  const { baseUrl } = JSON.parse(String(line));
  const ask = async (sql: string) => {
    const { code, out, err } = await run(['library', 'ask', sql, '--json']);
    return code === 0 ? JSON.parse(out).rows : JSON.parse(err).error.code;
  };
  const [[tracks, saved]] = await ask('select (select count(*) from tracks), (select count(*) from saved)');
  assert.ok(tracks >= saved && saved > 0);
  assert.deepEqual(await ask("select fold('Smørbrød')"), [['smorbrod']]);
  assert.equal(await ask('delete from saved'), 'INVALID_ARGUMENT');
  assert.equal(await ask("attach '/etc/passwd' as other"), 'INVALID_ARGUMENT');

  let answers = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await (await fetch(`${baseUrl}/health`)).json();
      answers += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const endless = 'with recursive c(x) as (values(1) union all select x + 1 from c) select count(*) from c';
  assert.equal(await ask(endless), 'DEADLINE_EXCEEDED');
  assert.ok(answers > 10, `/health was answered ${answers} times meanwhile`);
  assert.equal(await ask("select printf('%.*c', 1000000000, 'x')"), 'DEADLINE_EXCEEDED');
  assert.deepEqual(await ask('select count(*) from saved'), [[saved]]);
  isOver = true;
  await watching;
});

test('options for Node in the environment are ignored', async (context) => {
  const { run } = lonely(context);
  const answer = await run(['--version'], { NODE_OPTIONS: '--no-such-option --require /nonexistent' });
  assert.deepEqual([answer.code, answer.err], [0, '']);
});

test('the addon is unpacked once, where only its owner can read it, under the hash of its content', async (context) => {
  const { folder, run } = lonely(context);
  const first = await run(['key']);
  assert.equal(first.code, 0, first.err);
  const cache = join(folder, '.cache', 'relay');
  const [hash = '', ...others] = readdirSync(cache);
  assert.deepEqual(others, []);
  assert.match(hash, /^[0-9a-f]{64}$/);
  const addon = join(cache, hash, 'keyring.node');
  assert.deepEqual(readdirSync(join(cache, hash)), ['keyring.node']);
  for (const [path, mode] of [
    [cache, 0o700],
    [join(cache, hash), 0o700],
    [addon, 0o600],
  ] as const) {
    assert.equal(statSync(path).mode & 0o777, mode, path);
  }
  const { ino } = statSync(addon);
  const second = await run(['key'], { RELAY_HOME: join(folder, 'second') });
  assert.equal(second.code, 0, second.err);
  assert.equal(statSync(addon).ino, ino);
});

test('an addon that somebody else put into the cache is not loaded', async (context) => {
  const { folder, run } = lonely(context);
  await run(['key']);
  const cache = join(folder, '.cache', 'relay');
  const [hash = ''] = readdirSync(cache);
  const addon = join(cache, hash, 'keyring.node');
  const right = readFileSync(addon);

  writeFileSync(addon, 'something else');
  await run(['key'], { RELAY_HOME: join(folder, 'changed') });
  assert.equal(readFileSync(addon).equals(right), true);

  // Anyone who may write to the directory could exchange the file after relay has checked it and before it loads it.
  rmSync(cache, { recursive: true });
  mkdirSync(cache);
  chmodSync(cache, 0o777);
  const open = await run(['key'], { RELAY_HOME: join(folder, 'open') });
  assert.equal(open.code, 0, open.err);
  assert.deepEqual(readdirSync(cache), []);

  rmSync(cache, { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), cache);
  const linked = await run(['key'], { RELAY_HOME: join(folder, 'linked') });
  assert.equal(linked.code, 0, linked.err);
  assert.deepEqual(readdirSync(join(folder, 'elsewhere')), []);
});

test('if the addon cannot be unpacked at all, the key is kept in a file, and the program says so', async (context) => {
  const { folder, run } = lonely(context);
  const nowhere = { HOME: '/proc/1/nowhere', TMPDIR: '/proc/1/nowhere' };
  const env = { ...nowhere, RELAY_HOME: join(folder, 'home') };
  const answer = await run(['key'], env);
  assert.equal(answer.code, 0, answer.err);
  assert.match(answer.err, /The keychain cannot be used: the keychain addon cannot be loaded \(.*nowhere/);
  assert.deepEqual(readdirSync(join(folder, 'home')).sort(), ['master.key', 'relay.db']);
  const { entries } = JSON.parse((await run(['status', '--json'], env)).out);
  const key = entries.find(({ part }: { part: string }) => part === 'key');
  assert.equal(key.state, 'warning');
  assert.match(key.summary, /master\.key/);
});
