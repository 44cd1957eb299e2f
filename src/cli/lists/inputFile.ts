/** The file that `relay import` is given: what it is, and its bytes. */
import { readFile, stat } from 'node:fs/promises';
import { readStart } from '../../base/files.ts';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { ADDRESS } from '../../domain/ids.ts';
import { MAX_LIST_BYTES } from '../../domain/listImport.ts';
import type { Context } from '../context.ts';

/** Number of bytes at the start of a file that tell its kind. */
const HEAD = 64 * 1024;
/** The start of a zip archive, and the start of a zip archive without entries. */
const ARCHIVE = ['PK\u0003\u0004', 'PK\u0005\u0006'];

/**
 * Returns `export` for an archive or a directory, `plays` for one file of a listening history, and `list` for everything else, also
 * for stdin.
 * @throws RelayError `USAGE` for a link
 */
export async function kindOf(path: string): Promise<'export' | 'plays' | 'list'> {
  if (path === '-') return 'list';
  if (ADDRESS.test(path) || /^https?:\/\//i.test(path)) {
    throw new RelayError('USAGE', `${path} is a link, not a file.`, {
      remedy: {
        text: 'To save a playlist of yours to a file: {command}',
        command: ['export', 'PLAYLIST', '-o', 'FILE'],
      },
    });
  }
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return 'export';
  if (!found?.isFile()) return 'list';
  const head = (await readStart(path, HEAD).catch(() => Buffer.alloc(0))).toString('latin1');
  // Excel workbooks are zip archives too.
  if (ARCHIVE.some((sign) => head.startsWith(sign)))
    return /\.(?:xlsx|xlsm|ods|numbers|docx)$/i.test(path) ? 'list' : 'export';
  return looksLikePlays(head) ? 'plays' : 'list';
}

/** @param head the beginning of a file */
function looksLikePlays(head: string): boolean {
  if (!/^(?:\u00ef\u00bb\u00bf)?\s*\[\s*\{/.test(head)) return false;
  const isExtended = /"ts"\s*:/.test(head) && /"ms_played"\s*:/.test(head);
  return isExtended || (/"endTime"\s*:/.test(head) && /"msPlayed"\s*:/.test(head));
}

/** Reads a list. @param file a path, or `-` for stdin. @throws RelayError `INVALID_ARGUMENT` */
export async function readInput(context: Context, file: string): Promise<Buffer> {
  if (file === '-') return readStdin(context);
  try {
    if ((await stat(file)).size > MAX_LIST_BYTES) throw tooLarge();
    return await readFile(file);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    const whys: Record<string, string> = {
      ENOENT: 'There is no such file',
      EACCES: 'It may not be read',
    };
    const why = whys[systemCodeOf(error) ?? ''] ?? messageOf(error);
    throw new RelayError('INVALID_ARGUMENT', `${file} cannot be read. ${why}.`, {
      remedy: 'Give the path of a file, or - to read from stdin.',
      cause: error,
    });
  }
}

async function readStdin({ io, signal }: Context): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => void (io.stdin as Partial<NodeJS.ReadStream>).destroy?.();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of io.stdin) {
      const bytes = Buffer.from(chunk as Buffer | string);
      size += bytes.length;
      if (size > MAX_LIST_BYTES) throw tooLarge();
      chunks.push(bytes);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
  }
  return Buffer.concat(chunks);
}

function tooLarge(): RelayError {
  const most = MAX_LIST_BYTES / 1024 / 1024;
  return new RelayError(
    'INVALID_ARGUMENT',
    `The file has more than ${most} MiB, which is the most that is read.`,
    {
      remedy: 'Split it, or export one playlist instead of the whole library.',
    },
  );
}
