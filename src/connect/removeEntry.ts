/** Removes the server from a client's file, so that the file is as it was before relay. */
import { RelayError } from '../domain/errors.ts';
import { deleteBackups, readBackups } from './backups.ts';
import {
  type ClientFile,
  deleteClientFile,
  readClientFile,
  replaceClientFile,
  textOf,
} from './clientFile.ts';
import { otherNamesIn, type Plan } from './connectClient.ts';
import { leadsElsewhere, ownKeysIn, startsAnother } from './entry.ts';
import { FileProblem } from './fileText.ts';
import { entriesFor, findEntry, type Past, unmerged } from './merge.ts';

export interface Removed {
  /** The removed entries: ours, and all others that led to the server. */
  names: string[];
  /** Path of the backup; null if nothing was changed, the file held the key, or the file was deleted. */
  backup: string | null;
  /** True if the file was deleted, since there was no file before relay added the entry. */
  deleted: boolean;
  /** Deleted backups that held the key. */
  deletedBackups: string[];
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
    const all = current === null ? keys : [...keys, current];
    const { count, earlier, withKey } = await readBackups(path, addition, plan.connection, all);
    // The first `--write` backs up the file if there is one. So without backups, there was no file before relay.
    const past = { earlier, existed: count === 0 ? false : null };
    const done =
      names.length === 0
        ? { backup: null, deleted: false }
        : await take(file, without(before, plan, names, past), { plan, now, keep: keys.length === 0 });
    await deleteBackups(withKey);
    const otherStays = !names.includes(addition.name) && findEntry(before, addition) !== undefined;
    return { names, ...done, deletedBackups: withKey, otherStays };
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

/** Returns the text without our entries; null if there was no file before them. */
function without(text: string, { addition }: Plan, names: readonly string[], past: Past): string | null {
  let left: string | null = text;
  for (const name of names) left = left && unmerged(left, { ...addition, name }, past);
  return left;
}

interface Taking {
  plan: Plan;
  now: number;
  /** True to keep the present file as a backup. */
  keep: boolean;
}

async function take(
  file: ClientFile,
  text: string | null,
  { plan, now, keep }: Taking,
): Promise<Pick<Removed, 'backup' | 'deleted'>> {
  // relay makes no links: a file behind a link is someone else's, and is not deleted.
  if (text === null && file.path === file.target) {
    await deleteClientFile(file, plan.base);
    return { backup: null, deleted: true };
  }
  const backup = await replaceClientFile(file, { text: text ?? '', secret: false, now, keep });
  return { backup, deleted: false };
}
