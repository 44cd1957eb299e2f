import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../../package.json' with { type: 'json' };
import { HOST } from '../../scripts/package/targets.ts';
import { temporaryHome } from '../support/cli.ts';
import { listening } from '../support/http.ts';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const NAME = `relay-${version}-${HOST?.name}`;
const TOOLS = [
  'sh',
  'uname',
  'mktemp',
  'awk',
  'cut',
  'sha256sum',
  'cp',
  'chmod',
  'mv',
  'mkdir',
  'rm',
  'tar',
  'xz',
  'grep',
  'head',
  'ldd',
];

/** For each file its content, or the address to which a request for it is redirected; null if the file is missing. */
interface Files {
  [name: string]: Buffer | URL | null;
}

/** Serves `dist`, with some files replaced or missing, and runs the script against it in an empty home. */
async function install(
  context: TestContext,
  replaced: Files = {},
  programs: readonly string[] = ['curl'],
  before?: (bin: string) => void,
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    asked.push(name);
    const content = name in replaced ? replaced[name] : readFileSync(join(DIST, name));
    if (content == null) response.writeHead(404).end();
    else if (content instanceof URL) response.writeHead(302, { location: content.href }).end();
    else response.end(content);
  });
  const home = temporaryHome(context);
  const bin = join(home, 'bin');
  mkdirSync(bin);
  for (const name of [...TOOLS.filter((tool) => !programs.includes(`-${tool}`)), ...programs]) {
    if (name.startsWith('/')) symlinkSync(name, join(bin, basename(name)));
    else if (!name.startsWith('-')) symlinkSync(whereIs(name), join(bin, name));
  }
  const program = join(home, '.local', 'bin', 'relay');
  if (before) {
    mkdirSync(dirname(program), { recursive: true });
    before(dirname(program));
  }
  const temp = join(home, 'tmp');
  mkdirSync(temp);
  const child = spawn(join(bin, 'sh'), [join(DIST, 'install.sh')], {
    env: {
      PATH: bin,
      HOME: home,
      TMPDIR: temp,
      RELAY_DOWNLOAD_URL: await listening(context, server),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.deepEqual(readdirSync(temp), []);
  return { code, out: out.replaceAll(home, '~'), err, asked, program, left: readdirSync(home).sort() };
}

function whereIs(name: string): string {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
  return stdout.trim();
}

function tampered(name: string): Buffer {
  const content = readFileSync(join(DIST, name));
  content.writeUInt8(content.readUInt8(1_000) ^ 1, 1_000);
  return content;
}

const INSTALLED = `Installed ~/.local/bin/relay (${version}).
~/.local/bin is not in your PATH. Add it, or run: ~/.local/bin/relay serve
`;

test('install.sh fetches the archive, checks it, and installs a program that runs', async (context) => {
  const { code, out, err, asked, program } = await install(context);
  assert.deepEqual([code, out, err], [0, INSTALLED, '']);
  assert.deepEqual(asked, ['SHA256SUMS', `${NAME}.tar.xz`]);
  assert.equal(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout, `${version}\n`);
  assert.deepEqual(readdirSync(join(program, '..')), ['relay']);
});

test('without xz and curl, install.sh fetches the executable itself, with wget', async (context) => {
  const { code, out, asked, program } = await install(context, {}, ['wget', '-xz']);
  assert.deepEqual([code, out], [0, INSTALLED]);
  assert.deepEqual(asked, ['SHA256SUMS', NAME]);
  assert.equal(digest(readFileSync(program)), digest(readFileSync(join(DIST, NAME))));
});

test('a file is not installed if SHA256SUMS does not name it, or has another checksum', async (context) => {
  const archive = `${NAME}.tar.xz`;
  const sums = readFileSync(join(DIST, 'SHA256SUMS'), 'utf8');
  const cases: Array<[replaced: Files, reason: string]> = [
    [{ [archive]: tampered(archive) }, `${archive} is not the file that SHA256SUMS names.`],
    [{ SHA256SUMS: Buffer.from(sums.replaceAll(archive, 'else')) }, `SHA256SUMS does not name ${archive}.`],
    [{ SHA256SUMS: Buffer.from('') }, `SHA256SUMS does not name ${archive}.`],
    [
      { SHA256SUMS: Buffer.from(sums.replace(/^./gm, (digit) => (digit === '0' ? '1' : '0'))) },
      `${archive} is not the file that SHA256SUMS names.`,
    ],
  ];
  for (const [replaced, reason] of cases) {
    const { code, out, err, left } = await install(context, replaced);
    assert.deepEqual([code, out, err], [1, '', `relay was not installed: ${reason}\n`]);
    assert.deepEqual(left, ['bin', 'tmp']);
  }
  const missing = await install(context, { [archive]: null });
  assert.equal(missing.code, 1);
  assert.match(missing.err, /tar\.xz cannot be fetched\.\n$/);
  assert.deepEqual(missing.left, ['bin', 'tmp']);
});

for (const program of ['curl', 'wget']) {
  test(`a redirect that leads away from https is not followed (${program})`, async (context) => {
    let followed = 0;
    const elsewhere = createServer((_request, response) => {
      followed += 1;
      response.end(readFileSync(join(DIST, 'SHA256SUMS')));
    });
    const origin = await listening(context, elsewhere);
    const replaced = { SHA256SUMS: new URL('/SHA256SUMS', origin) };
    const { code, out, err, asked, left } = await install(context, replaced, [program]);
    assert.deepEqual([code, out, left, asked, followed], [1, '', ['bin', 'tmp'], ['SHA256SUMS'], 0]);
    assert.match(err, /\/SHA256SUMS cannot be fetched\.\n$/);
    // A redirect to https is followed. It fails, since the server at that address speaks no TLS.
    const toHttps = await install(context, { SHA256SUMS: new URL(origin.replace('http:', 'https:')) }, [
      program,
    ]);
    assert.deepEqual([toHttps.code, toHttps.out, followed], [1, '', 0]);
    assert.match(toHttps.err, program === 'curl' ? /SSL|TLS/ : /cannot be fetched/);
  });
}

test('a file that does not run on this system is not installed, and the earlier one stays', async (context) => {
  const sums = readFileSync(join(DIST, 'SHA256SUMS'), 'utf8');
  const broken = Buffer.from('#!/bin/sh\necho "libc is too old" >&2\nexit 127\n');
  const line = new RegExp(`^.*  ${NAME}$`, 'm');
  const replaced = {
    [NAME]: broken,
    SHA256SUMS: Buffer.from(sums.replace(line, `${digest(broken)}  ${NAME}`)),
  };
  const before = (bin: string) => writeFileSync(join(bin, 'relay'), 'an older one');
  const { code, out, err, program } = await install(context, replaced, ['curl', '-xz'], before);
  assert.deepEqual(
    [code, out, err],
    [1, '', 'relay was not installed: the file does not run on this system: libc is too old\n'],
  );
  assert.deepEqual(readdirSync(join(program, '..')), ['relay']);
  assert.equal(readFileSync(program, 'utf8'), 'an older one');
});

test('on a system with musl nothing is fetched, and the script says what to do instead', async (context) => {
  const folder = temporaryHome(context);
  const ldd = join(folder, 'ldd');
  // Behaves like musl's ldd, which writes to stderr and fails.
  writeFileSync(ldd, '#!/bin/sh\necho "musl libc (x86_64)" >&2\nexit 1\n', { mode: 0o755 });
  const { code, out, err, asked, left } = await install(context, {}, ['curl', '-ldd', ldd]);
  assert.deepEqual([code, out, asked, left], [1, '', [], ['bin', 'tmp']]);
  assert.match(err, /^relay was not installed: this system has musl .*Alpine.*glibc.*npm\.\n$/);
});

test('a script that has arrived only in part installs nothing', (context) => {
  const script = readFileSync(join(DIST, 'install.sh'), 'utf8');
  const home = temporaryHome(context);
  const lines = script.split('\n');
  for (let count = 1; count < lines.length - 2; count += 7) {
    const path = join(home, 'half.sh');
    writeFileSync(path, lines.slice(0, count).join('\n'));
    spawnSync('sh', [path], {
      env: { PATH: '/usr/bin:/bin', HOME: home, RELAY_DOWNLOAD_URL: 'http://127.0.0.1:9' },
    });
    assert.deepEqual(readdirSync(home), ['half.sh']);
  }
});

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
