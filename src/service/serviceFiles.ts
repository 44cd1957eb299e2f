/** Reads, replaces and removes the files of a service. */
import { lstat, readlink, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectories } from '../base/directories.ts';
import { readRegularFile, replaceFile } from '../base/files.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';

/** Far larger than any unit or property list. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a file; null if there is none. Returns '' for a file that cannot be read, so that the file counts as someone else's.
 */
export async function readText(path: string): Promise<string | null> {
  try {
    return (await readRegularFile(path, MAX_BYTES)).bytes.toString('utf8');
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) return '';
    // A dangling symbolic link is not the same as no file.
    return (await linkTarget(path)) === null ? null : '';
  }
}

export async function replaceText(path: string, text: string): Promise<void> {
  try {
    await makeDirectories(dirname(path));
    await replaceFile(path, text, { mode: 0o644 });
  } catch (error) {
    throw unwritable(path, error);
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error) => {
    throw unwritable(path, error);
  });
}

/** Returns where the symbolic link points; null if `path` is not a symbolic link. */
export async function linkTarget(path: string): Promise<string | null> {
  return readlink(path).catch(() => null);
}

/** Makes `path` a symbolic link to `target`, replacing another link. Throws `SERVICE_FAILED`. */
export async function putLink(path: string, target: string): Promise<void> {
  if ((await linkTarget(path)) === target) return;
  try {
    await makeDirectories(dirname(path));
    if ((await lstat(path).catch(() => null))?.isSymbolicLink()) await rm(path);
    await symlink(target, path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): RelayError {
  const isReadOnly = systemCodeOf(error) === 'EROFS';
  return new RelayError('SERVICE_FAILED', `${path} cannot be changed: ${messageOf(error)}.`, {
    remedy: isReadOnly
      ? 'Your home directory is on a read-only disk: make it writable, then run this again.'
      : 'Check the owner of the file and its directory, then run this again.',
    cause: error,
  });
}
