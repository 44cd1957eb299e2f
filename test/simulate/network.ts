/** The way from the program to Spotify and back: how long it takes, and what goes wrong on it. */
import type { Answer, Incoming } from '../../src/demo/http.ts';
import type { Transport } from '../../src/provider/http/transport.ts';
import { FaultList, faultHook } from '../support/simulator/faults.ts';
import { chanceFor } from './chance.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

export interface NetworkOptions {
  time: VirtualTime;
  spotify: Spotify;
  seed: number;
  /** The least and the most milliseconds of one way. */
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
            if (manner === 'drop') arrive(() => reject(networkError('UND_ERR_SOCKET')));
            if (manner !== 'whole') return;
            const text = answer.json === undefined ? (answer.text ?? '') : jsonOf(answer.json);
            const date = new Date(spotify.world.clock.now()).toUTCString();
            const told = headersOf({ date, ...answer.headers });
            const { status } = answer;
            // Any other answer was changed on its way, or is not from Spotify, so relay does not know from it how the request ended.
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

/** The JSON of each track object. It is kept since pages of rows are most of what is sent. */
const texts = new WeakMap<object, string>();

function jsonOf(json: unknown): string {
  const { items, ...page } = json as { items?: unknown };
  if (Array.isArray(items))
    return `${JSON.stringify(page).slice(0, -1)},"items":[${items.map(rowText).join()}]}`;
  const inner = items as { items?: unknown } | undefined;
  if (!Array.isArray(inner?.items)) return JSON.stringify(json);
  return `${JSON.stringify(page).slice(0, -1)},"items":${jsonOf(items)}}`;
}

/** The JSON of one row of a page, with the kept JSON of its track. */
function rowText(row: Record<string, unknown>): string {
  const field = row.item ? 'item' : 'track';
  const { [field]: track, ...rest } = row;
  if (typeof track !== 'object' || track === null) return JSON.stringify(row);
  const text = texts.get(track) ?? JSON.stringify(track, leanly);
  texts.set(track, text);
  return `${JSON.stringify(rest).slice(0, -1)},"${field}":${text}}`;
}

/** Leaves out fields that the program never uses, since reading them would take most of a history's time. */
function leanly(name: string, value: unknown): unknown {
  return LEFT_OUT.has(name) ? undefined : value;
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  'external_urls',
  'href',
  'images',
  'preview_url',
  'disc_number',
  'track_number',
  'album_type',
  'release_date_precision',
  'total_tracks',
]);

function incomingOf(url: string, method: string, headers: Record<string, string>, text: string): Incoming {
  const { pathname, searchParams: query } = new URL(url);
  const isApi = pathname.startsWith('/v1/');
  return { method, path: isApi ? pathname.slice('/v1'.length) : pathname, isApi, query, headers, text };
}

function told({ method, path, query, text }: Incoming): string {
  const offset = query.get('offset');
  return `${method} ${path}${offset === null ? '' : ` from ${offset}`}${text.startsWith('{') ? ` ${text.length} bytes` : ''}`;
}

/** Headers in place of Node's class, which takes longer than most answers. The program only asks for single headers. */
function headersOf(given: Record<string, string>): Headers {
  const known = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  return { get: (name: string) => known.get(name.toLowerCase()) ?? null } as Headers;
}

function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
