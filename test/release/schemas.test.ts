/** Checks the manifests against the schemas that are published for them, and reads the formula with Ruby. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { version } from '../../package.json' with { type: 'json' };
import { TARGETS } from '../../scripts/package/targets.ts';
import { PRODUCT } from '../../scripts/release/description.ts';
import { manifests } from '../../scripts/release/manifests.ts';
import { linesOf } from '../support/entries.ts';
import { REGISTRY_SERVER, SCOOP, WINGET } from './schemas.ts';

const files = TARGETS.flatMap(({ name, archive }) => [`${name}.${archive}`, `${name}.mcpb`]);
const sums = Object.fromEntries(
  files.map((file, index) => [`relay-${version}-${file}`, String(index).padStart(2, '0').repeat(32)]),
);
const made = manifests(sums);
const ajv = new Ajv({ allErrors: true, formats: { uri: URL.canParse } });

function problems(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

test('server.json has the form that the MCP registry accepts', () => {
  const server = JSON.parse(made['server.json'] ?? '');
  assert.deepEqual(problems(REGISTRY_SERVER, server), []);
  const [first, ...others] = server.packages;
  const wrong = {
    ...server,
    name: 'relay',
    packages: [{ ...first, fileSha256: undefined, version: '^1.0.0' }, ...others],
  };
  assert.equal(problems(REGISTRY_SERVER, wrong).length, 3);
});

test('the three files for winget match the schemas of winget', () => {
  const name = `winget/${PRODUCT.winget}/${version}/${PRODUCT.winget}`;
  for (const [end, schema] of Object.entries(WINGET)) {
    assert.deepEqual(problems(schema, yamlOf(made[name + end] ?? '')), [], end);
  }
  const identifier = { ...yamlOf(made[`${name}.yaml`] ?? ''), PackageIdentifier: 'relay' };
  assert.equal(problems(WINGET['.yaml'], identifier).length, 1);
});

test('the manifest for scoop matches the schema of scoop', () => {
  assert.deepEqual(problems(SCOOP, JSON.parse(made['scoop/relay.json'] ?? '')), []);
});

const ruby = spawnSync('ruby', ['--version']).status === 0;
const skip = { skip: ruby || process.env.CI === 'true' ? false : 'Ruby is not installed' };

test('Ruby reads the formula: a download for each platform, the program, and a service', skip, () => {
  const cases = {
    macos: { arm: 'darwin-arm64', intel: 'darwin-x64' },
    linux: { arm: 'linux-arm64', intel: 'linux-x64' },
  };
  for (const [system, machines] of Object.entries(cases)) {
    for (const [machine, target] of Object.entries(machines)) {
      const file = `relay-${version}-${target}.tar.xz`;
      assert.deepEqual(readFormula(system, machine), {
        desc: PRODUCT.summary,
        homepage: PRODUCT.home,
        version,
        license: PRODUCT.license,
        url: `${PRODUCT.downloads}/${file}`,
        sha256: sums[file],
        run: ['/opt/bin/relay', 'serve'],
        keep_alive: { successful_exit: false },
        log_path: '/var/log/relay.log',
        error_log_path: '/var/log/relay.log',
        installed: ['relay'],
        completions: ['/bin/relay', 'completion'],
        command: '/bin/relay --version',
      });
    }
  }
});

/** The part of Homebrew that the formula uses (https://rubydoc.brew.sh/Formula). It records each call. */
const HOMEBREW = `
require 'json'
SYSTEM, MACHINE = ARGV
NOTED = {}
class Bin < String
  def /(other) = Bin.new("#{self}/#{other}")
  def install(*names) = NOTED[:installed] = names
end
module Notes
  def note(*names)
    names.each { |name| define_method(name) { |*all, **named| NOTED[name] = named.empty? ? (all.one? ? all[0] : all) : named } }
  end
end
class Service
  extend Notes
  note :run, :keep_alive, :log_path, :error_log_path
  def opt_bin = Bin.new('/opt/bin')
  def var = Bin.new('/var')
end
class Formula
  class << self
    extend Notes
    note :desc, :homepage, :version, :license, :url, :sha256
    def on_macos = SYSTEM == 'macos' && yield
    def on_linux = SYSTEM == 'linux' && yield
    def on_arm = MACHINE == 'arm' && yield
    def on_intel = MACHINE == 'intel' && yield
    def service(&block) = Service.new.instance_eval(&block)
    def test(&block) = define_method(:run_test, &block)
  end
  def bin = Bin.new('/bin')
  def version = NOTED[:version]
  def generate_completions_from_executable(*all) = NOTED[:completions] = all
  def shell_output(command) = (NOTED[:command] = command) && "#{version}\\n"
  def assert_match(part, whole) = whole.include?(part) || raise('the test of the formula fails')
end
eval(STDIN.read)
formula = Relay.new
formula.install
formula.run_test
puts NOTED.to_json
`;

function readFormula(system: string, machine: string): unknown {
  const { stdout, stderr } = spawnSync('ruby', ['-e', HOMEBREW, system, machine], {
    input: made['homebrew/relay.rb'],
    encoding: 'utf8',
  });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

/** Reads the subset of YAML that these files use. */
function yamlOf(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  let list: unknown[] = [];
  for (const line of linesOf(text)) {
    const [, indent = '', name, value = ''] = /^(- | {2})?(?:(\w+):)? ?(.*)$/.exec(line) ?? [];
    if (indent === '' && value === '') found[name ?? ''] = list = [];
    else if (indent === '') found[name ?? ''] = JSON.parse(value);
    else if (name === undefined) list.push(JSON.parse(value));
    else if (indent === '- ') list.push({ [name]: JSON.parse(value) });
    else Object.assign(list.at(-1) as object, { [name]: JSON.parse(value) });
  }
  return found;
}
