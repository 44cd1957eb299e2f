/** `1 request`, `2 requests`: a count with its noun, for nouns that take an `s`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
