/**
 * Makes a history independent of the machine. While it runs, code that would wait in real time fails. Code that asks for the
 * time, for random numbers or for a turn of the event loop gets what the history decides. SQLite's file system in memory asks
 * for the time, too.
 */
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { chanceOf } from '../../work/crash/chance.ts';
import { forgetSent, parseSent } from './answers.ts';
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

/**
 * Replaces Node's abort signals. Node's signals are event targets, which take ten times as long to make, and a history makes
 * several for each request.
 */
class QuickSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners = new Map<() => void, () => void>();

  addEventListener(_: string, listener: () => void): void {
    this.#listeners.set(listener, listener);
  }
  removeEventListener(_: string, listener: () => void): void {
    this.#listeners.delete(listener);
  }
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
  /** Node's function `setMaxListeners` calls this. */
  setMaxListeners(): void {}

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  static any(signals: ReadonlyArray<QuickSignal>): QuickSignal {
    const first = new QuickSignal();
    for (const signal of signals) {
      // A signal of Node was made when the program was loaded, such as `NEVER`. A listener on it would keep this history in memory.
      if (!(signal instanceof QuickSignal)) continue;
      if (signal.aborted) first.abort(signal.reason);
      signal.addEventListener('abort', () => first.abort(signal.reason));
    }
    return first;
  }
}

class QuickController {
  readonly signal = new QuickSignal();
  abort(reason: unknown = ABORTED): void {
    this.signal.abort(reason);
  }
}

const ABORTED = new DOMException('This operation was aborted', 'AbortError');

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
    [globalThis, 'AbortController', QuickController],
    [globalThis, 'AbortSignal', QuickSignal],
    [globalThis.performance, 'now', () => time.awake()],
    [JSON, 'parse', parseSent],
    [Math, 'random', chanceOf(1).fraction],
    [globalThis.crypto, 'randomUUID', refuse('crypto.randomUUID')],
  ];
  const formers = puts.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name));
  for (const [owner, name, value] of puts)
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    forgetSent();
    for (const [index, [owner, name]] of puts.entries()) {
      const former = formers[index];
      if (former) Object.defineProperty(owner, name, former);
      else Reflect.deleteProperty(owner, name);
    }
  }
}
