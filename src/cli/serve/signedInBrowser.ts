/**
 * Opens the owner's browser signed in. Every user of a machine can read command lines, so the browser is started with the path of
 * a file that sends it on to the address with the ticket, never with the address itself.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import open from 'open';
import { interruptible } from '../../base/abort.ts';
import { withholdFromChildren } from '../../base/childProcess.ts';
import { exists } from '../../base/files.ts';
import { homeDirectory } from '../../base/userDirectories.ts';
import { SECRET_VARIABLES } from '../../config/table.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context, World } from '../context.ts';

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

interface SignInFile {
  path: string;
  remove(): Promise<void>;
}

/**
 * Writes the file into a new directory with an unpredictable name, which only its owner can enter.
 * @param parent where the directory is created
 */
async function writeSignInFile(url: string, parent: string): Promise<SignInFile> {
  const folder = await mkdtemp(join(parent, 'relay-sign-in-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'open.html');
  try {
    await writeFile(path, pageTo(url), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

/**
 * Returns the directory in which a browser can read a sign-in file. A browser from the snap store has its own `/tmp` and cannot
 * see hidden directories of the user's home directory. So if snaps are in use, the file is put into the home directory itself.
 */
async function signInFolder(platform: NodeJS.Platform): Promise<string> {
  if (platform !== 'linux') return tmpdir();
  return (await exists('/var/lib/snapd')) ? homeDirectory(process) : tmpdir();
}

/** @param url created by relay itself, so it needs no escaping in HTML */
function pageTo(url: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${url}">
<title>relay</title>
</head>
<body><p><a href="${url}">Continue to relay</a></p></body>
</html>
`;
}

/**
 * How long the launcher, such as `xdg-open`, has to report a failure. A launcher that still runs after that has opened a
 * browser.
 */
const LAUNCH_MS = 1_500;

/** @throws Error if no browser can be started */
export async function startBrowser(
  target: string,
  { env, platform }: Pick<World, 'env' | 'platform'>,
): Promise<void> {
  // Under WSL the browser runs in Windows, so Linux needs no display.
  const signsOfBrowser = [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER, env.WSL_DISTRO_NAME];
  if (platform === 'linux' && !signsOfBrowser.some(Boolean))
    throw new Error('There is no graphical display.');
  withholdFromChildren(SECRET_VARIABLES);
  const child = await open(target);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, LAUNCH_MS);
    const ended = (failed: boolean) => {
      clearTimeout(timer);
      if (failed) reject(new Error('The browser could not be opened.'));
      else resolve();
    };
    child.once('error', () => ended(true));
    child.once('exit', (code) => ended(code !== 0 && code !== null));
  });
}
