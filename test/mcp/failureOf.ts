import type { Relay } from '../support/world.ts';

export interface Failure {
  code: string;
  message: string;
}

/** Code and message of a failed call; null if it did not fail. */
export async function failureOf(
  { call }: Relay,
  tool: string,
  args: Record<string, unknown>,
): Promise<Failure | null> {
  const { error } = (await call(tool, args)) as { error?: Failure };
  return error ? { code: error.code, message: error.message } : null;
}
