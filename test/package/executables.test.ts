import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { list } from 'tar';
import { version } from '../../package.json' with { type: 'json' };
import { HOST, TARGETS } from '../../scripts/package/targets.ts';
import { iconPng } from '../../scripts/release/icon.ts';
import { assertNone } from '../support/entries.ts';
import {
  type Kind,
  readApplication,
  readContainer,
  readKind,
  readResources,
  readSignature,
} from './containers.ts';
import { noticesIn } from './notices.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const FORMATS: Record<string, Kind['format']> = { linux: 'ELF', darwin: 'Mach-O', win: 'PE' };
/** The number after Node's marker is 1 if an application was built in, else 0. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';

const sqlite = readFileSync(new URL('../../node_modules/sql.js/dist/sql-wasm.wasm', import.meta.url));

for (const { name, suffix } of TARGETS) {
  test(`the ${name} executable is for its platform and carries the program and its assets`, () => {
    const file = readFileSync(join(DIST, `relay-${version}-${name}${suffix}`));
    const [system = '', arch] = name.split('-');
    const { format, arch: built, blob, signed } = readContainer(file);
    const signs = system === 'darwin';
    assert.deepEqual([format, built, signed], [FORMATS[system], arch, signs]);
    assert.equal(file.includes(`${FUSE}1`), true);
    assert.equal(file.includes(`${FUSE}0`), false);

    const { path, assets, execArgv } = readApplication(blob);
    assert.equal(path, 'launcher.cjs');
    const caches = name === HOST?.name ? ['command.cache', 'options.cache', 'stdio.cache'] : [];
    const carried = [...caches, 'keyring.node', 'relay.cjs', 'sql-wasm.wasm', 'stdio.cjs'];
    assert.deepEqual([...assets.keys()].sort(), carried.sort());
    const program = assets.get('relay.cjs')?.toString('utf8') ?? '';
    assert.match(program, /RELAY_KEYCHAIN_HELPER/);
    // A script with a code cache cannot use `import()`, and is read as Latin-1.
    for (const script of [program, assets.get('stdio.cjs')?.toString('utf8') ?? '']) {
      assert.doesNotMatch(script, /\bimport\(/);
      assert.doesNotMatch(script, /[^\0-\x7f]/);
      assert.notEqual(script, '');
    }
    assert.deepEqual(readKind(assets.get('keyring.node') as Buffer), { format, arch });
    assert.equal(assets.get('sql-wasm.wasm')?.equals(sqlite), true);
    assert.deepEqual(execArgv, ['--v8-pool-size=1']);
  });
}

for (const { name } of TARGETS.filter(({ name }) => name.startsWith('darwin'))) {
  test(`the ${name} executable has a signature that covers all its pages`, () => {
    const { identifier, ...signature } = readSignature(readFileSync(join(DIST, `relay-${version}-${name}`)));
    assert.deepEqual(signature, { adHoc: true, wrongPages: [], covered: true });
    assert.match(identifier, /^relay/);
  });
}

test('the Windows executable has our icon and version, and keeps the other resources of Node', () => {
  const resources = readResources(readFileSync(join(DIST, `relay-${version}-win-x64.exe`)));
  // Icons, the application, a group of icons, the version and the manifest.
  assert.deepEqual([...resources.keys()].sort(), [10, 14, 16, 24, 3]);
  const [icon] = [...(resources.get(3) ?? [])].slice(-1);
  assert.equal(icon?.equals(iconPng(256)), true);
  const text = resources.get(16)?.[0]?.toString('utf16le') ?? '';
  for (const word of ['ProductVersion', version, 'relay for Spotify', 'relay.exe']) {
    assert.equal(text.includes(`${word}\0`), true, word);
  }
  assert.equal(text.includes('Node.js'), false);
});

test('an executable does not contain the path where it was built', () => {
  const { blob } = readContainer(readFileSync(join(DIST, `relay-${version}-${HOST?.name}${HOST?.suffix}`)));
  assert.equal(blob.includes(fileURLToPath(new URL('../..', import.meta.url))), false);
  assert.equal(blob.includes('relay-package-'), false);
});

test('each archive holds the executable as relay, with the licenses of all its parts', async () => {
  for (const { name, suffix, archive } of TARGETS) {
    const path = join(DIST, `relay-${version}-${name}.${archive}`);
    const files = archive === 'zip' ? zipFiles(path) : await tarFiles(path);
    const folder = `relay-${version}-${name}`;
    const executable = readFileSync(join(DIST, `relay-${version}-${name}${suffix}`));
    assert.deepEqual(files.map(({ name }) => name).sort(), [
      `${folder}/LICENSE`,
      `${folder}/THIRD-PARTY-LICENSES.txt`,
      `${folder}/relay${suffix}`,
    ]);
    const packed = files.find(({ name }) => name.endsWith(`relay${suffix}`));
    assert.equal(packed?.content.equals(executable), true);
    if (archive !== 'zip') assert.equal((packed?.mode ?? 0) & 0o777, 0o755);
    const licenses = files.find(({ name }) => name.endsWith('.txt'))?.content.toString('utf8') ?? '';
    assert.equal(licenses, noticesIn(name));
  }
});

test('the source map has no path of the machine that built it', () => {
  const { sources } = JSON.parse(readFileSync(join(DIST, `relay-${version}.map`), 'utf8'));
  assert.ok(sources.includes('src/executable.ts'));
  assertNone(sources, (source: string) => !/^(src|node_modules)\/|^package\.json$|^[\w-]+:/.test(source));
});

test('SHA256SUMS has the right checksum of every file that is published', () => {
  const text = readFileSync(join(DIST, 'SHA256SUMS'), 'utf8');
  const names = [
    ...TARGETS.flatMap(({ name, suffix, archive }) => [
      `${name}${suffix}`,
      ...[archive, 'mcpb', ...(name.startsWith('linux') ? ['deb', 'rpm'] : [])].map(
        (kind) => `${name}.${kind}`,
      ),
    ]),
    'npm.tgz',
    'sbom.cdx.json',
  ].map((what) => `relay-${version}-${what}`);
  const others = ['install.ps1', 'install.sh', 'latest.json', 'manifests.tar.gz', `relay-${version}.map`];
  const sums = [...names, ...others]
    .sort()
    .map((name) => `${digest(readFileSync(join(DIST, name)))}  ${name}\n`);
  assert.equal(text, sums.join(''));
  // There is no other file of this version, since the workflow would publish that too.
  const known = new Set([...names, ...others]);
  assertNone(readdirSync(DIST), (name) => name.startsWith(`relay-${version}`) && !known.has(name));
});

interface Packed {
  name: string;
  content: Buffer;
  mode?: number;
}

function zipFiles(path: string): Packed[] {
  return Object.entries(unzipSync(readFileSync(path))).map(([name, content]) => ({
    name,
    content: Buffer.from(content),
  }));
}

async function tarFiles(path: string): Promise<Packed[]> {
  const { stdout, status } = spawnSync('xz', ['--decompress', '--stdout', path], { maxBuffer: 2 ** 30 });
  assert.equal(status, 0);
  const files: Packed[] = [];
  const reading = list({
    onReadEntry(entry) {
      if (entry.type !== 'File') return;
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () =>
        files.push({ name: entry.path, content: Buffer.concat(chunks), mode: entry.mode ?? 0 }),
      );
    },
  });
  await new Promise((resolve, reject) => {
    reading.on('end', resolve).on('error', reject);
    reading.end(stdout);
  });
  return files;
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
