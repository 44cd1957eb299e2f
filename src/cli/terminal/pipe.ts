/** stdin and stdout, as connected to an MCP client. */
import type { Readable } from 'node:stream';

export interface Pipe {
  input: Readable;
  /** True if a person is at the other end. */
  terminal: boolean;
  /** Writes text unchanged. Resolves once the text is written, or if the client no longer reads. */
  write(text: string): Promise<void>;
  /** Resolves once everything is written, or if the client no longer reads. */
  flushed(): Promise<void>;
  /** Aborts once the client no longer reads. */
  closed: AbortSignal;
}

/**
 * Maximum number of bytes that wait for the reader of stderr. A reader that has stopped must not fill this process's memory.
 */
const STDERR_BYTES = 1024 * 1024;

/** Reserves stdout for messages. All other text that is written to stdout, for example by a package, goes to stderr. */
export function systemPipe(): Pipe {
  const { stdin, stdout, stderr } = process;
  const closed = new AbortController();
  const writeOut = stdout.write.bind(stdout);
  const writeErr = stderr.write.bind(stderr) as (...args: unknown[]) => boolean;
  stdout.on('error', () => closed.abort());
  // Without a listener, the process would end if the reader of stderr goes away.
  stderr.on('error', () => {});
  const note = (...args: unknown[]): boolean => {
    if (stderr.writableLength <= STDERR_BYTES) return writeErr(...args);
    const done = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
    done?.();
    return true;
  };
  stderr.write = note as typeof stderr.write;
  stdout.write = note as typeof stdout.write;
  const written = (text: string) =>
    new Promise<void>((resolve) => {
      if (closed.signal.aborted) resolve();
      else writeOut(text, () => resolve());
    });
  return {
    input: stdin,
    terminal: stdin.isTTY === true,
    write: written,
    flushed: () => written(''),
    closed: closed.signal,
  };
}
