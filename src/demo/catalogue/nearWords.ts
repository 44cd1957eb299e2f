/** Words that a search takes an unknown word for: "did you mean". */

const MIN_LENGTH = 4;

/** The words of `known` that one letter more, less or other, or two swapped, make of `word`; none for a short word. */
export function nearWords(word: string, known: Iterable<string>): string[] {
  if (word.length < MIN_LENGTH) return [];
  return [...known].filter((other) => other.length >= MIN_LENGTH && isOneChange(word, other));
}

function isOneChange(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [left, other] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (
    (left.length <= 1 && other.length <= 1) || (left.length === 2 && left === [...other].reverse().join(''))
  );
}
