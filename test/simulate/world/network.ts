/** The way from the program to Spotify and back: how long the way takes, and what goes wrong on it. */
import type { Answer, Incoming } from '../../../src/demo/http.ts';
import type { Transport } from '../../../src/provider/http/transport.ts';
import { FaultList, faultHook } from '../../support/simulator/faults.ts';
import { chanceFor } from './chance.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

interface Options {
  time: VirtualTime;
  spotify: Spotify;
  seed: number;
  /** The shortest and the longest time of one way, in milliseconds. */
  latency: readonly [number, number];
  say(line: () => string): void;
}

export class Network {
  readonly faults = new FaultList();
  isOffline = false;
  /** When a request was last sent or ended. */
  lastAt = 0;
  /** True if relay cannot know how its last write has ended. */
  isInDoubt = false;
  /** Called when an answer to a write is lost. */
  onDoubt: () => void = () => {};
  #options: Options;
  #sent = new Map<string, number>();
  /** Number of requests whose effect may still come. */
  #effects = 0;
  /** Requests whose answer a process awaits, each as a function that is true while that process runs. */
  #awaited = new Set<() => boolean>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** True if something of relay's is on its way. */
  get isBusy(): boolean {
    return this.#effects > 0 || [...this.#awaited].some((isAlive) => isAlive());
  }

  /** @param isAlive whether the process that asks still runs */
  forProcess(isAlive: () => boolean): Transport {
    return (url, { method = 'GET', headers, body, signal }) => {
      const { time, say } = this.#options;
      const request = incomingOf(url, method, headers as Record<string, string>, String(body ?? ''));
      const isWrite = request.isApi && method !== 'GET';
      const [up, down] = this.#latencies(request);
      const waits = () => isAlive();
      say(() => `  > ${told(request)}`);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const ends = () => {
          this.#awaited.delete(waits);
          this.lastAt = time.at;
        };
        const doubts = () => {
          if (!isWrite || !isAlive()) return;
          this.isInDoubt = true;
          this.onDoubt();
        };
        const gaveUp = () => {
          ends();
          reject(signal.reason);
          doubts();
        };
        const arrive = (run: () => void) => {
          const heard = () => {
            ends();
            if (!isAlive() || signal.aborted) return;
            signal.removeEventListener('abort', gaveUp);
            run();
          };
          time.after(down, heard, 'computer');
        };
        signal.addEventListener('abort', gaveUp, { once: true });
        this.#awaited.add(waits);
        this.lastAt = time.at;
        if (isWrite) this.isInDoubt = false;
        if (this.isOffline) return arrive(() => reject(networkError('ECONNREFUSED')));
        this.#effects += 1;
        time.after(up, async () => {
          const { answer, manner, isOwn } = await this.#atSpotify(request);
          this.#effects -= 1;
          if (manner !== 'whole' || !isOwn)
            say(() => `  ! ${manner === 'whole' ? answer.status : manner} for ${told(request)}`);
          if (manner === 'drop')
            arrive(() => {
              reject(networkError('UND_ERR_SOCKET'));
              doubts();
            });
          if (manner !== 'whole') return;
          const response = this.#responseOf(answer);
          arrive(() => {
            resolve(response);
            if (answer.status >= 500 || (answer.status < 400 && !isOwn)) doubts();
          });
        });
      });
    };
  }

  /** Lets a request take effect, now or later, and returns what comes back; `isOwn` if that is Spotify's own answer. */
  async #atSpotify(request: Incoming) {
    const { time, spotify, say } = this.#options;
    let handled: Answer | null = null;
    const handle = () => {
      handled = spotify.handle(request);
      say(() => `  = ${handled?.status} ${told(request)}`);
      return handled;
    };
    // A wait comes before an effect that is late.
    const wait = (ms: number) => {
      this.#effects += 1;
      return new Promise<void>((woken) => {
        time.after(ms, () => {
          this.#effects -= 1;
          woken();
        });
      });
    };
    const { answer, manner } = await faultHook(this.faults)({ request, handle, wait });
    return { answer, manner, isOwn: answer === handled };
  }

  #responseOf({ status, json, text = '', headers }: Answer) {
    const date = new Date(this.#options.spotify.world.clock.now()).toUTCString();
    const body = json === undefined ? text : JSON.stringify(json);
    return { status, headers: new Headers({ date, ...headers }), text: body };
  }

  /** Each request draws its chance from what it asks for, so that it stays the same if others are left out. */
  #latencies({ method, path }: Incoming): [number, number] {
    const key = `${method} ${path}`;
    const nth = (this.#sent.get(key) ?? 0) + 1;
    this.#sent.set(key, nth);
    const chance = chanceFor(this.#options.seed, `${key} ${nth}`);
    const [least, most] = this.#options.latency;
    return [chance.whole(least, most), chance.whole(least, most)];
  }
}

function incomingOf(url: string, method: string, headers: Record<string, string>, text: string): Incoming {
  const { pathname, searchParams: query } = new URL(url);
  const isApi = pathname.startsWith('/v1/');
  return { method, path: isApi ? pathname.slice('/v1'.length) : pathname, isApi, query, headers, text };
}

function told({ method, path, query, text }: Incoming): string {
  const offset = query.get('offset');
  const count = text.startsWith('{') ? (text.match(/spotify:/g)?.length ?? 0) : 0;
  return `${method} ${path}${offset === null ? '' : ` from ${offset}`}${count > 0 ? `, ${count} songs` : ''}`;
}

function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
