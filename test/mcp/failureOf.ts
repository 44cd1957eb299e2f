import type { Relay } from '../support/world.ts';

export interface Failure {
  code: string;
  message: string;
}

/** How a call failed, in code and message; null where it did not. */
export async function failureOf(
  { call }: Relay,
  tool: string,
  args: Record<string, unknown>,
): Promise<Failure | null> {
  const { error } = (await call(tool, args)) as { error?: Failure };
  return error ? { code: error.code, message: error.message } : null;
}
