import assert from 'node:assert/strict';
import { chownSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { lastingName, systemMachine } from '../../src/service/machine.ts';
import { commandToServe, lastingNames, shellText } from '../../src/service/serveCommand.ts';
import { putLink, replaceText } from '../../src/service/serviceFiles.ts';
import { temporaryHome } from '../support/cli.ts';

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

test('a name that another user could point elsewhere later is not used', {
  skip: process.getuid?.() === 0 ? false : 'only root can give files away',
}, (context) => {
  const home = realpathSync(temporaryHome(context));
  const program = join(home, 'apps', 'relay');
  const names = join(home, '.local', 'bin');
  for (const folder of [join(home, 'apps'), names]) mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(program, '');
  symlinkSync(program, join(names, 'relay'));
  const found = () => lastingName(program, home);
  assert.equal(found(), join(names, 'relay'));
  chownSync(names, 65_534, 65_534);
  assert.equal(found(), program);
  // If that user owns the program too, the link gives them nothing new.
  chownSync(join(home, 'apps'), 65_534, 65_534);
  assert.equal(found(), join(names, 'relay'));
});

test('directories and files of a service are never writable for others, whatever the umask', {
  skip: process.platform === 'win32' ? 'Windows has no such modes' : false,
}, async (context) => {
  const config = join(temporaryHome(context), 'config');
  const umask = process.umask(0);
  try {
    await replaceText(join(config, 'user', 'relay.service'), 'text');
    await putLink(join(config, 'user', 'wants', 'relay.service'), '/elsewhere');
  } finally {
    process.umask(umask);
  }
  const modes = ['', 'user', 'user/wants', 'user/relay.service'].map((name) =>
    (statSync(join(config, name)).mode & 0o777).toString(8),
  );
  assert.deepEqual(modes, ['700', '700', '700', '644']);
});

test('run from source, the program is Node and the script, by paths that resolve to them', () => {
  const [node = '', script = '', ...more] = systemMachine().program;
  assert.equal(realpathSync(node), realpathSync(process.execPath));
  assert.equal(script, new URL('../../bin/relay.mjs', import.meta.url).pathname);
  assert.deepEqual(more, []);
});

test('a command is quoted for a POSIX shell', () => {
  assert.equal(shellText(['/opt/relay', "/it's", 'a b', '$x']), String.raw`/opt/relay '/it'\''s' 'a b' '$x'`);
});
