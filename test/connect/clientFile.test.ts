/** Files that change while relay edits them, files that are no text, and directories that may or may not be created. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { FileProblem, readClientFile, replaceClientFile } from '../../src/connect/clientFile.ts';
import { temporaryHome } from '../support/cli.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const onWindows = process.platform === 'win32' ? 'Windows has neither pipes in directories nor modes' : false;

for (const [what, before] of [
  ['changed', 'old'],
  ['appeared', null],
] as const) {
  test(`a file that ${what} meanwhile is left untouched`, async (context) => {
    const home = temporaryHome(context);
    const path = join(home, 'mcp.json');
    if (before !== null) writeFileSync(path, before);
    const file = await readClientFile(path);
    writeFileSync(path, 'of the client');
    await assert.rejects(replaceClientFile(file, { text: 'ours', secret: false, now: NOW }), {
      code: 'CONFLICT',
      message: `${path} changed while relay was editing it. Nothing was written.`,
    });
    assert.deepEqual([readdirSync(home), readFileSync(path, 'utf8')], [['mcp.json'], 'of the client']);
  });
}

test('a backup is kept beside the file under an unused name, and a link stays a link', async (context) => {
  const home = temporaryHome(context);
  mkdirSync(join(home, 'dotfiles'));
  writeFileSync(join(home, 'dotfiles', 'cursor.json'), 'mine', { mode: 0o640 });
  const path = join(home, 'mcp.json');
  symlinkSync('dotfiles/cursor.json', path);
  const replaceWith = async (text: string, secret: boolean) =>
    replaceClientFile(await readClientFile(path), { text, secret, now: NOW });
  const backup = `${path}.relay-backup-20261120T120000Z`;
  assert.equal(await replaceWith('ours', false), backup);
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.equal(await replaceWith('with the key', true), `${backup}-2`);
  assert.deepEqual(
    [path, backup, `${backup}-2`].map((one) => [readFileSync(one, 'utf8'), statSync(one).mode & 0o777]),
    [
      ['with the key', 0o600],
      ['mine', 0o600],
      ['ours', 0o600],
    ],
  );
  assert.equal(readlinkSync(path), 'dotfiles/cursor.json');
  assert.deepEqual(readdirSync(join(home, 'dotfiles')), ['cursor.json']);
});

/** Root ignores permissions, so if the tests run as root, `work` runs as another user, to whom the paths are given. */
async function asSomebody<T>(paths: string[], work: () => Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || !seteuid) return work();
  for (const path of paths) chownSync(path, 65_534, 65_534);
  seteuid(65_534);
  return work().finally(() => seteuid(0));
}

test('a read-only directory or file is reported, and nothing is left behind', {
  skip: onWindows,
}, async (context) => {
  for (const readOnly of ['', 'mcp.json']) {
    const home = temporaryHome(context);
    const path = join(home, 'mcp.json');
    writeFileSync(path, 'old');
    chmodSync(join(home, readOnly), 0o500);
    await asSomebody([home, path], async () => {
      const file = await readClientFile(path);
      await assert.rejects(replaceClientFile(file, { text: 'ours', secret: false, now: NOW }), {
        code: 'HOME_UNUSABLE',
        message: `${path} cannot be written (EACCES).`,
      });
    });
    chmodSync(home, 0o700);
    assert.deepEqual([readdirSync(home), readFileSync(path, 'utf8')], [['mcp.json'], 'old']);
  }
});

test('the directories of a new file are created', async (context) => {
  const home = temporaryHome(context);
  const path = join(home, '.config', 'Code', 'mcp.json');
  const file = await readClientFile(path);
  assert.equal(await replaceClientFile(file, { text: '{}', secret: false, now: NOW }), null);
  assert.deepEqual(readdirSync(join(home, '.config/Code')), ['mcp.json']);
});

test('what is not a text of a sensible size is refused unread', { skip: onWindows }, async (context) => {
  const home = temporaryHome(context);
  const at = (name: string) => join(home, name);
  writeFileSync(at('large'), '{}');
  truncateSync(at('large'), 100 * 1024 * 1024);
  execFileSync('mkfifo', [at('pipe')]);
  mkdirSync(at('directory'));
  symlinkSync('gone', at('link'));
  writeFileSync(at('bytes'), Buffer.from([0x7b, 0xff, 0x7d]));
  for (const [name, message] of [
    ['large', 'is 100 MiB, too large to edit safely'],
    ['pipe', 'is not a regular file'],
    ['directory', 'is not a regular file'],
    ['link', 'is a symbolic link to a file that does not exist'],
    ['bytes', 'is not UTF-8 text'],
  ] as const) {
    await assert.rejects(readClientFile(at(name)), new FileProblem(message), name);
  }
  closeSync(openSync(at('pipe'), constants.O_RDWR));
});

test('a new file is never writable for others, whatever the umask', { skip: onWindows }, async (context) => {
  const path = join(temporaryHome(context), 'mcp.json');
  const file = await readClientFile(path);
  const umask = process.umask(0);
  try {
    await replaceClientFile(file, { text: '{}', secret: false, now: 0 });
  } finally {
    process.umask(umask);
  }
  assert.equal(statSync(path).mode & 0o777, 0o644);
});
