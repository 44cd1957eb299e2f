/** The environment and the Windows path of programs that relay starts, and shell quoting for commands that relay shows. */
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
