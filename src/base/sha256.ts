/**
 * SHA-256 (FIPS 180-4), HMAC (RFC 2104) and HKDF (RFC 5869) for a few short texts. Loading `node:crypto` takes a quarter of
 * what a bare Node takes to start; `relay stdio` needs four of these before its first answer, each at a client's start.
 * Whatever holds more than a start does, or is under load, uses `node:crypto`.
 */

const BLOCK = 64;
const HASH = 32;

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes, as FIPS 180-4 has them in 4.2.2. */
const ROUND_CONSTANTS = wordsOf(
  '428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5' +
    'd807aa9812835b01243185be550c7dc372be5d7480deb1fe9bdc06a7c19bf174' +
    'e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da' +
    '983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca635114292967' +
    '27b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85' +
    'a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070' +
    '19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3' +
    '748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2',
);
/** Those of the square roots of the first 8: 5.3.3. */
const START = wordsOf('6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19');

/** @internal */
export function sha256(content: Uint8Array): Buffer {
  const state = Int32Array.from(START);
  const padded = withLength(content);
  const words = new Int32Array(BLOCK);
  for (let at = 0; at < padded.length; at += BLOCK) mix(state, words, padded, at);
  const hash = Buffer.alloc(HASH);
  for (const [index, word] of state.entries()) hash.writeInt32BE(word, 4 * index);
  return hash;
}

export function hmacSha256(key: Uint8Array, content: Uint8Array): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(Buffer.concat([block.map((byte) => byte ^ 0x36), content]));
  return sha256(Buffer.concat([block.map((byte) => byte ^ 0x5c), inner]));
}

/** 32 bytes of HKDF without salt. */
export function hkdfSha256(key: Uint8Array, info: string): Buffer {
  const extracted = hmacSha256(Buffer.alloc(HASH), key);
  return hmacSha256(extracted, Buffer.concat([Buffer.from(info), Buffer.of(1)]));
}

/** Compares in a time that depends on the lengths alone. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  return a.reduce((found, byte, at) => found | (byte ^ (b[at] as number)), 0) === 0;
}

/** FIPS 180-4, 5.1.1: a one bit, zeros, and the length in bits, to whole blocks. */
function withLength(content: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil((content.length + 9) / BLOCK) * BLOCK);
  padded.set(content);
  padded[content.length] = 0x80;
  padded.writeUIntBE(content.length * 8, padded.length - 6, 6);
  return padded;
}

/** One block into the state: FIPS 180-4, 6.2.2, whose names these are. */
function mix(state: Int32Array, words: Int32Array, block: Buffer, at: number): void {
  for (let t = 0; t < 16; t++) words[t] = block.readInt32BE(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const far = words[t - 15] as number;
    const near = words[t - 2] as number;
    const s0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    const s1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    words[t] = s1 + (words[t - 7] as number) + s0 + (words[t - 16] as number);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + sum1 + choice + (ROUND_CONSTANTS[t] as number) + (words[t] as number)) | 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + majority) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = (state[index] as number) + value;
  }
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function wordsOf(hex: string): Int32Array {
  const bytes = Buffer.from(hex, 'hex');
  return Int32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readInt32BE(4 * index));
}
