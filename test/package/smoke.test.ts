/** What `npm run package` has left in `dist/`: the executable of this machine runs alone, and every file is complete. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { unzipSync } from 'fflate';
import { version } from '../../package.json' with { type: 'json' };
import { HOST, programName, TARGETS, type Target } from '../../scripts/package/targets.ts';
import { ALL_TOOLS, TOOLS } from '../../src/tools/index.ts';
import { temporaryHome } from '../support/cli.ts';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const IS_WINDOWS = process.platform === 'win32';

/** The targets that were built. */
const BUILT = TARGETS.filter((target) => existsSync(executableOf(target)));

function executableOf({ name, platform }: Target): string {
  return join(DIST, `relay-${version}-${name}${platform === 'win32' ? '.exe' : ''}`);
}

/** Copies the executable alone into an empty directory, where it has no PATH and no other home. */
function lonely(context: TestContext) {
  assert.ok(HOST, 'There is no executable for this machine.');
  const folder = temporaryHome(context);
  const program = join(folder, programName(HOST));
  copyFileSync(executableOf(HOST), program);
  const homes = { HOME: folder, USERPROFILE: folder, APPDATA: folder, LOCALAPPDATA: folder };
  // Windows finds its own libraries by this.
  const { SystemRoot = '' } = process.env;
  const env = { ...homes, TMPDIR: folder, TEMP: folder, PATH: '', RELAY_KEYCHAIN: 'file', SystemRoot };
  const run = (args: string[], more = {}) =>
    promisify(execFile)(program, args, { cwd: folder, env: { ...env, ...more } });
  return { folder, program, env, run };
}

test('the executable alone serves the demo, answers a call and a question, and ends', async (context) => {
  const { folder, program, env, run } = lonely(context);
  const server = spawn(program, ['serve', '--demo', '--json', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  context.after(() => server.kill('SIGKILL'));
  const [line] = await once(server.stdout, 'data');
  const ready = JSON.parse(String(line));
  assert.deepEqual([ready.event, ready.providerConnected, ready.demo], ['ready', true, true]);
  const found = await run(['call', 'search_tracks', 'query=carousel', 'limit=1', '--json']);
  assert.equal(JSON.parse(found.stdout).items.length, 1);
  // Questions have a thread of their own, whose program and SQLite the executable carries.
  const asked = await run(['library', 'query', "select fold('Smørbrød')", '--json']);
  assert.deepEqual(JSON.parse(asked.stdout).rows, [['smorbrod']]);
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  const [code] = await ended;
  if (!IS_WINDOWS) assert.equal(code, 0);
});

test('relay stdio of the executable starts a server, lists and calls tools, and relay stop ends it', async (context) => {
  const { program, env, run } = lonely(context);
  const client = new Client({ name: 'smoke', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: program, args: ['stdio', '--demo'], env });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS.map(({ name }) => name),
    );
    const { isError } = await client.callTool({ name: 'search_tracks', arguments: { query: 'carousel' } });
    assert.ok(!isError);
  } finally {
    await client.close();
    const { stdout } = await run(['stop', '--demo']);
    assert.match(stdout, /^Stopped the server /);
  }
});

test('the executable has the version of package.json, and ignores options for Node', async (context) => {
  const { run } = lonely(context);
  const { stdout, stderr } = await run(['--version'], { NODE_OPTIONS: '--no-such-option' });
  assert.deepEqual([stdout.trim(), stderr], [version, '']);
});

/** A login that nobody finishes: it makes the state and its key, and fails. */
const LOGIN = ['login', '--no-browser', '--timeout', '1'];
const LOGIN_ENV = { PROVIDER_CLIENT_ID: 'any', RELAY_PORT: '0' };
const failure = (error: { stderr: string }) => error;

test('the executable unpacks the addon of the keychain, which loads', async (context) => {
  const { run } = lonely(context);
  // The addon has loaded if it is the keychain that fails. On a desktop, the keychain may answer.
  const { stderr } = await run(LOGIN, { ...LOGIN_ENV, RELAY_KEYCHAIN: 'auto' }).catch(failure);
  assert.match(stderr, /The login was not finished/);
  assert.doesNotMatch(stderr, /addon/);
});

const ENDINGS = { linux: ['tar.gz', 'mcpb'], darwin: ['tar.gz', 'mcpb'], win32: ['zip', 'mcpb'] };
/** The first bytes of a program, and where the format keeps its processor. */
const FORMATS = {
  linux: { magic: '7f454c46', at: () => 18, arch: { x64: 0x3e, arm64: 0xb7 } },
  darwin: { magic: 'cffaedfe', at: () => 4, arch: { x64: 0x07, arm64: 0x0c } },
  win32: {
    magic: '4d5a',
    at: (file: Buffer) => file.readUInt32LE(0x3c) + 4,
    arch: { x64: 0x64, arm64: 0x64 },
  },
};

for (const target of BUILT) {
  test(`${target.name}: the executable is for its platform, and its archives hold it with all licenses`, async () => {
    const executable = readFileSync(executableOf(target));
    const { magic, at, arch } = FORMATS[target.platform];
    assert.ok(executable.toString('hex', 0, 8).startsWith(magic));
    assert.equal(executable[at(executable)], arch[target.arch]);
    const name = `relay-${version}-${target.name}`;
    const [archive = '', bundle = ''] = ENDINGS[target.platform].map((ending) =>
      join(DIST, `${name}.${ending}`),
    );
    const program = programName(target);
    const packed = archive.endsWith('.zip') ? unzipped(archive) : await untarred(archive);
    const files = [`${name}/LICENSE`, `${name}/THIRD-PARTY-LICENSES.txt`, `${name}/${program}`];
    assert.deepEqual(Object.keys(packed).sort(), files);
    assert.ok(packed[`${name}/${program}`]?.equals(executable));
    const licenses = packed[`${name}/THIRD-PARTY-LICENSES.txt`]?.toString() ?? '';
    for (const part of ['zod', 'sql-wasm.wasm', 'Node.js 26', '@napi-rs/keyring-'])
      assert.ok(licenses.includes(`\n${part}`), part);
    const inBundle = unzipped(bundle);
    assert.ok(inBundle[`server/${program}`]?.equals(executable));
    const manifest = JSON.parse(String(inBundle['manifest.json']));
    assert.deepEqual(
      [
        manifest.version,
        manifest.server.entry_point,
        manifest.compatibility.platforms,
        manifest.tools.length,
      ],
      [version, `server/${program}`, [target.platform], ALL_TOOLS.length],
    );
    assert.ok(inBundle[manifest.icon] && inBundle.LICENSE);
  });
}

function unzipped(path: string): Record<string, Buffer> {
  const files = Object.entries(unzipSync(readFileSync(path)));
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content)]));
}

async function untarred(path: string): Promise<Record<string, Buffer>> {
  const tar = async (...args: string[]) =>
    (await promisify(execFile)('tar', args, { encoding: 'buffer', maxBuffer: 2 ** 30 })).stdout;
  const names = String(await tar('-tzf', path))
    .trim()
    .split(/\r?\n/);
  const contents = await Promise.all(names.map((name) => tar('-xzOf', path, name)));
  return Object.fromEntries(names.map((name, at) => [name, contents[at] as Buffer]));
}

test('the npm package installs into an empty directory, and runs there', async (context) => {
  const folder = temporaryHome(context);
  const env = { ...process.env, RELAY_HOME: join(folder, 'home'), RELAY_KEYCHAIN: 'file' };
  const run = promisify(execFile);
  const options = { cwd: folder, env, shell: IS_WINDOWS };
  const file = join(DIST, `relay-${version}-npm.tgz`);
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', file],
    options,
  );
  const { stdout } = await run('npx', ['--no-install', 'relay', '--version'], options);
  assert.equal(stdout.trim(), version);
  // This makes and opens the state, which needs SQLite's WebAssembly.
  const login = { ...options, env: { ...env, ...LOGIN_ENV } };
  await run('npx', ['--no-install', 'relay', ...LOGIN], login).catch(failure);
  const { stdout: key } = await run('npx', ['--no-install', 'relay', 'key', '--json'], options);
  assert.match(JSON.parse(key).key, /^\S{32,}$/);
});

test('SHA256SUMS has the right checksum of every file', () => {
  const names = readdirSync(DIST).filter((name) => name.startsWith('relay-'));
  const lines = names.sort().map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(DIST, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  assert.equal(readFileSync(join(DIST, 'SHA256SUMS'), 'utf8'), lines.join(''));
});
