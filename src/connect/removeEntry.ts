/** Takes the server out of a client's file, and its key out of the backups beside the file. */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RelayError } from '../domain/errors.ts';
import { BACKUP_MARK, FileProblem, readClientFile, replaceClientFile, textOf } from './clientFile.ts';
import { otherNamesIn, type Plan } from './connectClient.ts';
import { leadsElsewhere, leadsTo, ownKeysIn, startsAnother } from './entry.ts';
import { entriesFor, findEntry, hasRefusedMark, withoutEntry } from './merge.ts';

export interface Removed {
  /** The removed entries: ours, and all others that led to the server. */
  names: string[];
  /** Path of the backup; null if nothing was changed, or the file held the key. */
  backup: string | null;
  /** Deleted backups that held the key. */
  deletedBackups: string[];
  /** True if the file began with a byte order mark that the client refuses, and no longer does. */
  unmarked: boolean;
  /** True if an entry with our name stays, since it leads to another server or starts relay for another home. */
  otherStays: boolean;
}

/**
 * @param currentKey returns the server's key, null if it is not known
 * @throws RelayError `HOME_UNUSABLE` if the file cannot be read, parsed or written, `CONFLICT` if it changed
 * meanwhile. In both cases nothing was changed.
 */
export async function remove(
  plan: Plan,
  { now, currentKey }: { now: number; currentKey(): Promise<string | null> },
): Promise<Removed> {
  const { file: path, addition } = plan;
  const entryByHand = `${addition.name} from ${addition.section} by hand`;
  try {
    const file = await readClientFile(path, `remove ${entryByHand}`);
    const before = textOf(file);
    const names = namesIn(before, plan);
    const keys = keysOf(before, plan, names);
    const current = await currentKey();
    const withKey = await backupsWithKey(plan, current === null ? keys : [...keys, current]);
    let backup: string | null = null;
    if (names.length > 0) {
      const text = names.reduce((left, name) => withoutEntry(left, { ...addition, name }), before);
      // A backup would only keep the key on the disk.
      backup = await replaceClientFile(file, { text, secret: false, now, keep: keys.length === 0 });
    }
    for (const one of withKey) await rm(one, { force: true });
    const otherStays = !names.includes(addition.name) && findEntry(before, addition) !== undefined;
    const unmarked = names.length > 0 && hasRefusedMark(before, addition);
    return { names, backup, deletedBackups: withKey, unmarked, otherStays };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    throw new RelayError('HOME_UNUSABLE', `${path} ${error.message}. Nothing was changed.`, {
      remedy: `Remove ${entryByHand}.`,
      cause: error,
    });
  }
}

function namesIn(text: string, { addition, connection }: Plan): string[] {
  const others = otherNamesIn(text, addition, connection);
  const entry = findEntry(text, addition);
  const isOurs = entry && !leadsElsewhere(entry, connection) && !startsAnother(entry, connection);
  return isOurs ? [addition.name, ...others] : others;
}

function keysOf(text: string, { addition, connection }: Plan, names: readonly string[]): string[] {
  const entries = entriesFor(text, addition);
  return names.flatMap((name) => ownKeysIn(entries[name], connection));
}

/**
 * Returns the backups of the client's file that hold a key of relay's. A backup that cannot be read has none.
 * @param keys known keys of the server
 */
export async function backupsWithKey(plan: Plan, keys: readonly string[] = []): Promise<string[]> {
  const folder = dirname(plan.file);
  const start = `${basename(plan.file)}${BACKUP_MARK}`;
  // A directory that this user may not list has no backup that could be read.
  const names: string[] = await readdir(folder).catch(() => []);
  const found: string[] = [];
  for (const name of names.filter((one) => one.startsWith(start)).sort()) {
    const path = join(folder, name);
    const text = await readClientFile(path).then(textOf, () => null);
    if (text === null) continue;
    if (keys.some((key) => text.includes(key)) || hasOwnKey(text, plan)) found.push(path);
  }
  return found;
}

/** True if one of relay's entries in the text sends a key. A text that cannot be parsed counts as none. */
function hasOwnKey(text: string, { addition, connection }: Plan): boolean {
  try {
    return Object.entries(entriesFor(text, addition)).some(([name, entry]) => {
      const isOurs =
        leadsTo(entry, connection) || (name === addition.name && !leadsElsewhere(entry, connection));
      return isOurs && ownKeysIn(entry, connection).length > 0;
    });
  } catch {
    return false;
  }
}
