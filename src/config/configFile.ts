/**
 * Reads and writes `config.json`. Each write replaces the whole file, but keeps the order of its keys and its indentation. A
 * crash while writing leaves the old file; of two programs that write at once, the last one wins.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectories, replaceFileSync } from '../base/filesSync.ts';
import { isObject } from '../base/parsing.ts';
import { isDiskFull, messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import type { Problem } from './problems.ts';

export interface ConfigFile {
  path: string;
  values: Record<string, unknown>;
  /** Why the file could not be used; `values` is then empty. Null if the file was read, or if there is none. */
  problem: Problem | null;
  /** The indentation with which to write the file: its own, or two spaces if none was found. */
  indent: string;
}

/** Reads `<home>/config.json`. A missing or empty file has no values. */
export function readConfigFile(home: string): ConfigFile {
  const path = join(home, 'config.json');
  const file = (values: ConfigFile['values'], indent = '  ') => ({ path, values, problem: null, indent });
  const unusable = (problem: string, remedy = `Correct ${path} with an editor, or remove it.`) => {
    const message = `${path} ${problem}`;
    return { ...file({}), problem: { key: 'config.json', origin: 'file' as const, message, remedy } };
  };
  try {
    // Some editors on Windows begin every file with a byte order mark.
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    const values: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (!isObject(values)) return unusable('must hold one JSON object');
    return file(values, /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1]);
  } catch (error) {
    // The rest of the message quotes the text at that place, which may be a secret.
    if (error instanceof SyntaxError)
      return unusable(`is not JSON${/ at position \d.*$/.exec(error.message)?.[0] ?? ''}`);
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return file({});
    // Perhaps the file is not even there: after `sudo relay serve`, the whole home belongs to root.
    const remedy = `Let the user that runs relay read and write ${home} and its files, or choose another home with --home or RELAY_HOME.`;
    return unusable(`cannot be read (${code ?? messageOf(error)})`, remedy);
  }
}

/**
 * Replaces the file in one step. Only the owner can read it (mode 0600), and a missing home is created with mode 0700.
 * @throws RelayError `HOME_UNUSABLE`
 */
export function writeConfigFile({ path, values, indent }: Omit<ConfigFile, 'problem'>): void {
  try {
    makeDirectories(dirname(path));
    replaceFileSync(behindLinks(path), `${JSON.stringify(values, null, indent)}\n`);
  } catch (error) {
    throw new RelayError('HOME_UNUSABLE', `${path} cannot be written: ${messageOf(error)}.`, {
      remedy: `${isDiskFull(error) ? 'Free some space' : 'Make the directory writable'}, or choose another home with --home.`,
      cause: error,
    });
  }
}

/** Where a symbolic link leads, so that the write does not replace it: some people link all their settings to one directory. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
