/**
 * Keeps the machine out of a history: while one runs, what would wait in real time fails, and what asks for the time, for
 * chance or for a turn of the event loop gets the history's own. SQLite's file system in memory does so as well.
 */
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { chanceOf } from '../changes/crash/chance.ts';
import type { VirtualTime } from './time.ts';

const RealDate = Date;

const { deflateRawSync } = zlib;

/**
 * Once for a process: zlib's other thread would answer at a moment that nobody can repeat. And a small window is made ready
 * sooner; reading does not mind.
 */
export function packAtOnce(): void {
  if (zlib.deflateRawSync !== deflateRawSync) return;
  const pack = (text: zlib.InputType, options?: zlib.ZlibOptions) =>
    deflateRawSync(text, { ...options, windowBits: 9, memLevel: 1 });
  const packLater = (
    text: zlib.InputType,
    options: zlib.ZlibOptions,
    done: (error: Error | null, result: Buffer) => void,
  ) => done(null, pack(text, options));
  Object.defineProperty(zlib, 'deflateRawSync', { value: pack });
  Object.defineProperty(zlib, 'deflateRaw', { value: packLater });
  syncBuiltinESMExports();
}

/** Runs `work` with everything replaced that would differ from one run to the next. */
export async function guarded<T>(time: VirtualTime, work: () => Promise<T>): Promise<T> {
  const refuse = (name: string) => () => {
    throw new Error(`${name} was used in a simulated history: pass time and chance in.`);
  };
  class HistoryDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [time.wall()] : given) as [number]));
    }
    static override now(): number {
      return time.wall();
    }
  }
  const puts: Array<[object, string, unknown]> = [
    [globalThis, 'Date', HistoryDate],
    [globalThis, 'setImmediate', (run: () => void) => time.nextTurn(run)],
    [globalThis, 'setTimeout', refuse('setTimeout')],
    [globalThis, 'setInterval', refuse('setInterval')],
    [globalThis, 'fetch', refuse('fetch')],
    [globalThis.performance, 'now', () => time.awake()],
    [Math, 'random', chanceOf(1).fraction],
    [globalThis.crypto, 'randomUUID', refuse('crypto.randomUUID')],
  ];
  const formers = puts.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name));
  for (const [owner, name, value] of puts)
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    for (const [index, [owner, name]] of puts.entries()) {
      const former = formers[index];
      if (former) Object.defineProperty(owner, name, former);
      else Reflect.deleteProperty(owner, name);
    }
  }
}
