/** Reproducible random numbers, and identifiers derived from names. Integer arithmetic only. */
import { createHash } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 22 base-62 characters from at least 22 bytes: the form of every provider ID. */
export function base62Id(bytes: Uint8Array): string {
  let id = '';
  for (const byte of bytes.subarray(0, 22)) id += BASE62.charAt(byte % 62);
  return id;
}

export function derivedId(key: string): string {
  return base62Id(createHash('sha256').update(key).digest());
}

/** The entries at `start`, `start + step`, …: at most `most` of them. */
export function everyNth<T>(entries: readonly T[], step: number, start: number, most: number): T[] {
  return entries.filter((_, at) => at % step === start).slice(0, most);
}

/** A mulberry32 generator: small, fast, and good enough to shuffle word lists. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer in [0, bound). */
  int(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  }

  /** An integer in [low, high]. */
  between(low: number, high: number): number {
    return low + this.int(high - low + 1);
  }

  chance(percent: number): boolean {
    return this.int(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.int(list.length)];
    if (chosen === undefined) throw new RangeError('Nothing to pick from.');
    return chosen;
  }
}
