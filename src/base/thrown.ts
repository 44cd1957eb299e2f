/** Reads the message and the system's code from any thrown value. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system error code (`ENOENT`, `ECONNREFUSED`, …) of a thrown value or of its cause. */
export function systemCodeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
  }
  return undefined;
}

/** True if there is no room left: the disk is full, or the user's quota is used up. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error) ?? '');
}

/** Returns null for the error of reading a file that is missing. @throws every other error */
export function nullIfMissing(error: unknown): null {
  if (systemCodeOf(error) === 'ENOENT') return null;
  throw error;
}
