/**
 * Makes a history independent of the machine. While it runs, code that would wait in real time fails. Code that asks for the
 * time, for random numbers or for a turn of the event loop gets what the history decides. SQLite's file system in memory asks
 * for the time, too.
 */
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { chanceOf } from '../changes/crash/chance.ts';
import { forgetSent, parseSent } from './answers.ts';
import type { VirtualTime } from './time.ts';

const RealDate = Date;

const { inflateRawSync } = zlib;

/** Maximum size of a block in the deflate format, in bytes. */
const BLOCK = 65_535;

/**
 * Replaces zlib, once for a process. zlib works in another thread, which would answer at a different moment in each run. The
 * content is stored uncompressed, as the format allows (RFC 1951, 3.2.4), since setting zlib up takes longer than everything else.
 */
export function packAtOnce(): void {
  if (zlib.inflateRawSync !== inflateRawSync) return;
  const packLater = (
    text: zlib.InputType,
    _: zlib.ZlibOptions,
    done: (error: null, packed: Buffer) => void,
  ) => done(null, stored(text));
  const unpack = (packed: Uint8Array, options?: zlib.ZlibOptions) =>
    unpacked(packed) ?? inflateRawSync(packed, options);
  Object.defineProperty(zlib, 'deflateRawSync', { value: stored });
  Object.defineProperty(zlib, 'deflateRaw', { value: packLater });
  Object.defineProperty(zlib, 'inflateRawSync', { value: unpack });
  syncBuiltinESMExports();
}

function stored(given: zlib.InputType): Buffer {
  const content = typeof given === 'string' ? Buffer.from(given) : Buffer.from(given as Uint8Array);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < content.length; at += BLOCK) {
    const part = content.subarray(at, at + BLOCK);
    const head = Buffer.alloc(5);
    head[0] = at + BLOCK < content.length ? 0 : 1;
    head.writeUInt16LE(part.length, 1);
    head.writeUInt16LE(BLOCK - part.length, 3);
    blocks.push(head, part);
  }
  return Buffer.concat(blocks);
}

/** The content that `stored` has packed; null if something else has packed it. */
function unpacked(packed: Uint8Array): Buffer | null {
  const all = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const parts: Buffer[] = [];
  for (let at = 0; at < all.length; ) {
    const kind = all[at] as number;
    if (kind > 1) return null;
    const end = at + 5 + all.readUInt16LE(at + 1);
    parts.push(all.subarray(at + 5, end));
    if (kind === 1) return Buffer.concat(parts);
    at = end;
  }
  return null;
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
