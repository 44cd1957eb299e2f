/** Connects a client to this server: shows the entry, looks for it, writes it into the client's own file, or takes it out. */
import { existsSync } from 'node:fs';
import { ACCESS_HEADER } from '../domain/access.ts';
import { RelayError } from '../domain/errors.ts';
import { serverName } from '../domain/project.ts';
import {
  FileProblem,
  isReadableByOthers,
  KEY_PLACEHOLDER,
  readClientFile,
  replaceClientFile,
} from './clientFile.ts';
import { CLIENTS, type Client, type Connection, setupFor } from './clientTable.ts';
import type { System } from './configPlaces.ts';
import { type Data, keysIn, leadsElsewhere, leadsTo, sameData, startsAnother, wordsOf } from './entry.ts';
import { type Addition, entriesIn, merge, snippet, withoutEntries } from './merge.ts';

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
}

export function planFor(client: Client, connection: Connection, system: System): Plan {
  const { file, trace, entry, next, approve = next } = setupFor(client, system, existsSync);
  const { format, strict, section, headerKeys } = client;
  const { name, key, access } = connection;
  // Each of these headers replaces the user's own header of that name.
  const headers = ['Authorization', ...(access === undefined ? [] : [ACCESS_HEADER])];
  const shares = Object.fromEntries(headerKeys.map((member) => [member, headers]));
  const addition = {
    format,
    strict,
    section,
    name,
    entry: entry(connection),
    shares,
    keepsAccess: access === undefined,
  };
  return {
    client,
    connection,
    file,
    missing: existsSync(trace) ? null : trace,
    addition,
    snippet: snippet(addition),
    command: key === null ? commandOf(client, connection) : null,
    next: (key === null ? approve : next).replaceAll('NAME', name),
  };
}

function commandOf(client: Client, { name, url, access }: Connection): string | null {
  const headers = access === undefined ? '' : ` --header "${ACCESS_HEADER}: ${access}"`;
  // Some shells read the brackets of an IPv6 address as a pattern.
  const word = url.includes('[') ? `"${url}"` : url;
  const command = client.command?.({ name, url, word, headers });
  // A client whose command takes no headers would get more than was asked for.
  return command?.includes(headers) ? command : null;
}

/** What the entries of a client's file say about the server. */
interface Found {
  /** All entries that may be of the server, by name. */
  entries: Map<string, Data>;
  /** The entry of the server, or an older one that it replaces; undefined if there is none. */
  entry: Data | undefined;
  /** The name of that entry; our name if there is none. */
  name: string;
  /** The names, besides ours, of all entries that lead to the server. */
  otherNames: string[];
  /** True if another server has our name. */
  isTaken: boolean;
}

/** Looks for the server in the text of a client's file. Throws `FileProblem` as `entriesIn` does. */
function findIn(text: string, { addition, connection }: Plan): Found {
  const entries = entriesIn(text, addition);
  // The demo and the real server usually have the same address, so for the demo the real server's entry does not count.
  if (addition.name === serverName(true)) entries.delete(serverName(false));
  const otherNames = [...entries.keys()].filter(
    (name) => name !== addition.name && leadsTo(entries.get(name), connection),
  );
  const named = entries.get(addition.name);
  const isTaken = named !== undefined && leadsElsewhere(named, connection);
  if (named !== undefined && !isTaken)
    return { entries, entry: named, name: addition.name, otherNames, isTaken };
  // An entry that leads to the server keeps its name, so that there are never two.
  const [other = addition.name] = otherNames;
  const entry = other === addition.name ? undefined : entries.get(other);
  return { entries, entry, name: other, otherNames, isTaken };
}

export interface FileState {
  /** `different`: the entry is not as it would be written now, or the entry with our name is another server's. */
  state: 'absent' | 'present' | 'different' | 'unreadable';
  /** The name of the entry that `state` is about; our name if there is none. */
  entryName: string;
  /** All entries under other names that lead to the server. */
  otherNames: string[];
  /** The entries that `remove` would take out. */
  removable: string[];
}

/** @param currentKey returns the server's key, null if not known; called only if the entry has a key */
export async function lookInto(plan: Plan, currentKey: () => Promise<string | null>): Promise<FileState> {
  const { file, addition, connection } = plan;
  try {
    const { text } = await readClientFile(file);
    const found = findIn(text ?? '', plan);
    const { entry, name: entryName, otherNames, isTaken } = found;
    const names = { entryName, otherNames, removable: removableIn(found, plan) };
    if (entry === undefined) return { state: isTaken ? 'different' : 'absent', ...names };
    const isSame = leadsTo(entry, connection) && isSameProgram(entry, addition.entry);
    const keys = keysIn(entry);
    const current = keys.length === 0 ? null : await currentKey();
    return {
      state: isSame && (current === null || keys.includes(current)) ? 'present' : 'different',
      ...names,
    };
  } catch (error) {
    if (!(error instanceof FileProblem || error instanceof RelayError)) throw error;
    return { state: 'unreadable', entryName: addition.name, otherNames: [], removable: [] };
  }
}

/** Returns the names of the entries of this server: ours, unless it is for another server or home, and all others that lead to it. */
function removableIn({ entries, otherNames, isTaken }: Found, { addition, connection }: Plan): string[] {
  const named = entries.get(addition.name);
  const stays = named === undefined || isTaken || startsAnother(named, connection);
  return stays ? otherNames : [addition.name, ...otherNames];
}

/**
 * True if the entry starts the program as it would be written now, up to `stdio`. Later options are `--demo`, which `leadsTo`
 * compares, and those that limit the tools.
 */
function isSameProgram(entry: Data, wanted: Data): boolean {
  const programOf = (one: Data) => {
    const words = wordsOf(one);
    return [one.command, ...words.slice(0, words.indexOf('stdio') + 1)];
  };
  return wanted.command === undefined || sameData(programOf(entry), programOf(wanted));
}

export interface Written {
  /** False if the entry was already there, so the file stayed as it was. */
  changed: boolean;
  /** True if an entry named `name` existed before. */
  existed: boolean;
  /** Path of the backup; null if nothing changed, or there was no file. */
  backup: string | null;
  /** True if other users could read the file before and no longer can. */
  closed: boolean;
  name: string;
  otherNames: string[];
}

/**
 * Adds the entry to the client's file, after making a backup.
 * @throws RelayError `HOME_UNUSABLE` if the file cannot be read, parsed or written, `CONFLICT` if it changed
 * meanwhile. In both cases nothing was changed.
 */
export async function write(plan: Plan, at: { now: number; platform: NodeJS.Platform }): Promise<Written> {
  const { file: path, addition, connection, client } = plan;
  const secret = connection.key !== null && client.starts !== true;
  try {
    const file = await readClientFile(path);
    const { entries, entry, name, otherNames, isTaken } = findIn(file.text ?? '', plan);
    // Nothing of another server's entry, such as its token, may get into ours.
    const isReplaced = isTaken && name === addition.name;
    const before = isReplaced ? withoutEntries(file.text ?? '', addition, [name]) : (file.text ?? '');
    const text = merge(before, { ...addition, name });
    const closed = secret && isReadableByOthers(file, at.platform);
    const result = { existed: entries.has(name), closed, name, otherNames };
    if (text === file.text && !closed) return { changed: false, backup: null, ...result };
    const backup = await replaceClientFile(file, { text, secret, now: at.now, hidden: keysIn(entry) });
    return { changed: true, backup, ...result };
  } catch (error) {
    throw error instanceof FileProblem ? refusal(plan, error) : error;
  }
}

function refusal({ file, snippet, connection }: Plan, problem: FileProblem): RelayError {
  const shown = connection.key === null ? snippet : snippet.replaceAll(connection.key, KEY_PLACEHOLDER);
  const byHand = `Fix the file and try again, or add this by hand:\n\n${shown.trimEnd().replace(/^/gm, '    ')}`;
  return new RelayError('HOME_UNUSABLE', `${file} ${problem.message}. Nothing was changed.`, {
    remedy: problem.remedy ?? byHand,
    cause: problem,
  });
}

export interface Removed {
  /** The removed entries: ours, and all others that led to the server. */
  names: string[];
  backup: string | null;
  /** True if an entry with our name stays, since it leads to another server or starts relay for another home. */
  otherStays: boolean;
}

/**
 * Takes the server out of the client's file, after making a backup.
 * @throws RelayError `HOME_UNUSABLE` if the file cannot be read, parsed or written, `CONFLICT` if it changed
 * meanwhile. In both cases nothing was changed.
 */
export async function remove(plan: Plan, now: number): Promise<Removed> {
  const { file: path, addition } = plan;
  try {
    const file = await readClientFile(path);
    const found = findIn(file.text ?? '', plan);
    const { entries } = found;
    const names = removableIn(found, plan);
    const stays = entries.has(addition.name) && !names.includes(addition.name);
    if (names.length === 0) return { names, backup: null, otherStays: stays };
    const text = withoutEntries(file.text ?? '', addition, names);
    const hidden = names.flatMap((name) => keysIn(entries.get(name)));
    const backup = await replaceClientFile(file, { text, secret: false, now, hidden });
    return { names, backup, otherStays: stays };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    throw new RelayError('HOME_UNUSABLE', `${path} ${error.message}. Nothing was changed.`, {
      remedy: `Remove ${addition.name} from ${addition.section} by hand.`,
      cause: error,
    });
  }
}

/** Finds the clients whose file holds `key`, as after the key was replaced. Files that cannot be read are skipped. */
export async function clientsWith(
  key: string,
  system: System,
): Promise<Array<{ client: Client; file: string }>> {
  const found = await Promise.all(
    CLIENTS.map(async (client) => {
      const { file } = setupFor(client, system, existsSync);
      const { text } = await readClientFile(file).catch(() => ({ text: null }));
      return text?.includes(key) ? [{ client, file }] : [];
    }),
  );
  return found.flat();
}
