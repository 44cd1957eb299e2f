/** The environment and the Windows path of programs that relay starts, and words of command lines. */
import { win32 } from 'node:path';

/**
 * Returns this process's environment with `changes`, for a program that relay starts. relay reads its own
 * settings from the copy that `cli/terminal/processWorld.ts` makes, never from this one.
 */
export function childEnv(changes: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...changes };
}

/** Removes variables from this process's environment, so that programs started from now on do not get them. */
export function withholdFromChildren(names: readonly string[]): void {
  for (const name of names) delete process.env[name];
}

/**
 * Returns the path of a program that comes with Windows. Given a bare name, Windows would look in the working directory first,
 * and could run a downloaded file called `reg.exe`.
 */
export function systemProgram(name: string, env: NodeJS.ProcessEnv = process.env): string {
  return win32.join(env.SystemRoot || String.raw`C:\Windows`, 'System32', name);
}

/** Quotes text as one word of a POSIX shell, whatever it holds. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Finds the word of a command line that names a program which a package manager keeps for one run only; null if there is
 * none. Knows npx (`…/_npx/…`), pnpm dlx (`…/pnpm/dlx/…`), bunx (`…/bunx-…/…`) and yarn dlx (`…/dlx-…/…`).
 */
export function temporaryWord(words: readonly string[]): string | null {
  return words.find((word) => /[\\/](?:_npx|pnpm[\\/]dlx|bunx-[^\\/]+|dlx-[^\\/]+)[\\/]/.test(word)) ?? null;
}
