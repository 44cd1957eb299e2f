import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hkdfSha256, hmacSha256 } from '../../src/base/sha256.ts';

test('whatever is keyed or derived, it is what OpenSSL makes of it', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, fc.string(), (key, content, info) => {
      assert.deepEqual(hmacSha256(key, content), createHmac('sha256', key).update(content).digest());
      assert.deepEqual(hkdfSha256(key, info), Buffer.from(hkdfSync('sha256', key, '', info, 32)));
    }),
  );
});
