/** Compares THIRD-PARTY-LICENSES.txt with what the parts of an executable say about themselves. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { version } from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { basePin, unpack } from '../../scripts/package/fetch.ts';
import { HOST, TARGETS } from '../../scripts/package/targets.ts';
import { temporaryHome } from '../support/cli.ts';
import { assertNone } from '../support/entries.ts';
import { readApplication, readContainer, readSection } from './containers.ts';
import { noticesIn } from './notices.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/**
 * Crates that the addon's record lists although their code is not in it: the optional OpenSSL of the client for the Secret
 * Service. cargo makes the record before the linker leaves out what nothing calls.
 */
const NOT_LINKED = ['foreign-types', 'foreign-types-shared', 'openssl', 'openssl-sys'];

/** Entries of `process.versions` that need no notice: Node's own parts, interfaces, data. SQLite is checked below. */
const OF_NODE = ['node', 'modules', 'napi', 'nbytes', 'ncrypto', 'cldr', 'tz', 'unicode', 'sqlite'];
/** Names in Node's license that differ from those in `process.versions`. */
const CALLED: Record<string, string> = { ares: 'c-ares', uv: 'libuv' };

for (const { name, suffix } of TARGETS) {
  test(`the notices of ${name} name every crate in its keychain addon, and libdbus if it is linked there`, () => {
    const executable = readFileSync(join(DIST, `relay-${version}-${name}${suffix}`));
    const addon = readApplication(readContainer(executable).blob).assets.get('keyring.node');
    if (addon === undefined) throw new Error('there is no addon');
    const notices = noticesIn(name);
    const crates = cratesIn(addon);
    assert.ok(crates.length > 20);
    assertNone(crates, (crate) => !notices.includes(`\`${crate}\``));
    // libdbus writes its version into its code. The notices must name the same version.
    const libdbus = /libdbus \d+\.\d+\.\d+/.exec(addon.toString('latin1'))?.[0];
    assert.equal(libdbus !== undefined, name.startsWith('linux'));
    if (libdbus !== undefined) assert.ok(notices.includes(`## ${libdbus} (`));
  });
}

test('the notices name every package that the source map shows in the bundles', () => {
  const map = JSON.parse(readFileSync(join(DIST, `relay-${version}.map`), 'utf8'));
  const named = map.sources.map(
    (source: string) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1],
  );
  // Some packages were published as bundles. Their maps name packages that are not installed here; these do not count.
  const packages = new Set(named.filter((name?: string) => `node_modules/${name}` in lock.packages));
  assert.ok(packages.size > 10);
  for (const { name } of TARGETS) {
    const titles = new Set([...noticesIn(name).matchAll(/^={80}\n(\S+) \d/gm)].map(([, title]) => title));
    assertNone([...packages], (one) => !titles.has(String(one)));
  }
});

test('the notices name the parts of SQLite and of Node', { skip: HOST === undefined }, async (context) => {
  const folder = temporaryHome(context);
  if (HOST === undefined) return;
  await unpack(basePin(HOST.base), [HOST.program], folder);
  const told = execFileSync(join(folder, HOST.program), ['-p', 'JSON.stringify(process.versions)']);
  const linked = Object.entries(JSON.parse(told.toString()))
    // An empty version means that the part is not in this build.
    .filter(([part, value]) => value !== '' && !OF_NODE.includes(part))
    .map(([part]) => CALLED[part] ?? part);
  for (const { name } of TARGETS) {
    const notices = noticesIn(name);
    const unnamed = linked.filter(
      (part) => !new RegExp(`^(- )?${part}\\b.* licensed as`, 'im').test(notices),
    );
    assert.deepEqual(unnamed, [], name);
    for (const part of ['The SQLite library is in the public domain', 'Emscripten authors', 'Rich Felker']) {
      assert.ok(notices.includes(part), part);
    }
  }
});

/** "name version" of each crate in the addon's record: https://github.com/rust-secure-code/cargo-auditable */
function cratesIn(addon: Buffer): string[] {
  const section = readSection(addon, '.dep-v0');
  if (section === null) throw new Error('the addon has no record of its crates');
  const { packages } = JSON.parse(inflateSync(section).toString('utf8'));
  assert.doesNotMatch(addon.toString('latin1'), /openssl/i);
  return packages
    .filter(
      ({ name, kind, source }: Record<string, string>) =>
        kind !== 'build' && source !== 'local' && !NOT_LINKED.includes(name ?? ''),
    )
    .map(({ name, version }: Record<string, string>) => `${name} ${version}`);
}
