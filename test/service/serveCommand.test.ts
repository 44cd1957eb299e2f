import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import test from 'node:test';
import { systemMachine } from '../../src/service/machine.ts';
import { commandToServe, lastingNames, shellText } from '../../src/service/serveCommand.ts';

test('the command has --home only when a home was given', () => {
  assert.deepEqual(commandToServe(['/n', '/r.mjs'], null), ['/n', '/r.mjs', 'serve']);
  assert.deepEqual(commandToServe(['/r'], '/h'), ['/r', '--home', '/h', 'serve']);
});

test('paths that survive an upgrade are looked for in the usual directories', () => {
  assert.deepEqual(lastingNames('/opt/homebrew/Cellar/node/26.1.0/bin/node', '/Users/me'), [
    '/usr/local/bin/node',
    '/usr/local/bin/relay',
    '/opt/homebrew/bin/node',
    '/opt/homebrew/bin/relay',
    '/home/linuxbrew/.linuxbrew/bin/node',
    '/home/linuxbrew/.linuxbrew/bin/relay',
    '/usr/bin/node',
    '/usr/bin/relay',
    '/Users/me/.local/bin/node',
    '/Users/me/.local/bin/relay',
    '/Users/me/bin/node',
    '/Users/me/bin/relay',
  ]);
  assert.deepEqual(lastingNames('/usr/bin/node', '/home/me'), []);
  assert.deepEqual(lastingNames('/home/me/.local/bin/relay', '/home/me'), []);
});

test('run from source, the program is Node and the script, by paths that resolve to them', () => {
  const [node = '', script = '', ...more] = systemMachine().program;
  assert.equal(realpathSync(node), realpathSync(process.execPath));
  assert.equal(script, new URL('../../bin/relay.mjs', import.meta.url).pathname);
  assert.deepEqual(more, []);
});

test('a program that hangs times out, and a missing one is reported', async () => {
  const { run } = systemMachine();
  assert.deepEqual(await run('no-such-program', []), {
    ok: false,
    out: '',
    err: 'no-such-program was not found',
  });
  assert.deepEqual(await run(process.execPath, ['-p', '1+1']), { ok: true, out: '2\n', err: '' });
  const failed = await run(process.execPath, ['-e', 'console.error("why"); process.exit(3)']);
  assert.deepEqual(failed, { ok: false, out: '', err: 'why' });
  const hangs = await run(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], 200);
  assert.deepEqual(hangs, { ok: false, out: '', err: `${process.execPath} did not answer within 0.2 s` });
});

test('a command is quoted for a POSIX shell', () => {
  assert.equal(shellText(['/opt/relay', "/it's", 'a b', '$x']), String.raw`/opt/relay '/it'\''s' 'a b' '$x'`);
});
