/** Rules out secrets that are easy to guess, by their length and their characters. Pure. */

/**
 * Returns the number of letters in a generated owner code: 8 (39 bits) if only this machine can reach the server, otherwise 16
 * (78 bits).
 */
export function ownerCodeLength({ publicBaseUrl }: { publicBaseUrl: string | null }): number {
  return publicBaseUrl === null ? 8 : 16;
}

const MIN_DISTINCT = 8;

/** Completes "<setting> …" with the reason why a secret is too weak; null if it is strong enough. Never quotes the secret. */
export function weaknessOf(secret: string, minLength: number): string | null {
  if (secret.length < minLength) return `needs at least ${minLength} characters`;
  if (new Set(secret).size >= MIN_DISTINCT) return null;
  return 'is too predictable: use a random value such as one from `openssl rand -hex 24`';
}
