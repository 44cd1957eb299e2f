/** Splits a stream into lines. */
import type { Readable } from 'node:stream';

/** Maximum number of characters of a line to collect; the server accepts 4 MiB. */
const MAX_LINE = 16 * 1024 * 1024;

export interface LineReader {
  line(text: string): void;
  /** Number of lines that are being worked on; reading pauses while there are many. */
  open(): number;
}

const MANY = 256;
const LOOK_AGAIN_MS = 20;

/** Reads until the stream ends or the signal aborts. A line that is too long becomes a text that is not JSON. */
export function readLines(input: Readable, reader: LineReader, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let pending = '';
    let isTooLong = false;
    let resuming: NodeJS.Timeout | undefined;

    const end = () => {
      clearTimeout(resuming);
      signal.removeEventListener('abort', end);
      // The last line may be a complete message even without a line end; `reader` finds out.
      if (!signal.aborted && pending !== '') reader.line(pending);
      pending = '';
      input.destroy();
      resolve();
    };
    const resumeLater = () => {
      resuming = setTimeout(() => (reader.open() < MANY ? input.resume() : resumeLater()), LOOK_AGAIN_MS);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end, { once: true });
    input.setEncoding('utf8');
    input.once('end', end).once('close', end).once('error', end);
    input.on('data', (chunk: string) => {
      const lines = (pending + chunk).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        reader.line(isTooLong ? 'too long' : line);
        isTooLong = false;
      }
      if (pending.length > MAX_LINE) isTooLong = true;
      if (isTooLong) pending = '';
      if (reader.open() < MANY) return;
      input.pause();
      resumeLater();
    });
  });
}
