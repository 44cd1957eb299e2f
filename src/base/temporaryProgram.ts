/** Programs that a package manager has fetched for one run. Pure. */

/**
 * Finds the word of a command line that names a program which a package manager keeps for one run only; null if there is
 * none. Knows npx (`…/_npx/…`), pnpm dlx (`…/pnpm/dlx/…`), bunx (`…/bunx-…/…`) and yarn dlx (`…/dlx-…/…`).
 */
export function temporaryWord(words: readonly string[]): string | null {
  return words.find((word) => /[\\/](?:_npx|pnpm[\\/]dlx|bunx-[^\\/]+|dlx-[^\\/]+)[\\/]/.test(word)) ?? null;
}
