/** Repeatable random numbers (mulberry32): the same seed gives the same numbers. */

/** A source of random numbers. */
export interface Chance {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** The random numbers that belong to a seed. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    pick: <T>(choices: readonly T[]) => choices[whole(0, choices.length - 1)] as T,
  };
}
