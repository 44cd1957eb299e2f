/** Random files of every client: `--write` and `--remove` keep every other value and comment, and leave no key behind. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { stringify as tomlOf } from 'smol-toml';
import { stringify as yamlOf } from 'yaml';
import { CLIENTS, type Client, type Connection } from '../../src/connect/clientTable.ts';
import { planFor, remove, write } from '../../src/connect/connectClient.ts';
import { type Data, sameData } from '../../src/connect/entry.ts';
import { FORMATS } from '../../src/connect/formats.ts';
import { temporaryHome } from '../support/cli.ts';
import { seeded } from '../support/seeded.ts';
import { URL } from './additions.ts';

/** Number of files in each format. */
const ROUNDS = 20;
const KEY = 'relay_0123456789abcdefghijklmnopqrstuvwxyz';
const PROGRAM: Connection['program'] = ['/opt/relay/relay', 'stdio'];
const WORDS = [...'a|x y|é|"|\\|[mcp_servers.relay]|// no|# no|{|}|,'.split('|'), "'''", '\n'];
const CLOCK = { now: Date.UTC(2026, 10, 20), platform: process.platform };

for (const format of ['json', 'toml', 'yaml'] as const) {
  test(`${format}: of ${ROUNDS} files, --write and --remove change only the entry`, async (context) => {
    const place = temporaryHome(context);
    for (let seed = 0; seed < ROUNDS; seed++) {
      const chance = chanceFrom(seed);
      const client = pick(
        chance,
        CLIENTS.filter((one) => one.format === format),
      );
      const home = join(place, String(seed));
      const system = { platform: process.platform, env: {}, home };
      const plan = (key: string | null) =>
        planFor(client, { name: 'relay', url: URL, key, program: PROGRAM }, system);
      const { file } = plan(null);
      const { text, document } = original(chance, client);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      // Writes without the key, with the key, or once each way in either order.
      for (const key of pick(chance, [[null], [KEY], [null, KEY], [KEY, null]]))
        await write(plan(key), CLOCK);
      const written = readFileSync(file, 'utf8');
      const where = `seed ${seed}, ${client.id}:\n${text}\n----\n${written}`;
      assert.deepEqual(ownComments(written), ownComments(text), where);
      assertSame(contentOf(written, client), document, where);
      assert.equal((await write(plan(written.includes(KEY) ? KEY : null), CLOCK)).changed, false, where);
      const removed = await remove(plan(null), CLOCK.now);
      assert.ok(removed.names.includes('relay'), where);
      const left = readFileSync(file, 'utf8');
      assert.deepEqual(ownComments(left), ownComments(text), `${where}\n----\n${left}`);
      assertSame(contentOf(left, client), document, where);
      for (const name of readdirSync(dirname(file)))
        assert.equal(readFileSync(join(dirname(file), name), 'utf8').includes(KEY), false, where);
    }
  });
}

function assertSame(actual: Data, expected: Data, where: string): void {
  assert.ok(sameData(actual, expected), where);
}

/** The values of a file without relay's entry, and without the section if nothing else is in it. */
function contentOf(text: string, { format, section }: Client): Data {
  const document = FORMATS[format].parse(text.replace(/^\uFEFF/, ''));
  const { relay: _, ...rest } = (document[section] ?? {}) as Data;
  const { [section]: __, ...others } = document;
  return Object.keys(rest).length === 0 ? others : { ...others, [section]: rest };
}

function ownComments(text: string): string[] {
  return text.match(/(?:\/\/|#) own \d+/g) ?? [];
}

type Chance = (below: number) => number;

function chanceFrom(seed: number): Chance {
  const next = seeded(seed * 7_919);
  return (below) => Math.floor(next() * below);
}

function pick<T>(chance: Chance, from: readonly T[]): T {
  return from[chance(from.length)] as T;
}

/** A file of the client, in half of the cases with an older entry for relay, and its values without that entry. */
function original(chance: Chance, client: Client): { text: string; document: Data } {
  const { format, section } = client;
  const servers = { ...data(chance, 1), ...(chance(2) === 0 && { relay: oldEntry(chance) }) };
  const all = { ...data(chance, 0), ...(chance(4) > 0 && { [section]: servers }), ...data(chance, 1) };
  const lines = {
    json: () =>
      client.strict
        ? JSON.stringify(all, null, pick(chance, ['', '\t', '    ']))
        : asJsonc(chance, all, '', pick(chance, ['  ', '\t', '    '])),
    toml: () => withComments(chance, tomlOf(all), /^(?=\[(?!mcp_servers\.relay))/gm),
    yaml: () => withComments(chance, yamlOf(all, { indent: 2 + chance(3) }), /^(?=[\w"?])/gm),
  }[format]();
  const ends = chance(3) === 0 ? lines.trimEnd().replaceAll('\n', '\r\n') : lines;
  let count = 0;
  const text = ends.replaceAll(' own', () => ` own ${count++}`);
  return { text: chance(6) === 0 ? `\uFEFF${text}` : text, document: contentOf(text, client) };
}

function oldEntry(chance: Chance): Data {
  const parts: Array<[string, unknown]> = [
    ['url', pick(chance, [URL, 'http://127.0.0.1:1/mcp'])],
    ['enabled', chance(2) === 0],
    ['timeout', 30],
    ['headers', { Authorization: 'Bearer relay_old', 'X-Proxy': text(chance) }],
    ['tools', data(chance, 2)],
  ];
  return Object.fromEntries(parts.filter(() => chance(2) === 0).sort(() => chance(3) - 1));
}

function text(chance: Chance): string {
  return Array.from({ length: chance(4) }, () => pick(chance, WORDS)).join('');
}

function value(chance: Chance, depth: number): unknown {
  const kind = chance(depth > 2 ? 4 : 6);
  if (kind === 0) return chance(1000) - 500;
  if (kind === 1) return chance(2) === 0;
  if (kind === 2 || kind === 3) return text(chance);
  if (kind === 4) return Array.from({ length: chance(3) }, () => text(chance));
  return data(chance, depth + 1);
}

function data(chance: Chance, depth: number): Data {
  const members = Array.from({ length: chance(4) }, (_, at) => [
    `${text(chance)}${at}`,
    value(chance, depth),
  ]);
  return Object.fromEntries(members);
}

/** JSON with comments, blank lines and trailing commas, on one line or several. No comment is in relay's entry. */
function asJsonc(chance: Chance, of: unknown, indent: string, unit: string): string {
  if (typeof of !== 'object' || of === null) return JSON.stringify(of);
  const isArray = Array.isArray(of);
  const [open, close] = isArray ? '[]' : '{}';
  const inline = chance(3) === 0;
  const line = inline ? '' : `\n${indent}${unit}`;
  const before = () => pick(chance, ['', '', ' /* c, } */']);
  // A line comment needs a line break after it, so on one line there are only block comments.
  const behind = () => (inline ? before() : pick(chance, ['', '', ' // own"', ' /* , */', `${line}// own`]));
  const members = Object.entries(of).map(([key, item], index, all) => {
    const name = isArray ? '' : `${JSON.stringify(key)}: `;
    const comma = index < all.length - 1 || chance(4) === 0 ? ',' : '';
    const layout =
      key === 'relay' ? JSON.stringify : (it: unknown) => asJsonc(chance, it, indent + unit, unit);
    return `${line}${name}${layout(item)}${before()}${comma}${behind()}`;
  });
  return `${open}${members.join('')}${inline ? '' : `\n${indent}`}${close}`;
}

/** @param places matches before each line that may get a comment above it */
function withComments(chance: Chance, lines: string, places: RegExp): string {
  return lines.replaceAll(places, () => (chance(3) === 0 ? '# own [mcp_servers.relay]\n' : ''));
}
