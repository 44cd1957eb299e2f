import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { version } from '../../package.json' with { type: 'json' };
import { COMMANDS } from '../../src/cli/commandList.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { pluck } from '../support/entries.ts';
import { asRoot, type CleanRoot, makeCleanRoot, withoutCleanRoot } from './cleanRoot.ts';

const skip = withoutCleanRoot();
const packageFile = (kind: string) =>
  fileURLToPath(new URL(`../../dist/relay-${version}-linux-x64.${kind}`, import.meta.url));

let root: CleanRoot;

before(() => {
  if (!skip) root = makeCleanRoot();
});

after(() => {
  if (!skip) root.remove();
});

test('the Debian package installs, works, and leaves nothing when it is removed', { skip }, async () => {
  const clean = root.files();
  asRoot('cp', packageFile('deb'), `${root.path}/relay.deb`);
  root.run('dpkg', '--install', '/relay.deb');
  asRoot('rm', `${root.path}/relay.deb`);
  assert.equal(root.run('dpkg', '--verify', 'relay'), '');
  await works();
  root.run('dpkg', '--purge', 'relay');
  assert.deepEqual(root.files(), clean);
});

test('the RPM package installs, works, and leaves nothing when it is removed', { skip }, async () => {
  const file = packageFile('rpm');
  // Only the end is compared: on a system without an rpm database, a warning comes first.
  assert.match(asRoot('rpm', '--checksig', file), /: digests OK\n$/);
  // On systems with rpm, other packages bring these directories.
  root.run('mkdir', '-p', ...SHARED);
  const clean = root.files();
  const rpm = (...args: string[]) => asRoot('rpm', `--root=${root.path}`, ...args);
  rpm('--initdb');
  // With --nodeps, since rpm does not know the packages that brought the required libraries.
  rpm('--install', '--nodeps', file);
  assert.equal(rpm('--verify', '--nodeps', 'relay'), '');
  const owned = rpm('--query', '--list', 'relay').trimEnd().split('\n');
  assert.deepEqual(
    owned.filter((path) => root.run('stat', '--format=%F', path) === 'directory\n'),
    ['/usr/share/doc/relay', '/usr/share/licenses/relay'],
  );
  await works();
  rpm('--erase', 'relay');
  assert.deepEqual(root.files(), clean);
});

/** Directories that many packages put files into. */
const SHARED = [
  '/usr/lib/systemd/user',
  '/usr/share/bash-completion/completions',
  '/usr/share/doc',
  '/usr/share/fish/vendor_completions.d',
  '/usr/share/licenses',
  '/usr/share/man/man1',
  '/usr/share/zsh/site-functions',
];

/** Checks the installed files, uses the demo with a client, and lets `relay uninstall` remove what relay made. */
async function works(): Promise<void> {
  const pages = root.run('ls', '/usr/share/man/man1').split('\n');
  assert.equal(pages.filter((name) => name.startsWith('relay')).length, COMMANDS.length + 1);
  assert.match(
    root.run('cat', '/usr/lib/systemd/user/relay.service'),
    /^ExecStart=\/usr\/bin\/relay serve$/m,
  );
  assert.match(root.run('cat', '/usr/share/bash-completion/completions/relay'), /complete .*relay/);
  assert.equal(root.run('relay', '--version'), `${version}\n`);

  const [command, args] = root.command('relay', 'serve', '--demo', '--json', '--port', '0');
  const server = spawn(command, args, {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'close');
  try {
    const [line] = await Promise.race([
      once(server.stdout, 'data'),
      ended.then(() => assert.fail('it ended')),
    ]);
    const { pid, mcpUrl } = JSON.parse(String(line));
    const { key } = JSON.parse(root.run('relay', 'key', '--json'));
    const client = new Client({ name: 'package-test', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }));
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS.map(({ name }) => name).sort());
    const found = await client.callTool({
      name: 'search_tracks',
      arguments: { query: 'carousel', limit: 1 },
    });
    assert.equal((found.structuredContent as { items: unknown[] }).items.length, 1);
    await client.close();
    asRoot('kill', '-TERM', String(pid));
    assert.deepEqual(await ended, [0, null]);
  } finally {
    server.kill('SIGKILL');
  }
  const { removed } = JSON.parse(root.run('relay', 'uninstall', '--yes', '--json'));
  assert.deepEqual(pluck(removed, 'part'), ['state']);
  // `relay uninstall` leaves this directory, which other programs use too.
  root.run('rmdir', '/root/.config');
}
