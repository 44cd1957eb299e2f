import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unpackExtension, validateManifest } from '@anthropic-ai/mcpb';
import { dependencies, version } from '../../package.json' with { type: 'json' };
import { HOST, TARGETS } from '../../scripts/package/targets.ts';
import { PRODUCT } from '../../scripts/release/description.ts';
import { temporaryHome } from '../support/cli.ts';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const BUNDLE = join(DIST, `relay-${version}-${HOST?.name}.mcpb`);

test("the bundle is valid to the official packer, and its program is the platform's executable", async (context) => {
  const folder = temporaryHome(context);
  assert.equal(await unpackExtension({ mcpbPath: BUNDLE, outputDir: folder, silent: true }), true);
  assert.deepEqual(readdirSync(folder).sort(), [
    'LICENSE',
    'THIRD-PARTY-LICENSES.txt',
    'icon.png',
    'manifest.json',
    'server',
  ]);
  context.mock.method(console, 'log', () => {});
  assert.equal(validateManifest(join(folder, 'manifest.json')), true);
  const program = join(folder, 'server', 'relay');
  assert.equal(digest(program), digest(join(DIST, `relay-${version}-${HOST?.name}`)));
  // The unpacked file can be started without further steps.
  assert.equal(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout, `${version}\n`);
});

test('dist/release names every file by its checksum', () => {
  const release = join(DIST, 'release');
  const read = (path: string) => readFileSync(join(release, path), 'utf8');
  const folder = join('winget', PRODUCT.winget, version);
  const texts = [
    ...['homebrew/relay.rb', 'scoop/relay.json', 'server.json'].map(read),
    ...readdirSync(join(release, folder)).map((name) => read(join(folder, name))),
  ].join('\n');
  for (const { name, archive } of TARGETS) {
    for (const kind of [archive, 'mcpb']) {
      const file = `relay-${version}-${name}.${kind}`;
      assert.ok(texts.includes(`${PRODUCT.downloads}/${file}`), file);
      assert.ok(texts.toLowerCase().includes(digest(join(DIST, file))), file);
    }
  }
});

test('the parts list has Node and every dependency of the program, and no tool that only builds it', () => {
  const bom = JSON.parse(readFileSync(join(DIST, `relay-${version}-sbom.cdx.json`), 'utf8'));
  const { name, purl } = bom.metadata.component;
  assert.deepEqual([bom.bomFormat, name, purl], ['CycloneDX', 'relay', `${PRODUCT.purl}@${version}`]);
  const names = new Set(bom.components.map(({ name }: { name: string }) => name));
  for (const name of ['node', ...Object.keys(dependencies)]) assert.ok(names.has(name), name);
  assert.ok(!names.has('typescript'));
});

test('the package for npx runs from an npm installation', async (context) => {
  const folder = temporaryHome(context);
  const file = join(DIST, `relay-${version}-npm.tgz`);
  const options = { cwd: folder, env: { ...process.env, npm_config_prefer_offline: 'true' } };
  const { stdout: dry } = await promisify(execFile)('npm', ['publish', '--dry-run', '--json', file], options);
  const { [PRODUCT.npm]: told = JSON.parse(dry) } = JSON.parse(dry);
  assert.deepEqual([told.name, told.version], [PRODUCT.npm, version]);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', file], options);
  const env = { ...process.env, RELAY_HOME: join(folder, 'home'), RELAY_KEYCHAIN: 'file' };
  const run = (...args: string[]) =>
    spawnSync('npx', ['--no-install', 'relay', ...args], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(run('--version').stdout, `${version}\n`);
  // This command opens the state, which needs SQLite's WebAssembly.
  const { stdout, stderr } = run('key', '--json');
  assert.match(JSON.parse(stdout).key, /^\S{32,}$/, stderr);
});

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
