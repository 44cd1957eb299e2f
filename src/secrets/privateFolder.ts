/**
 * Keeps a file in a folder that is named after the hash of its content. Only this user can write there, so nobody else can
 * replace the file.
 * Synchronous, since the keychain's helper has nothing else to do.
 */
import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hashOf } from '../base/digest.ts';
import { makeDirectoriesSync, makeDirectorySync } from '../base/directories.ts';
import { replaceFileSync } from '../base/filesSync.ts';
import { changeableByOthers, WRITABLE_BY_OTHERS } from '../base/foreignPaths.ts';

/**
 * Returns the path of `<own>/<SHA-256>/<name>`, without links in it. Writes the file if it is missing or its content differs.
 * @param own a directory for this program alone; created if missing
 * @throws Error if another user could change the path, or it cannot be written
 */
export function keepByContent(own: string, name: string, content: Uint8Array): string {
  makeDirectoriesSync(dirname(own));
  // From here on, use the path that was checked: a link on the way to it might belong to someone else.
  const parent = realpathSync(dirname(own));
  const changeable = changeableByOthers(parent);
  if (changeable !== null) throw new Error(`${changeable} can be changed by other users`);
  const place = join(parent, basename(own));
  const folder = join(place, hashOf(content));
  const path = join(folder, name);
  for (const directory of [place, folder]) {
    makeDirectorySync(directory);
    refuseForeign(lstatSync(directory), directory);
  }
  if (!holds(path, content)) replaceFileSync(path, content);
  return path;
}

function refuseForeign(found: Stats, path: string): void {
  if (!found.isDirectory()) throw new Error(`${path} is not a directory`);
  // Windows keeps the rights of a user's folder in lists that mode and owner do not show.
  if (process.platform === 'win32') return;
  if (found.uid !== process.getuid?.() || found.mode & WRITABLE_BY_OTHERS) {
    throw new Error(`${path} can be changed by other users`);
  }
}

function holds(path: string, content: Uint8Array): boolean {
  try {
    const found = lstatSync(path);
    // Another user could change their own file after this check.
    const isOwn = process.platform === 'win32' || (found.uid === process.getuid?.() && found.nlink === 1);
    return found.isFile() && isOwn && readFileSync(path).equals(content);
  } catch {
    return false;
  }
}
