import { InvalidArgumentError } from 'commander';

/**
 * Reads the value of an option that takes a whole number.
 * @param which the allowed numbers in words, if plain digits would be hard to read
 */
export function wholeNumber(min: number, max: number, which = `from ${min} to ${max}`) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number ${which}.`);
  };
}
