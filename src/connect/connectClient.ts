/** Connects a client to this server: shows the entry, looks for it, or writes it into the client's own file. */
import { existsSync } from 'node:fs';
import { RelayError } from '../domain/errors.ts';
import { choiceHeaders } from '../domain/toolsets.ts';
import {
  closeToOthers,
  isReadableByOthers,
  makeDirectory,
  readClientFile,
  replaceClientFile,
  textOf,
} from './clientFile.ts';
import { type Client, type Connection, setupFor } from './clientTable.ts';
import type { System } from './configPlaces.ts';
import { leadsTo, type Shares } from './entry.ts';
import { FileProblem } from './fileText.ts';
import { type Addition, findEntry, merge, snippet } from './merge.ts';
import { keyIn } from './oldKeys.ts';

/** Everything needed to connect one client to one server; making it changes nothing. */
export interface Plan {
  client: Client;
  connection: Connection;
  file: string;
  /** The path that would exist if the client had run on this machine; null: it exists. */
  missing: string | null;
  addition: Addition;
  /** The file's content if the entry were the only one. */
  snippet: string;
  /** The client's own command that adds the server. */
  command: string | null;
  next: string;
  base: string;
}

export interface Written {
  /** False: the entry was already there, and the file was not touched. */
  changed: boolean;
  /** True when an entry with that name existed before. */
  existed: boolean;
  /** Path of the backup; null: nothing changed, or there was no file. */
  backup: string | null;
  /** True when other users could read the file before and no longer can. */
  closed: boolean;
}

/** `keyCommand` prints the key; a client's own command may run it. */
export function planFor(client: Client, connection: Connection, system: System, keyCommand: string): Plan {
  const setup = setupFor(client, system, existsSync);
  const { file, base, trace } = setup.place;
  const { format, section, shares } = client;
  const entry = setup.entry(connection);
  const ours = sharesWith(shares, Object.keys(choiceHeaders(connection.choice ?? {})));
  const addition = { format, section, name: connection.name, entry, shares: ours };
  return {
    client,
    connection,
    file,
    missing: existsSync(trace) ? null : trace,
    addition,
    snippet: snippet(addition),
    command: client.command?.(connection, system, keyCommand) ?? null,
    next: setup.next(connection),
    base,
  };
}

/** A header that is written replaces the user's own of that name; without it, the user's own stays. */
function sharesWith(shares: Shares, headers: readonly string[]): Shares {
  const lists = Object.entries(shares).map(([key, ours]) => {
    return [key, ours.includes('Authorization') ? [...ours, ...headers] : ours];
  });
  return Object.fromEntries(lists);
}

/**
 * Whether the client's file points to the server. `other`: an entry with that name has a different address; `old_key`: it
 * sends a key that is not the one of `currentKey`, which is asked only where it matters.
 */
export async function stateOf(
  { file, addition, connection }: Plan,
  currentKey: () => Promise<string | null>,
): Promise<'yes' | 'no' | 'other' | 'old_key' | 'unreadable'> {
  try {
    const entry = findEntry(textOf(await readClientFile(file)), addition);
    if (entry === undefined) return 'no';
    if (!leadsTo(entry, connection.url)) return 'other';
    const key = keyIn(entry);
    const current = key === null ? null : await currentKey();
    return current !== null && current !== key ? 'old_key' : 'yes';
  } catch (error) {
    if (error instanceof FileProblem || error instanceof RelayError) return 'unreadable';
    throw error;
  }
}

/**
 * Adds the entry to the client's file, after making a backup.
 * @throws RelayError `HOME_UNUSABLE` when the file cannot be read, parsed or written, `CONFLICT` when it changed
 * meanwhile. In both cases nothing was changed.
 */
export async function write(plan: Plan, at: { now: number; platform: NodeJS.Platform }): Promise<Written> {
  const { file: path, base, addition, connection } = plan;
  const secret = connection.key !== null;
  try {
    const file = await readClientFile(path);
    const before = textOf(file);
    const text = merge(before, addition);
    const existed = findEntry(before, addition) !== undefined;
    const closed = secret && isReadableByOthers(file, at.platform);
    if (file.bytes !== null && text === before) {
      if (closed) await closeToOthers(file);
      return { changed: false, existed, backup: null, closed };
    }
    if (file.bytes === null) await makeDirectory(path, base);
    return {
      changed: true,
      existed,
      backup: await replaceClientFile(file, { text, secret, now: at.now }),
      closed,
    };
  } catch (error) {
    if (error instanceof FileProblem) throw refusal(plan, error);
    throw error;
  }
}

/** Shown instead of the key. */
export const KEY_PLACEHOLDER = '<key>';

function refusal({ file, snippet, connection }: Plan, problem: FileProblem): RelayError {
  const shown = connection.key === null ? snippet : snippet.replaceAll(connection.key, KEY_PLACEHOLDER);
  const lines = shown.trimEnd().split('\n');
  return new RelayError('HOME_UNUSABLE', `${file} ${problem.message}. Nothing was changed.`, {
    remedy: `Fix the file and try again, or add this by hand:\n\n${lines.map((line) => `    ${line}`).join('\n')}`,
    cause: problem,
  });
}
