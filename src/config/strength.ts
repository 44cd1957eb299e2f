/** Rules out secrets that are easy to guess, by their characters alone. Pure. */

/** How many characters a secret must have at least. */
interface Strength {
  length: number;
  /** Number of different characters. */
  distinct: number;
  /** Number of characters that do not follow from those before them. */
  surprising: number;
}

/** For an owner code that the owner chooses. Four words are enough, since relay slows down guesses. */
export const OWNER_SECRET_STRENGTH: Strength = { length: 16, distinct: 6, surprising: 10 };
/** A key can be guessed as fast as requests are answered. 32 random hexadecimal digits have about 30 surprising ones. */
export const API_KEY_STRENGTH: Strength = { length: 32, distinct: 8, surprising: 20 };

/**
 * Returns the number of letters in a generated owner code: 8 (39 bits) if only this machine can reach the server, otherwise 16
 * (78 bits).
 */
export function ownerCodeLength({ publicBaseUrl }: { publicBaseUrl: string | null }): number {
  return publicBaseUrl === null ? 8 : 16;
}

/** Completes "<setting> …" with the reason why a secret is too weak; null if it is strong enough. Never quotes the secret. */
export function weaknessOf(secret: string, needed: Strength): string | null {
  const letters = [...secret];
  if (letters.length < needed.length) return `needs at least ${needed.length} characters`;
  if (new Set(letters).size < needed.distinct || surprisesIn(letters) < needed.surprising) {
    return 'is too predictable: use a random value such as one from `openssl rand -hex 24`';
  }
  return null;
}

/**
 * Counts the characters that neither continue a sequence (`aaa`, `abc`, `321`) nor belong to a group of three that occurs
 * earlier.
 */
function surprisesIn(letters: readonly string[]): number {
  const codes = letters.map((letter) => letter.codePointAt(0) ?? 0);
  const step = (at: number) => (codes[at] ?? 0) - (codes[at - 1] ?? 0);
  const text = letters.map((letter) => letter.toLowerCase());
  return codes.filter((_code, at) => {
    const isSequence = at >= 2 && Math.abs(step(at)) <= 1 && step(at) === step(at - 1);
    return !isSequence && !isRepeated(text, at);
  }).length;
}

/** True if the character belongs to three in a row that occur in the same order earlier. */
function isRepeated(text: readonly string[], at: number): boolean {
  return [at - 2, at - 1, at].some((start) => {
    const piece = text.slice(Math.max(start, 0), start + 3).join('\0');
    if (start < 1 || start + 3 > text.length) return false;
    return text.some(
      (_letter, before) => before < start && text.slice(before, before + 3).join('\0') === piece,
    );
  });
}
