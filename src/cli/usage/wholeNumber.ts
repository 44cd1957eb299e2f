import { InvalidArgumentError } from 'commander';

/**
 * Returns a parser for an option that takes a whole number.
 * @param which completes "It must be a whole number …", for a range that needs a unit or a thousands separator
 */
export function wholeNumber(min: number, max: number, which = `from ${min} to ${max}`) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number ${which}.`);
  };
}
