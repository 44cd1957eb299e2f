/**
 * Reads and writes `config.json`. Each write replaces the whole file, but keeps the order of its keys. A crash while writing
 * leaves the old file; of two programs that write at once, the last one wins.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectories, replaceFileSync } from '../base/filesSync.ts';
import { isObject } from '../base/parsing.ts';
import { isDiskFull, messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import type { Problem } from './sources.ts';

export interface ConfigFile {
  path: string;
  values: Record<string, unknown>;
  /** Why the file could not be used; `values` is then empty. Null if the file was read, or if there is none. */
  problem: Problem | null;
}

/** Reads `<home>/config.json`. A missing or empty file has no values. */
export function readConfigFile(home: string): ConfigFile {
  const path = join(home, 'config.json');
  const unusable = (why: string, remedy = `Correct ${path} with an editor, or remove it.`): ConfigFile => {
    const problem: Problem = { key: 'config.json', origin: 'file', message: `${path} ${why}`, remedy };
    return { path, values: {}, problem };
  };
  try {
    // Some editors on Windows begin every file with a byte order mark.
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    const values: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return isObject(values) ? { path, values, problem: null } : unusable('must hold one JSON object');
  } catch (error) {
    // The message of a syntax error quotes the text at that place, which may be a secret.
    if (error instanceof SyntaxError) return unusable('is not JSON');
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return { path, values: {}, problem: null };
    // Perhaps the file is not even there: after `sudo relay serve`, the whole home belongs to root.
    const remedy = `Let the user that runs relay read and write ${home} and its files, or choose another home with --home or RELAY_HOME.`;
    return unusable(`cannot be read (${code ?? messageOf(error)})`, remedy);
  }
}

/**
 * Replaces the file in one step. Only the owner can read it (mode 0600), and a missing home is created with mode 0700.
 * @throws RelayError `HOME_UNUSABLE`
 */
export function writeConfigFile(path: string, values: ConfigFile['values']): void {
  try {
    makeDirectories(dirname(path));
    // A symbolic link stays: some people link all their settings to one directory.
    const target = existsSync(path) ? realpathSync(path) : path;
    replaceFileSync(target, `${JSON.stringify(values, null, 2)}\n`);
  } catch (error) {
    throw new RelayError('HOME_UNUSABLE', `${path} cannot be written: ${messageOf(error)}.`, {
      remedy: `${isDiskFull(error) ? 'Free some space' : 'Make the directory writable'}, or choose another home with --home.`,
      cause: error,
    });
  }
}
