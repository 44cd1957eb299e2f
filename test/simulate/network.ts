/** The way from the program to Spotify and back: how long the way takes, and what goes wrong on it. */
import type { Answer, Incoming } from '../../src/demo/http.ts';
import type { Transport } from '../../src/provider/http/transport.ts';
import { FaultList, faultHook } from '../support/simulator/faults.ts';
import { textOf } from './answers.ts';
import { chanceFor } from './chance.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

export interface NetworkOptions {
  time: VirtualTime;
  spotify: Spotify;
  seed: number;
  /** The shortest and the longest time of one way, in milliseconds. */
  latency: readonly [number, number];
  /** Hears of each request as it arrives, before it takes effect. */
  arrived(request: Incoming): void;
  /** Hears of each request once it has taken effect. */
  done(request: Incoming): void;
  say(line: () => string): void;
}

export class Network {
  readonly faults = new FaultList();
  isOffline = false;
  /** Number of requests that got no answer, or another one than their own success. */
  troubles = 0;
  #options: NetworkOptions;
  #sent = new Map<string, number>();
  #serial = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** @param isAlive whether the process that asks still runs */
  forProcess(isAlive: () => boolean): Transport {
    return (url, { method = 'GET', headers, body, signal }) => {
      const { time, spotify, say } = this.#options;
      const request = incomingOf(url, method, headers as Record<string, string>, String(body ?? ''));
      const [up, down] = this.#latencies(request);
      const serial = ++this.#serial;
      say(() => `#${serial} ${told(request)}`);
      return new Promise((resolve, reject) => {
        const left = () => reject(signal.reason);
        if (signal.aborted) return left();
        signal.addEventListener('abort', left, { once: true });
        const arrive = (run: () => void) => {
          time.after(
            down,
            () => {
              if (!isAlive()) return;
              signal.removeEventListener('abort', left);
              run();
            },
            'computer',
          );
        };
        if (this.isOffline) {
          say(() => `#${serial} no network`);
          this.troubles += 1;
          return arrive(() => reject(networkError('ECONNREFUSED')));
        }
        time.after(up, () => {
          this.#options.arrived(request);
          const hook = faultHook(this.faults);
          const wait = (ms: number) => new Promise<void>((woken) => time.after(ms, woken));
          let handled: Answer | null = null;
          const handle = () => {
            const answer = spotify.handle(request);
            handled = answer;
            say(() => `#${serial} at Spotify: ${answer.status}`);
            this.#options.done(request);
            return answer;
          };
          void hook({ request, handle, wait }).then(({ answer, manner }) => {
            say(() => `#${serial} answer: ${manner === 'whole' ? answer.status : manner}`);
            if (manner !== 'whole' || answer.status >= 400 || answer !== handled) this.troubles += 1;
            if (manner === 'drop') arrive(() => reject(networkError('UND_ERR_SOCKET')));
            if (manner !== 'whole') return;
            const text = answer.json === undefined ? (answer.text ?? '') : bodyOf(answer);
            const date = new Date(spotify.world.clock.now()).toUTCString();
            const told = headersOf({ date, ...answer.headers });
            const { status } = answer;
            // Any other answer is a server error, was changed on its way, or is not from Spotify. relay cannot know from it how
            // the request ended.
            const isPlain = (status >= 400 || answer === handled) && status < 500;
            arrive(() => {
              if (isPlain && !signal.aborted) spotify.answered(request);
              resolve({ status, headers: told, text });
            });
          });
        });
      });
    };
  }

  #latencies({ method, path }: Incoming): [number, number] {
    const key = `${method} ${path}`;
    const nth = (this.#sent.get(key) ?? 0) + 1;
    this.#sent.set(key, nth);
    const chance = chanceFor(this.#options.seed, `${key} ${nth}`);
    const [least, most] = this.#options.latency;
    return [chance.whole(least, most), chance.whole(least, most)];
  }
}

/** The body of an answer with JSON. The program reads the text of a refusal, so a refusal gets real JSON. */
function bodyOf({ status, json }: Answer): string {
  return status < 300 ? textOf(json) : JSON.stringify(json);
}

function incomingOf(url: string, method: string, headers: Record<string, string>, text: string): Incoming {
  const { pathname, searchParams: query } = new URL(url);
  const isApi = pathname.startsWith('/v1/');
  return { method, path: isApi ? pathname.slice('/v1'.length) : pathname, isApi, query, headers, text };
}

function told({ method, path, query, text }: Incoming): string {
  const offset = query.get('offset');
  return `${method} ${path}${offset === null ? '' : ` from ${offset}`}${text.startsWith('{') ? ` ${text.length} bytes` : ''}`;
}

/** Replaces Node's class `Headers`, which takes longer than most answers. The program only asks for single headers. */
function headersOf(given: Record<string, string>): Headers {
  const known = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  return { get: (name: string) => known.get(name.toLowerCase()) ?? null } as Headers;
}

function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
