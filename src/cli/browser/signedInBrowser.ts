/** Opens the owner's browser signed in, without putting the ticket on a command line. */

import { interruptible } from '../../base/abort.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { signInFolder, writeSignInFile } from './signInFile.ts';

/**
 * `failed`: no browser could be opened. `late`: no browser used the ticket while it was valid, or the command has stopped.
 * `gone`: the server no longer answers.
 */
export type SignInEnd = 'signed_in' | 'late' | 'failed' | 'gone';

export interface SigningIn {
  ended: Promise<SignInEnd>;
  /** Removes the file with the ticket, if it is still there, and stops polling. */
  stop(): Promise<void>;
}

const TICKET_MS = 60_000;
/** Short, so that the file is removed soon after the browser has read it. */
const POLL_MS = 250;

/**
 * Writes the file with the ticket and opens it in the browser. Does not wait for the browser; `ended` does.
 * @param attemptId the login to continue with; null for the owner's page
 * @returns `pageUrl`, the address of the owner's page without the ticket, and how to wait or to stop
 */
export async function openSignedIn(
  context: Context,
  local: LocalApi,
  attemptId: string | null,
): Promise<SigningIn & { pageUrl: string }> {
  const ticket = await interruptible(context.signal, local.ownerTicket({ attemptId }));
  const file = await writeSignInFile(ticket.url, await signInFolder(context.platform));
  const over = new AbortController();
  const ended = openAndWait(context, local, { path: file.path, id: ticket.id }, over.signal);
  const stop = async () => {
    over.abort();
    await file.remove().catch(() => {});
  };
  ended.finally(stop);
  return { ended, stop, pageUrl: `${new URL(ticket.url).origin}/` };
}

async function openAndWait(
  { clock, openBrowser, signal }: Context,
  local: LocalApi,
  { path, id }: { path: string; id: string },
  over: AbortSignal,
): Promise<SignInEnd> {
  const end = clock.monotonic() + TICKET_MS;
  try {
    await openBrowser(path);
  } catch {
    return 'failed';
  }
  try {
    while (clock.monotonic() < end) {
      const { waits } = await local.ownerTicketWaits({ id });
      if (!waits) return 'signed_in';
      await clock.sleep(POLL_MS, over);
    }
  } catch {
    if (!over.aborted && !signal.aborted) return 'gone';
  }
  return 'late';
}
