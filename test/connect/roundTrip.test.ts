/** `--write` and then `--remove`: every file is as it was, byte for byte, and no key is left anywhere. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { stringify } from 'yaml';
import { CLIENTS, type Client, type Connection } from '../../src/connect/clientTable.ts';
import { planFor, write } from '../../src/connect/connectClient.ts';
import { remove } from '../../src/connect/removeEntry.ts';
import { temporaryHome } from '../support/cli.ts';
import { trials } from '../support/scale.ts';
import { URL } from './additions.ts';
import { asJsonc, asToml, type Chance, chanceFrom, randomDocument } from './randomFiles.ts';

/** Number of files in each format. */
const ROUNDS = trials(400, 15);
const KEY = 'relay_0123456789abcdefghijklmnopqrstuvwxyz';
const PROGRAM: Connection['program'] = ['/opt/relay/relay', 'stdio'];

/** A random client with that format. */
function clientOf(chance: Chance, format: Client['format']): Client {
  const clients = CLIENTS.filter((client) => client.format === format);
  return clients[chance(clients.length)] ?? assert.fail();
}

/** A file without an entry for relay; null for no file. */
function original(chance: Chance, { format, section }: Client): string | null {
  const plain = ['', '\n', ' \n\n', '# mine\n', '# mine', '{}\n', '{ }'];
  const kind = chance(10);
  if (kind === 0) return null;
  if (kind === 1)
    return plain.filter((text) => isUsual(text, format))[chance(format === 'json' ? 5 : 5)] ?? '';
  const document = randomDocument(chance, section, 'headers');
  const servers = document[section] as Record<string, unknown> | undefined;
  if (servers) delete servers.relay;
  const text = inFormat(chance, document, format);
  const ended = chance(3) === 0 ? text.trimEnd() : text;
  const lines = chance(3) === 0 ? ended.replaceAll('\n', '\r\n') : ended;
  return chance(6) === 0 ? `\uFEFF${lines}` : lines;
}

function isUsual(text: string, format: Client['format']): boolean {
  if (format === 'json') return !text.startsWith('#');
  return !text.startsWith('{');
}

function inFormat(chance: Chance, document: Record<string, unknown>, format: Client['format']): string {
  if (format === 'json') return asJsonc(chance, document, '', ['  ', '\t', '    '][chance(3)] ?? '');
  if (format === 'toml') return asToml(chance, document);
  const text = stringify(document, { indent: 2 + chance(3) });
  return text.replaceAll(/^(?=[\w"?])/gm, () => (chance(5) === 0 ? '# own: "\n' : ''));
}

const clock = { now: Date.UTC(2026, 10, 20), platform: process.platform };

for (const format of ['json', 'toml', 'yaml'] as const) {
  test(`${format}: ${ROUNDS} files are as they were after --write and --remove`, async (context) => {
    const place = temporaryHome(context);
    for (let seed = 0; seed < ROUNDS; seed++) {
      const chance = chanceFrom(seed);
      const client = clientOf(chance, format);
      const home = join(place, String(seed));
      mkdirSync(home);
      const system = { platform: process.platform, env: {}, home };
      const plan = (key: string | null) =>
        planFor(client, { name: 'relay', url: URL, key, program: PROGRAM }, system);
      const { file } = plan(null);
      const before = original(chance, client);
      if (before !== null) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, before);
      }
      // Writes without the key, with the key, or once each way in either order.
      const keys = [[null], [KEY], [null, KEY], [KEY, null]][chance(4)] ?? [];
      for (const key of keys) await write(plan(key), clock);
      const written = readFileSync(file, 'utf8');
      assert.match(written, /relay/);
      const removed = await remove(plan(null), { now: clock.now, currentKey: async () => null });
      const where = `seed ${seed}, ${client.id}:\n${before}\n----\n${written}`;
      assert.deepEqual(removed.names, ['relay'], where);
      const files = filesBelow(home);
      assert.equal(files.get(file) ?? null, before, where);
      assert.equal(removed.deleted, before === null, where);
      for (const text of files.values()) assert.doesNotMatch(text, new RegExp(KEY), where);
    }
  });
}

/** The text of each file below a folder. */
function filesBelow(folder: string): Map<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = found.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}
