/** Distinguishes files of a listening history from lists of songs. `relay import` reads both. */
import { stat } from 'node:fs/promises';
import { readStart } from '../../base/files.ts';

/** Number of bytes at the start of a file that tell its kind. */
const HEAD = 64 * 1024;
/** The start of a zip archive, and the start of a zip archive without entries. */
const ARCHIVE = ['PK\u0003\u0004', 'PK\u0005\u0006'];
const EXTENDED = /"ts"\s*:/;
const EXTENDED_LENGTH = /"ms_played"\s*:/;
const SHORT = /"endTime"\s*:/;
const SHORT_LENGTH = /"msPlayed"\s*:/;

/**
 * Returns `export` for an archive or a directory, which is never a list of songs. Returns `file` for one file of plays, which can
 * also be read as a list of songs. Returns null for other files and for stdin.
 */
export async function listeningHistoryIn(path: string): Promise<'export' | 'file' | null> {
  if (path === '-') return null;
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return 'export';
  if (!found?.isFile()) return null;
  const head = (await readStart(path, HEAD).catch(() => Buffer.alloc(0))).toString('latin1');
  // Excel workbooks are zip archives too.
  if (ARCHIVE.some((sign) => head.startsWith(sign))) {
    return /\.(?:xlsx|xlsm|ods|numbers|docx)$/i.test(path) ? null : 'export';
  }
  return looksLikePlays(head) ? 'file' : null;
}

/** @param head the beginning of a file */
function looksLikePlays(head: string): boolean {
  if (!/^(?:\u00ef\u00bb\u00bf)?\s*\[\s*\{/.test(head)) return false;
  const isExtended = EXTENDED.test(head) && EXTENDED_LENGTH.test(head);
  return isExtended || (SHORT.test(head) && SHORT_LENGTH.test(head));
}
