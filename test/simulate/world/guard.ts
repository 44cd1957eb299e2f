/**
 * Makes a history independent of the machine. While it runs, code that would wait in real time fails. Code that asks for the
 * time, for random numbers or for a turn of the event loop gets what the history decides. SQLite's file system in memory asks
 * for the time, too.
 */
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { chanceOf } from '../../work/crash/chance.ts';
import type { VirtualTime } from './time.ts';

const RealDate = Date;

/** Replaces zlib's other thread, once for a process: it would answer at a different moment in each run. */
export function packAtOnce(): void {
  const packNow = (
    text: zlib.InputType,
    options: zlib.ZlibOptions,
    done: (error: null, packed: Buffer) => void,
  ) => done(null, zlib.deflateRawSync(text, options));
  Object.defineProperty(zlib, 'deflateRaw', { value: packNow });
  syncBuiltinESMExports();
}

/** Runs `work`, and meanwhile replaces everything that would differ from one run to the next. */
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
