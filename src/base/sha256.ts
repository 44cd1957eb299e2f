/**
 * HMAC (RFC 2104) and HKDF (RFC 5869) over SHA-256, for a few short texts. Loading `node:crypto` takes a quarter of what a
 * bare Node takes to start, and `relay stdio` needs only four hashes before its first answer. Code that needs more, or is
 * under load, uses `node:crypto`.
 */
import { expand } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

const BYTES = 32;

export function hmacSha256(key: Uint8Array, content: Uint8Array): Buffer {
  return Buffer.from(hmac(sha256, key, content));
}

/** 32 bytes of HKDF-Expand. A key of 32 random bytes needs no extraction first (RFC 5869, 3.3). */
export function expandSha256(key: Uint8Array, info: string): Buffer {
  return Buffer.from(expand(sha256, key, Buffer.from(info), BYTES));
}

/** Compares bytes in a time that depends only on the lengths. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  return a.reduce((found, byte, at) => found | (byte ^ (b[at] as number)), 0) === 0;
}
