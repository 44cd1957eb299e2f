import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { expandSha256, hmacSha256 } from '../../src/base/sha256.ts';

test('HMAC and HKDF give the same bytes as OpenSSL for any input', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, fc.string(), (key, content, info) => {
      assert.deepEqual(hmacSha256(key, content), createHmac('sha256', key).update(content).digest());
      // RFC 5869, 2.3: the key is at least as long as the hash, and the output as long as the hash.
      const long = Buffer.concat([Buffer.alloc(32, 7), key]);
      const first = createHmac('sha256', long).update(info, 'utf8').update(Buffer.of(1)).digest();
      assert.deepEqual(expandSha256(long, info), first);
    }),
  );
});
