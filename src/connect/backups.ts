/** The backups of a client's file that relay keeps beside it, each made before a change. */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BACKUP_MARK, readClientFile, textOf } from './clientFile.ts';
import { type Data, leadsElsewhere, leadsTo, ownKeysIn, type Target } from './entry.ts';
import { entriesFor, type Where } from './merge.ts';

/** Maximum number of texts of earlier files to hold at once. */
const MAX_EARLIER = 10;

export interface Backups {
  count: number;
  /** Texts of the newest backups without an entry for the server, newest first; at most `MAX_EARLIER`. */
  earlier: string[];
  /** Paths of backups that hold a key of relay's. */
  withKey: string[];
}

/**
 * Reads all backups of a file. A backup that cannot be read is only counted.
 * @param path of the client's file
 * @param at the place of our entry
 * @param keys known keys of the server
 */
export async function readBackups(
  path: string,
  at: Where,
  target: Target,
  keys: readonly string[],
): Promise<Backups> {
  const paths = await pathsOf(path);
  const found: Backups = { count: paths.length, earlier: [], withKey: [] };
  for (const backup of paths) {
    const text = await readClientFile(backup).then(textOf, () => null);
    if (text === null) continue;
    const entries = ownEntries(text, at, target);
    const hasOwnKey = entries?.some((entry) => ownKeysIn(entry, target).length > 0);
    if (hasOwnKey || keys.some((key) => text.includes(key))) found.withKey.push(backup);
    if (entries?.length === 0 && found.earlier.length < MAX_EARLIER) found.earlier.push(text);
  }
  return found;
}

export async function deleteBackups(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

/** Returns our entries in a text; null if the text cannot be parsed. */
function ownEntries(text: string, at: Where, target: Target): unknown[] | null {
  let entries: Data;
  try {
    entries = entriesFor(text, at);
  } catch {
    return null;
  }
  return Object.entries(entries).flatMap(([name, entry]) =>
    leadsTo(entry, target) || (name === at.name && !leadsElsewhere(entry, target)) ? [entry] : [],
  );
}

/** Returns the paths of the backups, newest first. */
async function pathsOf(path: string): Promise<string[]> {
  const start = `${basename(path)}${BACKUP_MARK}`;
  // A directory that this user may not list has no backup that could be read.
  const names: string[] = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.startsWith(start))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(dirname(path), name));
}
