/** The files of a service: read as they are, replaced as a whole. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';

/** null when there is no such file. A file that cannot be read is one of somebody else: `''`. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) return '';
    // A link that leads nowhere would be replaced as if it were nothing.
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

/** What the link says; null when `path` is no link. */
export async function linkTarget(path: string): Promise<string | null> {
  return readlink(path).catch(() => null);
}

/** Makes `path` a link to `target`, in the place of another link. Throws `SERVICE_FAILED`. */
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
    remedy: 'Check who owns it and its folder, then run this again.',
    cause: error,
  });
}
