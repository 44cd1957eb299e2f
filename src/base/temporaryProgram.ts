/** Programs that a package manager has fetched for one run. Pure. */

/**
 * Finds the word of a command line that names a program which a package manager keeps for one run alone. Such are npx
 * (`…/_npx/…`), pnpm dlx (`…/pnpm/dlx/…`), bunx (`…/bunx-…/…`) and yarn dlx (`…/dlx-…/…`). null: there is none.
 */
export function temporaryWord(words: readonly string[]): string | null {
  return words.find((word) => /[\\/](?:_npx|pnpm[\\/]dlx|bunx-[^\\/]+|dlx-[^\\/]+)[\\/]/.test(word)) ?? null;
}
