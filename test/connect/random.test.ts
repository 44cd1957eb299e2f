/** Random files: merging changes our entry and keeps every other line, and merging again changes nothing. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Data, mergedEntry, sameData, withEntry } from '../../src/connect/entry.ts';
import { parseJson } from '../../src/connect/jsonEdits.ts';
import { type Addition, merge } from '../../src/connect/merge.ts';
import { parseToml } from '../../src/connect/tomlEdits.ts';
import { trials } from '../support/scale.ts';
import { JSON_ADDITION, JSON_KEY_ADDITION, TOML_ADDITION, TOML_KEY_ADDITION } from './additions.ts';
import { asJsonc, asToml, chanceFrom, randomDocument } from './randomFiles.ts';

const ROUNDS = trials(1_500, 400);

function linesOf(file: string): string[] {
  return file.split(/\r?\n/).filter((line) => /(\/\/|#) own/.test(line));
}

function check(file: string, addition: Addition, parse: (text: string) => Data): void {
  const before = parse(file);
  const existing = (before[addition.section] as Data | undefined)?.relay as Data | undefined;
  const wanted = mergedEntry(existing ?? {}, addition.entry, addition.shares);
  const merged = merge(file, addition);
  assert.ok(sameData(parse(merged), withEntry(before, addition.section, 'relay', wanted)), merged);
  assert.deepEqual(linesOf(merged), linesOf(file), `${file}\n----\n${merged}`);
  assert.equal(merge(merged, addition), merged);
}

test('random JSON with comments keeps everything else', () => {
  for (let seed = 0; seed < ROUNDS; seed++) {
    const chance = chanceFrom(seed);
    const unit = ['  ', '\t', '    '][chance(3)] as string;
    const lines = asJsonc(chance, randomDocument(chance, 'mcpServers', 'headers'), '', unit);
    const file = chance(3) === 0 ? lines.replaceAll('\n', '\r\n') : lines;
    for (const addition of [JSON_ADDITION, JSON_KEY_ADDITION]) check(file, addition, parseJson);
  }
});

test('random TOML with comments keeps everything else', () => {
  for (let seed = 0; seed < ROUNDS; seed++) {
    const chance = chanceFrom(seed);
    const lines = asToml(chance, randomDocument(chance, 'mcp_servers', 'http_headers'));
    const file = chance(3) === 0 ? lines.replaceAll('\n', '\r\n') : lines;
    for (const addition of [TOML_ADDITION, TOML_KEY_ADDITION]) check(file, addition, parseToml);
  }
});
