/** The bytes of a list, from a file or from stdin. */
import { readFile, stat } from 'node:fs/promises';
import { messageOf, RelayError, systemCodeOf } from '../../domain/errors.ts';
import { MAX_LIST_BYTES } from '../../domain/listImport.ts';
import type { Context } from '../context.ts';

/** @param file a path, or `-` for stdin. @throws RelayError `INVALID_ARGUMENT` */
export async function readInput(context: Context, file: string): Promise<Buffer> {
  return file === '-' ? readStdin(context) : readListFile(file);
}

async function readListFile(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size > MAX_LIST_BYTES) throw tooLarge();
    return await readFile(file);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): RelayError {
  const whys: Record<string, string> = {
    ENOENT: 'There is no such file',
    EISDIR: 'It is a directory',
    EACCES: 'It may not be read',
  };
  const why = whys[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new RelayError('INVALID_ARGUMENT', `${file} cannot be read. ${why}.`, {
    remedy: 'Give the path of a file, or - to read from stdin.',
    cause: error,
  });
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
    { remedy: 'Split it, or export one playlist instead of the whole library.' },
  );
}
