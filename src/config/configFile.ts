/**
 * Reads and writes `config.json`. Each write replaces the whole file, but keeps the order of its keys and its indentation. A
 * crash while writing leaves the old file.
 */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectoriesSync } from '../base/directories.ts';
import { UnreadFile } from '../base/files.ts';
import { holdingFileSync, readRegularFileSync, replaceFileSync } from '../base/filesSync.ts';
import { isObject } from '../base/parsing.ts';
import { isDiskFull, messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import type { Problem } from './problems.ts';

export interface ConfigFile {
  path: string;
  values: Record<string, unknown>;
  /** Why the file could not be used; `values` is then empty. Null if the file was read, or if there is none. */
  problem: (Problem & { remedy: string }) | null;
  /** The indentation with which to write the file: its own, or two spaces if none was found. */
  indent: string;
}

/** Two dozen settings fit easily. A larger file is refused, since locating a syntax error in it takes quadratic time. */
const MAX_BYTES = 64 * 1024;

export function configPath(home: string): string {
  return join(home, 'config.json');
}

/** Reads `<home>/config.json`. A missing file counts as empty. */
export function readConfigFile(home: string): ConfigFile {
  const path = configPath(home);
  try {
    return parseConfig(path, readRegularFileSync(path, MAX_BYTES).bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof UnreadFile) return unreadable(path, `cannot be read (${error.message})`);
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return { path, values: {}, problem: null, indent: '  ' };
    return unreadable(path, `cannot be read (${code ?? 'unknown error'})`, remedyFor(home, code));
  }
}

/** Returns the remedy for a file that cannot be read; undefined if the person should correct or remove the file. */
function remedyFor(home: string, code: string | undefined): string | undefined {
  switch (code) {
    case 'ENOTDIR':
      return `${home} is not a directory: choose another home with --home or RELAY_HOME.`;
    case 'EACCES':
    case 'EPERM':
      // Perhaps the file is not even there: after `sudo relay serve`, the whole home belongs to root.
      return `Let the user that runs relay read and write ${home} and its files, or choose another home with --home or RELAY_HOME.`;
    default:
      return undefined;
  }
}

/**
 * Replaces the file in one step with the values that `next` returns, and returns what `next` returned. Only the owner can read
 * the file (mode 0600). Other processes of relay wait with their own changes. A missing directory is created with mode 0700.
 * @throws the `RelayError` of `next`; `HOME_UNUSABLE` for any other error, such as a directory that cannot be written
 */
export function changeConfigFile<T extends Pick<ConfigFile, 'values' | 'indent'>>(
  path: string,
  next: () => T,
): T {
  try {
    makeDirectoriesSync(dirname(path));
    return holdingFileSync(path, () => {
      const file = next();
      replaceFileSync(behindLinks(path), `${JSON.stringify(file.values, null, file.indent)}\n`);
      return file;
    });
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw new RelayError('HOME_UNUSABLE', `${path} cannot be written: ${messageOf(error)}.`, {
      remedy: `${isDiskFull(error) ? 'Free some space' : 'Make the directory writable'}, or choose another home with --home.`,
      cause: error,
    });
  }
}

/**
 * Follows a symbolic link, so that the write does not replace the link. With such links, people keep all their settings in one
 * directory. Returns `path` itself if nothing is there.
 */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function parseConfig(path: string, content: string): ConfigFile {
  // Some editors on Windows begin every file with a byte order mark.
  const text = content.replace(/^\uFEFF/, '');
  if (text.trim() === '') return { path, values: {}, problem: null, indent: '  ' };
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    return unreadable(path, `is not JSON${placeOf(error, text)}`);
  }
  if (!isObject(values)) return unreadable(path, 'must hold one JSON object');
  return { path, values: { ...values }, problem: null, indent: indentOf(text) };
}

function unreadable(
  path: string,
  problem: string,
  remedy = `Correct ${path} with an editor, or remove it.`,
): ConfigFile {
  const message = `${path} ${problem}`;
  return { path, values: {}, problem: { key: 'config.json', origin: 'file', message, remedy }, indent: '  ' };
}

function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text.trimStart())?.[1] ?? '  ';
}

/** ` (line 3, column 5)`, or '' if the place is not known. */
function placeOf(error: unknown, text: string): string {
  const position = positionOf(messageOf(error), text);
  if (position === null) return '';
  const before = text.slice(0, position).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}

function positionOf(message: string, text: string): number | null {
  const told = /at position (\d+)/.exec(message)?.[1];
  if (told !== undefined) return Number(told);
  if (message.startsWith('Unexpected end')) return text.length;
  // V8 gives no position for an unexpected token. It is the last character of the shortest prefix that fails in this way.
  for (let length = 1; length <= text.length; length++) {
    if (/^Unexpected token/.test(failureOf(text.slice(0, length)))) return length - 1;
  }
  return null;
}

function failureOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return messageOf(error);
  }
}
