/** What a client needs to reach this server: to be shown, to be looked for, to be written into the client's own file. */
import { existsSync } from 'node:fs';
import { RelayError } from '../domain/errors.ts';
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
import { leadsTo } from './entry.ts';
import { FileProblem } from './fileText.ts';
import { type Addition, findEntry, merge, snippet } from './merge.ts';

/** Everything about one client and one server, before anything is done. */
export interface Plan {
  client: Client;
  connection: Connection;
  file: string;
  /** What is missing if the client has not run on this machine; null: it has. */
  missing: string | null;
  addition: Addition;
  /** The file, if it held nothing else. */
  snippet: string;
  /** The client's own command that does the same. */
  command: string | null;
  next: string;
  base: string;
}

export interface Written {
  /** False: it was there already, and the file is as it was. */
  changed: boolean;
  /** True when there was an entry of that name before. */
  existed: boolean;
  /** Where the old file is kept; null: nothing changed, or there was none. */
  backup: string | null;
  /** True when others could read the file before and no longer can. */
  closed: boolean;
}

/** `keyCommand` is what a person runs to see the key, for the commands that take it from there. */
export function planFor(client: Client, connection: Connection, system: System, keyCommand: string): Plan {
  const setup = setupFor(client, system, existsSync);
  const { file, base, trace } = setup.place;
  const { format, section, shares } = client;
  const entry = setup.entry(connection);
  const addition = { format, section, name: connection.name, entry, shares };
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

/** Whether the client's file leads to the server: `other` is an entry of that name for another address. */
export async function stateOf({
  file,
  addition,
  connection,
}: Plan): Promise<'yes' | 'no' | 'other' | 'unreadable'> {
  try {
    const entry = findEntry(textOf(await readClientFile(file)), addition);
    if (entry === undefined) return 'no';
    return leadsTo(entry, connection.url) ? 'yes' : 'other';
  } catch (error) {
    if (error instanceof FileProblem || error instanceof RelayError) return 'unreadable';
    throw error;
  }
}

/**
 * Merges the entry into the client's file, after a backup.
 * @throws RelayError `HOME_UNUSABLE` when the file cannot be read, understood or written, `CONFLICT` when it changed
 * meanwhile; nothing has changed then
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

/** What stands in the place of the key wherever it need not be shown. */
export const KEY_PLACEHOLDER = '<key>';

function refusal({ file, snippet, connection }: Plan, problem: FileProblem): RelayError {
  const shown = connection.key === null ? snippet : snippet.replaceAll(connection.key, KEY_PLACEHOLDER);
  const lines = shown.trimEnd().split('\n');
  return new RelayError('HOME_UNUSABLE', `${file} ${problem.message}. Nothing was changed.`, {
    remedy: `Mend the file and try again, or add this by hand:\n\n${lines.map((line) => `    ${line}`).join('\n')}`,
    cause: problem,
  });
}
