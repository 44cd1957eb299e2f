/**
 * The environment for a program that this one starts: its own, with `changes`. Never a source of settings: those come in
 * by `cli/world.ts` alone.
 */
export function childEnv(changes: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...changes };
}
