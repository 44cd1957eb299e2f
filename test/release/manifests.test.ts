import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { v0_3 } from '@anthropic-ai/mcpb';
import { version } from '../../package.json' with { type: 'json' };
import { TARGETS } from '../../scripts/package/targets.ts';
import { PRODUCT } from '../../scripts/release/description.ts';
import { commandTree } from '../../scripts/release/helpTree.ts';
import { iconPng, iconSvg } from '../../scripts/release/icon.ts';
import { manifests } from '../../scripts/release/manifests.ts';
import { manPages } from '../../scripts/release/manPages.ts';
import { mcpbManifest } from '../../scripts/release/mcpb.ts';
import { COMMANDS } from '../../src/cli/commandList.ts';
import { SETTING_KEYS, SETTINGS } from '../../src/config/table.ts';

/** A different checksum for each file. */
const files = TARGETS.flatMap(({ name, archive }) => [`${name}.${archive}`, `${name}.mcpb`]);
const sums = Object.fromEntries(
  files.map((file, index) => [`relay-${version}-${file}`, String(index).padStart(2, '0').repeat(32)]),
);
const made = manifests(sums);
const sumOf = (file: string) => sums[`relay-${version}-${file}`] ?? '';

test('no bundle requires any input, and each bundle starts relay stdio', () => {
  for (const target of TARGETS) {
    const manifest = v0_3.McpbManifestSchema.parse(mcpbManifest(target));
    const { command, args, env } = manifest.server.mcp_config;
    assert.deepEqual([command, args], [`\${__dirname}/server/relay${target.suffix}`, ['stdio']]);
    assert.deepEqual(manifest.compatibility?.platforms, [target.host.split('-')[0]]);
    const settings = manifest.user_config ?? {};
    assert.deepEqual(
      Object.values(env ?? {}),
      Object.keys(settings).map((id) => `\${user_config.${id}}`),
    );
    assert.deepEqual(
      Object.values(settings).map(({ required, default: value }) => [required, value !== undefined]),
      Object.keys(settings).map(() => [false, true]),
    );
  }
});

test('every manifest names the file of its platform with its checksum', () => {
  assert.deepEqual(Object.keys(made).sort(), [
    'homebrew/relay.rb',
    'scoop/relay.json',
    'server.json',
    ...['.installer', '.locale.en-US', ''].map(
      (kind) => `winget/${PRODUCT.winget}/${version}/${PRODUCT.winget}${kind}.yaml`,
    ),
  ]);
  const formula = made['homebrew/relay.rb'] ?? '';
  const pairs = [...formula.matchAll(/url "(.*)"\n\s+sha256 "(.*)"/g)].map(([, url, sum]) => [url, sum]);
  assert.deepEqual(
    pairs,
    ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((name) => [
      `${PRODUCT.downloads}/relay-${version}-${name}.tar.xz`,
      sumOf(`${name}.tar.xz`),
    ]),
  );

  const scoop = JSON.parse(made['scoop/relay.json'] ?? '');
  const zip = `${PRODUCT.downloads}/relay-${version}-win-x64.zip`;
  assert.deepEqual(scoop.architecture, {
    '64bit': { url: zip, hash: sumOf('win-x64.zip'), extract_dir: `relay-${version}-win-x64` },
  });

  const installer = made[`winget/${PRODUCT.winget}/${version}/${PRODUCT.winget}.installer.yaml`] ?? '';
  assert.ok(installer.includes(`RelativeFilePath: "relay-${version}-win-x64\\\\relay.exe"`));
  assert.ok(installer.includes(`"InstallerUrl":"${zip}"`) || installer.includes(`InstallerUrl: "${zip}"`));
  assert.ok(installer.includes(sumOf('win-x64.zip')));

  const server = JSON.parse(made['server.json'] ?? '');
  assert.ok(server.description.length <= 100);
  assert.match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.deepEqual(
    server.packages.map((one: { identifier: string; fileSha256: string }) => [
      one.identifier,
      one.fileSha256,
    ]),
    ['darwin-arm64', 'darwin-x64', 'linux-x64', 'linux-arm64', 'win-x64'].map((name) => [
      `${PRODUCT.downloads}/relay-${version}-${name}.mcpb`,
      sumOf(`${name}.mcpb`),
    ]),
  );
});

test('a manifest is not made without the checksum of a file that it names', () => {
  assert.throws(() => manifests({}), /relay-.* is not in SHA256SUMS/);
});

test('the icon is the same drawing in both forms', () => {
  assert.equal(iconSvg().match(/<(rect|path|circle) /g)?.length, 6);
  const png = iconPng(64);
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [64, 64]);
  const data = png.subarray(41, 41 + png.readUInt32BE(33));
  const pixels = inflateSync(data);
  const at = (x: number, y: number) => [...pixels.subarray(y * 257 + 1 + x * 4, y * 257 + 5 + x * 4)];
  assert.deepEqual(at(0, 0), [0, 0, 0, 0]);
  assert.deepEqual(at(32, 4), [18, 112, 60, 255]);
  assert.deepEqual(at(17, 32), [18, 112, 60, 255]);
  assert.deepEqual(at(32, 32), [255, 255, 255, 255]);
  assert.deepEqual(at(55, 32), [255, 255, 255, 255]);
});

test('the manual has every setting, file and exit code of the program, and every option of a command', () => {
  const pages = manPages();
  const termsOf = (page: string, section: string): string[] => {
    const [, text = ''] =
      new RegExp(`\\n\\.SH ${section}\\n([^]*?)(?=\\n\\.SH |$)`).exec(pages[page] ?? '') ?? [];
    return [...text.matchAll(/^\.TP\n\.B (.*)$/gm)].map(([, term = '']) => term.replaceAll('\\-', '-'));
  };
  assert.deepEqual(
    termsOf('relay.1', 'ENVIRONMENT'),
    SETTING_KEYS.map((key) => SETTINGS[key].env),
  );
  const files = termsOf('relay.1', 'FILES').map((path) => path.replace('~/.config/relay/', ''));
  assert.deepEqual(files, [
    '',
    'relay.db',
    'library.db',
    'memory.db',
    'relay.lock',
    'config.json',
    'server.json',
    'master.key',
    'oauth-clients.json',
    'relay.log',
    'update.json',
    'demo/',
  ]);
  for (const page of Object.keys(pages)) {
    assert.deepEqual(termsOf(page, 'EXIT STATUS'), ['0', '1', '2', '3', '4', '5', '130'], page);
    assert.notDeepEqual(termsOf(page, 'OPTIONS'), [], page);
  }
  assert.deepEqual(termsOf('relay-serve.1', 'ENVIRONMENT'), [
    'RELAY_HOST',
    'RELAY_PORT',
    'RELAY_TOOLSETS',
    'RELAY_READ_ONLY',
  ]);
  const serve = commandTree().commands.find((command) => command.name() === 'serve');
  assert.deepEqual(
    termsOf('relay-serve.1', 'OPTIONS').slice(0, serve?.options.length),
    serve?.options.map(({ flags }) => flags),
  );
});

test('every command has a page in the manual, made from its help', () => {
  const pages = manPages();
  assert.equal(Object.keys(pages).length, COMMANDS.length + 1);
  const page = pages['relay-serve.1'] ?? '';
  assert.match(
    page,
    /^\.TH RELAY-SERVE 1 \d{4}-\d\d-\d\d "relay [\d.]+" "relay Manual"\n\.SH NAME\nrelay\\-serve \\- /,
  );
  assert.match(page, /\n\.B \\-\\-port <number>\n/);
  for (const [name, text] of Object.entries(pages)) {
    for (const line of text.split('\n')) {
      // The only roff requests are those that make up the pages. A line of the help that begins like a request is escaped.
      assert.match(line, /^(?![.'])|^\.(TH|SH|SS|TP|B|BR|PP|nf|fi)\b/, `${name}: ${line}`);
    }
  }
});
