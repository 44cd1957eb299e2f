/** Connects a client to this server: shows the entry, looks for it, or writes it into the client's own file. */
import { existsSync } from 'node:fs';
import { RelayError } from '../domain/errors.ts';
import { choiceHeaders } from '../domain/toolsets.ts';
import {
  closeToOthers,
  FileProblem,
  isReadableByOthers,
  makeDirectory,
  readClientFile,
  replaceClientFile,
  textOf,
} from './clientFile.ts';
import { type Client, type Connection, setupFor } from './clientTable.ts';
import type { System } from './configPlaces.ts';
import { type Data, isData, keysIn, leadsElsewhere, leadsTo, sameData, startsAnother } from './entry.ts';
import { type Addition, entriesFor, findEntry, hasRefusedMark, merge, snippet } from './merge.ts';

/** Everything needed to connect one client to one server. Creating a plan changes nothing. */
export interface Plan {
  client: Client;
  connection: Connection;
  file: string;
  /** The missing path that would exist if the client had run on this machine; null if the path exists. */
  missing: string | null;
  addition: Addition;
  /** The file's content if the entry were the only one. */
  snippet: string;
  /** The client's own command that adds the server; null if there is none, or if the connection has a key. */
  command: string | null;
  next: string;
  base: string;
}

export interface Written {
  /** False if the entry was already there, so the file's content stayed as it was. */
  changed: boolean;
  /** True if an entry named `name` existed before. */
  existed: boolean;
  /** Path of the backup; null if nothing changed, or there was no file. */
  backup: string | null;
  /** True if other users could read the file before and no longer can. */
  closed: boolean;
  /** Name of the entry in the file. */
  name: string;
  /** True if the file began with a byte order mark that the client refuses, and no longer does. */
  unmarked: boolean;
  /** Further entries that lead to the server. */
  otherNames: string[];
}

export function planFor(client: Client, connection: Connection, system: System): Plan {
  const setup = setupFor(client, system, existsSync);
  const { file, base, trace } = setup.place;
  const { format, section, headerKeys, refuses } = client;
  const entry = setup.entry(connection);
  // Each of these headers replaces the user's own header of that name.
  const headers = ['Authorization', ...Object.keys(choiceHeaders(connection.choice ?? {}))];
  const shares = Object.fromEntries(headerKeys.map((key) => [key, headers]));
  const addition = { format, section, name: connection.name, entry, shares, refuses };
  return {
    client,
    connection,
    file,
    missing: existsSync(trace) ? null : trace,
    addition,
    snippet: snippet(addition),
    command: connection.key === null ? (client.command?.(connection, system) ?? null) : null,
    next: setup.next(connection),
    base,
  };
}

/** What a client's file says about the server. */
export interface FileState {
  /**
   * `other`: the entry with our name has another address, or another path of the program. `other_home`: it starts relay for
   * another home. `taken`: the entry with our name is another server's. `old_key`: the entry's key is no longer valid.
   */
  state: 'yes' | 'no' | 'other' | 'other_home' | 'taken' | 'old_key' | 'unreadable';
  /** True if the entry with our name has another address. It may be that of another home. */
  otherAddress?: true;
  /** The name of the entry that `state` is about; our name if there is none. */
  entryName: string;
  /** All entries under other names that lead to the server. */
  otherNames: string[];
}

/** @param currentKey returns the server's key, null if not known; called only if the entry has a key */
export async function lookInto(
  { file, addition, connection }: Plan,
  currentKey: () => Promise<string | null>,
): Promise<FileState> {
  try {
    const text = textOf(await readClientFile(file));
    const otherNames = otherNamesIn(text, addition, connection);
    const named = findEntry(text, addition);
    const other = entriesFor(text, addition)[otherNames[0] ?? ''];
    const isTaken = named !== undefined && leadsElsewhere(named, connection);
    const entry = isTaken ? other : (named ?? other);
    const entryName = entry === named ? addition.name : (otherNames[0] ?? addition.name);
    const names = { entryName, otherNames };
    if (entry === undefined) return { state: isTaken ? 'taken' : 'no', ...names };
    if (startsAnother(entry, connection)) return { state: 'other_home', ...names };
    if (!isCurrent(entry, addition.entry, connection)) {
      const otherAddress = !leadsTo(entry, connection);
      return { state: 'other', ...(otherAddress && { otherAddress }), ...names };
    }
    const keys = keysIn(entry);
    const current = keys.length === 0 ? null : await currentKey();
    const isOld = current !== null && !keys.includes(current);
    return { state: isOld ? 'old_key' : 'yes', ...names };
  } catch (error) {
    if (error instanceof FileProblem || error instanceof RelayError) {
      return { state: 'unreadable', entryName: addition.name, otherNames: [] };
    }
    throw error;
  }
}

/**
 * True if the entry leads to the server. If the client starts the program, the entry must also name the program's present path.
 */
function isCurrent(entry: unknown, wanted: Data, connection: Connection): boolean {
  if (!leadsTo(entry, connection)) return false;
  if (wanted.command === undefined || !isData(entry)) return true;
  return sameData(programOf(entry), programOf(wanted));
}

/**
 * Returns the command of an entry up to `stdio`. Later options are `--demo`, which `leadsTo` compares, and those that narrow
 * the tools.
 */
function programOf({ command, args }: Data): unknown[] {
  const words = Array.isArray(args) ? args : [];
  return [command, ...words.slice(0, words.indexOf('stdio') + 1)];
}

/** Returns the entries under other names that lead to the server. */
export function otherNamesIn(text: string, addition: Addition, connection: Connection): string[] {
  return Object.entries(entriesFor(text, addition))
    .filter(([name, entry]) => name !== addition.name && leadsTo(entry, connection))
    .map(([name]) => name);
}

/**
 * Returns the entry to write. An entry that already leads to the server keeps its name, so that there are never two entries.
 * @throws RelayError `CONFLICT` if another server has our name
 */
function additionTo(text: string, { addition, connection, file }: Plan): Addition {
  const named = findEntry(text, addition);
  const isOther = named !== undefined && leadsElsewhere(named, connection);
  if (named && !isOther) return addition;
  const [name] = otherNamesIn(text, addition, connection);
  if (name !== undefined) return { ...addition, name };
  if (!isOther) return addition;
  throw new RelayError(
    'CONFLICT',
    `${file} has another server named ${addition.name}. Nothing was changed.`,
    {
      remedy: 'Give that server another name, or remove it if it is an old entry of relay. Then try again.',
    },
  );
}

/**
 * Adds the entry to the client's file, after making a backup.
 * @throws RelayError `HOME_UNUSABLE` if the file cannot be read, parsed or written, `CONFLICT` if it changed
 * meanwhile or has another server of that name. In all cases nothing was changed.
 */
export async function write(plan: Plan, at: { now: number; platform: NodeJS.Platform }): Promise<Written> {
  const { file: path, base, connection, client } = plan;
  const secret = connection.key !== null && client.starts !== true;
  try {
    const file = await readClientFile(path);
    const before = textOf(file);
    const addition = additionTo(before, plan);
    const { name } = addition;
    const otherNames = otherNamesIn(before, addition, connection);
    const text = merge(before, addition);
    const unmarked = hasRefusedMark(before, addition);
    const existed = findEntry(before, addition) !== undefined;
    const closed = secret && isReadableByOthers(file, at.platform);
    if (file.bytes !== null && text === before) {
      if (closed) await closeToOthers(file);
      return { changed: false, existed, backup: null, closed, unmarked, name, otherNames };
    }
    if (file.bytes === null) await makeDirectory(path, base);
    const backup = await replaceClientFile(file, { text, secret, now: at.now });
    return { changed: true, existed, backup, closed, unmarked, name, otherNames };
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
  const byHand = `Fix the file and try again, or add this by hand:\n\n${lines.map((line) => `    ${line}`).join('\n')}`;
  return new RelayError('HOME_UNUSABLE', `${file} ${problem.message}. Nothing was changed.`, {
    remedy: problem.remedy ?? byHand,
    cause: problem,
  });
}
