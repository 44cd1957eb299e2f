/** Reads what a person types or pipes in. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { interruptible } from '../../base/abort.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Io } from './output.ts';

/** A dialogue line by line; lines typed ahead are kept for the next question. */
export interface Dialogue {
  /** Shows the prompt on stderr and returns the next line; null at the end of the input. Rejects with the signal's reason. */
  ask(prompt: string): Promise<string | null>;
  /** True for yes. Enter means `usual`; anything else means no. Resolves to null at the end of the input. */
  confirm(question: string, usual: boolean): Promise<boolean | null>;
  /** Resolves only if the answer is yes. @throws RelayError `INTERRUPTED` */
  requireYes(question: string): Promise<void>;
  close(): void;
}

export function openDialogue(io: Io, signal: AbortSignal): Dialogue {
  const reader = createInterface({ input: io.stdin });
  const lines: string[] = [];
  // A stream reports its end once. If stdin has already ended, waiting for its end would take forever.
  let ended = (io.stdin as Partial<Readable>).readableEnded === true;
  let wake = () => {};
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.once('close', () => {
    ended = true;
    wake();
  });
  async function ask(prompt: string): Promise<string | null> {
    io.err(prompt);
    while (lines.length === 0 && !ended) {
      await interruptible(signal, woken());
    }
    signal.throwIfAborted();
    const line = lines.shift();
    if (line === undefined) io.err('\n');
    return line === undefined ? null : line.trim();
  }
  async function confirm(question: string, usual: boolean): Promise<boolean | null> {
    const answer = await ask(`${question} ${usual ? '[Y/n]' : '[y/N]'} `);
    if (answer === null) return null;
    return answer === '' ? usual : /^y(es)?$/i.test(answer);
  }
  return {
    ask,
    confirm,
    async requireYes(question) {
      if (!(await confirm(question, false))) throw new RelayError('INTERRUPTED', 'Nothing was changed.');
    },
    close: () => reader.close(),
  };
}

export function canAsk({ io, json }: { io: Io; json: boolean }): boolean {
  return io.terminal.stdin && io.terminal.stderr && !json;
}

export async function requireYes(io: Io, question: string, signal: AbortSignal): Promise<void> {
  const dialogue = openDialogue(io, signal);
  await dialogue.requireYes(question).finally(() => dialogue.close());
}

/** Reads stdin until its end, or until it has more than `most` bytes. Rejects with the signal's reason. */
export async function readStdin(
  { io, signal }: { io: Io; signal: AbortSignal },
  most: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => void (io.stdin as Partial<Readable>).destroy?.();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of io.stdin) {
      const bytes = Buffer.from(chunk as Buffer | string);
      chunks.push(bytes);
      size += bytes.length;
      if (size > most) break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
  }
  return Buffer.concat(chunks);
}
