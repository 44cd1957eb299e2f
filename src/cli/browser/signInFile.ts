/**
 * A file that sends the browser to an address with a ticket. Every user of a machine can read command lines. So the browser is
 * started with the path of this file, never with the address itself.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists } from '../../base/files.ts';
import { homeDirectory } from '../../base/userDirectories.ts';

export interface SignInFile {
  /** Absolute. */
  path: string;
  remove(): Promise<void>;
}

/**
 * Writes the file into a new directory with an unpredictable name, which only its owner can enter.
 * @param parent where the directory is created
 */
export async function writeSignInFile(url: string, parent: string): Promise<SignInFile> {
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
export async function signInFolder(platform: NodeJS.Platform): Promise<string> {
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
