/** Reads, replaces and removes the files of a service. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';

/** null when there is no such file; `''` for a file that cannot be read, which counts as someone else's. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) return '';
    // A dangling symbolic link is not the same as no file.
    return (await linkTarget(path)) === null ? null : '';
  }
}

/** @throws RelayError `SERVICE_FAILED` */
export async function replaceText(path: string, text: string): Promise<void> {
  const temp = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temp, text, { mode: 0o644, flag: 'wx' });
    await rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true }).catch(() => {});
    throw unwritable(path, error);
  }
}

/** @throws RelayError `SERVICE_FAILED` */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error) => {
    throw unwritable(path, error);
  });
}

/** Where the symbolic link points; null when `path` is not one. */
export async function linkTarget(path: string): Promise<string | null> {
  return readlink(path).catch(() => null);
}

/** Makes `path` a symbolic link to `target`, replacing another link. Throws `SERVICE_FAILED`. */
export async function putLink(path: string, target: string): Promise<void> {
  if ((await linkTarget(path)) === target) return;
  try {
    await mkdir(dirname(path), { recursive: true });
    if ((await lstat(path).catch(() => null))?.isSymbolicLink()) await rm(path);
    await symlink(target, path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): RelayError {
  return new RelayError('SERVICE_FAILED', `${path} cannot be changed: ${messageOf(error)}.`, {
    remedy: 'Check the owner of the file and its directory, then run this again.',
    cause: error,
  });
}
