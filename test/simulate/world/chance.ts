/** Random numbers for one part of a history. They stay the same when other parts are removed from the history. */
import type { Random } from '../../../src/base/clock.ts';
import { type Chance, chanceOf } from '../../work/crash/chance.ts';

/** @param about what the numbers decide; each text has numbers of its own */
export function chanceFor(seed: number, about: string): Chance {
  let mixed = 0x811c9dc5 ^ seed;
  for (let index = 0; index < about.length; index++)
    mixed = Math.imul(mixed ^ about.charCodeAt(index), 0x01000193);
  const chance = chanceOf(mixed ^ (mixed >>> 15));
  // Skips the first number, which is nearly the same for neighbouring seeds.
  chance.fraction();
  return chance;
}

/** The source of random values for a program. */
export function randomOf(chance: Chance): Random {
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => chance.whole(0, 255)));
  return {
    bytes,
    uuid() {
      const drawn = bytes(16);
      drawn[6] = ((drawn[6] ?? 0) & 0x0f) | 0x40;
      drawn[8] = ((drawn[8] ?? 0) & 0x3f) | 0x80;
      return drawn.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
    fraction: chance.fraction,
  };
}
