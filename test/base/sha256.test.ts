import assert from 'node:assert/strict';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hkdfSha256, hmacSha256, sha256 } from '../../src/base/sha256.ts';

const hex = (bytes: Uint8Array | ArrayBuffer) => Buffer.from(bytes as Uint8Array).toString('hex');

test('hashes of all lengths around a block are those of OpenSSL', () => {
  for (let length = 0; length <= 200; length++) {
    const content = Buffer.alloc(length, length);
    assert.equal(hex(sha256(content)), createHash('sha256').update(content).digest('hex'), `${length} bytes`);
  }
});

test('whatever is hashed, keyed or derived, it is what OpenSSL makes of it', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, fc.string(), (key, content, info) => {
      assert.equal(hex(sha256(content)), createHash('sha256').update(content).digest('hex'));
      assert.equal(hex(hmacSha256(key, content)), createHmac('sha256', key).update(content).digest('hex'));
      assert.equal(hex(hkdfSha256(key, info)), hex(Buffer.from(hkdfSync('sha256', key, '', info, 32))));
    }),
  );
});
