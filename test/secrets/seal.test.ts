import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/base/clock.ts';
import { createSealer, equalSecrets } from '../../src/secrets/seal.ts';

const KEY = Buffer.alloc(32, 1);
const sealer = createSealer(KEY, systemRandom);

test('sealed text of any script and length opens with the same key and name', () => {
  for (const text of ['', 'token', 'żółć 音楽 🎵', 'x'.repeat(100_000)]) {
    const sealed = sealer.seal('refresh_token', text);
    assert.equal(sealed.length, 1 + 12 + Buffer.byteLength(text) + 16);
    assert.equal(createSealer(KEY, systemRandom).open('refresh_token', sealed), text);
  }
});

test('sealing the same value twice gives different bytes', () => {
  assert.notDeepEqual(sealer.seal('a', 'same'), sealer.seal('a', 'same'));
});

test('another key, another name or any changed byte is refused', () => {
  const sealed = sealer.seal('refresh_token', 'token');
  const refusal = {
    code: 'KEY_MISMATCH',
    message: 'The stored refresh_token cannot be opened with the current master key.',
  };
  const other = createSealer(Buffer.alloc(32, 2), systemRandom);
  assert.throws(() => other.open('refresh_token', sealed), refusal);
  for (const name of ['access_token', 'refresh_token.1'])
    assert.throws(() => sealer.open(name, sealed), { code: 'KEY_MISMATCH' });
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open('refresh_token', changed), refusal);
  }
  for (const length of [0, 1, 13, 28, sealed.length - 1]) {
    assert.throws(() => sealer.open('refresh_token', sealed.subarray(0, length)), refusal);
  }
});

test('a check value matches its own key only, and a sealed secret is not accepted as a check value', () => {
  const other = createSealer(Buffer.alloc(32, 2), systemRandom);
  const check = sealer.check();
  assert.deepEqual([sealer.matches(check), other.matches(check)], [true, false]);
  assert.equal(sealer.matches(sealer.seal('check', 'relay master key')), false);
});

test('equalSecrets is true for equal texts and false for all others', () => {
  const pairs: Array<[string, string, boolean]> = [
    ['abc', 'abc', true],
    ['', '', true],
    ['abc', 'abd', false],
    ['abc', 'abcd', false],
    ['', 'a', false],
  ];
  for (const [a, b, expected] of pairs) assert.equal(equalSecrets(a, b), expected);
});
