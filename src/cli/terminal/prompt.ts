/** Reads what a person types or pipes in. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { interruptible } from '../../base/abort.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Io } from './output.ts';

/** One line after a prompt on stderr; null at the end of the input. Rejects with the signal's reason. */
export async function askLine(io: Io, prompt: string, signal: AbortSignal): Promise<string | null> {
  io.err(prompt);
  // The end of the input is reported only once; waiting for it again would never end.
  const { readableEnded } = io.stdin as Partial<Readable>;
  const line = readableEnded ? null : await readLine(createInterface({ input: io.stdin }), signal);
  // At the end of the input, unlike after Enter, the cursor is still behind the prompt.
  if (line === null) io.err('\n');
  return line;
}

/** True for yes. Anything else is no, including Enter and the end of the input. */
export async function confirm(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(io, `${question} [y/N] `, signal)) ?? '');
}

/** For several questions in a row, which need one reader for the lines. At the end of the input all answers are no. */
export function openQuestions(io: Io, signal: AbortSignal) {
  const reader = createInterface({ input: io.stdin });
  const lines = reader[Symbol.asyncIterator]();
  return {
    /** True for yes. Rejects with the signal's reason. */
    async confirm(question: string): Promise<boolean> {
      io.err(`${question} [y/N] `);
      const { done, value } = await interruptible(signal, lines.next());
      if (done) io.err('\n');
      return done !== true && /^y(es)?$/i.test(value.trim());
    },
    close: () => reader.close(),
  };
}

/** Like `askLine`, without showing what is typed; from a pipe it reads one line without a prompt. */
export async function askSecret(io: Io, prompt: string, signal: AbortSignal): Promise<string | null> {
  if (!io.terminal.stdin) return readLine(createInterface({ input: io.stdin }), signal);
  io.err(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readLine(createInterface({ input: io.stdin, output: nowhere, terminal: true }), signal);
  } finally {
    io.err('\n');
  }
}

/** A dialogue line by line; lines typed ahead are kept for the next question. */
export interface Dialogue {
  /** The next line after a prompt on stderr; null at the end of the input. Rejects with the signal's reason. */
  ask(prompt: string): Promise<string | null>;
  /** True for yes. Enter means `usual`; anything else and the end of the input mean no. */
  confirm(question: string, usual: boolean): Promise<boolean>;
  close(): void;
}

export function openDialogue(io: Io, signal: AbortSignal): Dialogue {
  const reader = createInterface({ input: io.stdin });
  const lines: string[] = [];
  let ended = false;
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
  return {
    ask,
    async confirm(question, usual) {
      const answer = await ask(`${question} ${usual ? '[Y/n]' : '[y/N]'} `);
      return answer === '' ? usual : /^y(es)?$/i.test(answer ?? '');
    },
    close: () => reader.close(),
  };
}

/** Calls `onLine` with every line until closed. The end of the input is not reported. */
export function readLines(io: Io, onLine: (line: string) => void): { close(): void } {
  const reader = createInterface({ input: io.stdin });
  reader.on('line', onLine);
  return reader;
}

function readLine(reader: ReturnType<typeof createInterface>, signal: AbortSignal): Promise<string | null> {
  return new Promise<string | null>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    reader.once('line', (line) => resolve(line.trim()));
    reader.once('close', () => resolve(null));
    // While typing is hidden, the terminal passes on Ctrl-C as a key.
    reader.once('SIGINT', () => reject(new RelayError('INTERRUPTED', 'Interrupted.')));
  }).finally(() => reader.close());
}

/** Everything on stdin until its end. Rejects with the signal's reason. */
export async function readAll(io: Io, signal: AbortSignal): Promise<string> {
  const chunks: string[] = [];
  for await (const line of createInterface({ input: io.stdin, signal })) chunks.push(line);
  signal.throwIfAborted();
  return chunks.join('\n');
}
