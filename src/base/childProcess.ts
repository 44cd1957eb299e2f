/** For programs that relay starts: their environment, their path on Windows, and quoting for a shell. */
import { win32 } from 'node:path';

/**
 * This process's own environment with `changes`, for a program that it starts. relay's settings are never read from here,
 * only from `cli/terminal/processWorld.ts`.
 */
export function childEnv(changes: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...changes };
}

/** Removes variables from this process's environment, so that programs started from now on do not get them. */
export function withholdFromChildren(names: readonly string[]): void {
  for (const name of names) delete process.env[name];
}

/**
 * Path of a program that comes with Windows. A bare name would first find a program in the working directory, such as a
 * download called `reg.exe`.
 */
export function systemProgram(name: string, env: NodeJS.ProcessEnv = process.env): string {
  return win32.join(env.SystemRoot || String.raw`C:\Windows`, 'System32', name);
}

/** Quotes text as one word of a POSIX shell, whatever it holds. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
