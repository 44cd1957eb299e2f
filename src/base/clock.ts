/** Time and randomness come in from outside, so that tests can set them instead of waiting. */
export interface Clock {
  /** Present time, in Unix milliseconds. */
  now(): number;
  /**
   * Milliseconds since some moment of this process. Nobody can set this clock and it never goes back, so waits and deadlines
   * inside one process are measured with it. It may stand still while the computer sleeps.
   */
  monotonic(): number;
  /** Resolves after `ms`, soon if it is negative; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** Cryptographically strong bytes. */
  bytes(count: number): Buffer;
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` would load a module of its own.
  monotonic: () => process.uptime() * 1_000,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      // What is left until a deadline may have become negative since the caller compared it, and Node warns about such times.
      const timer = setTimeout(wake, Math.max(0, ms));
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** Loaded when used: loading `node:crypto` takes a quarter of the time that `relay --help` needs. */
const crypto = () => process.getBuiltinModule('node:crypto');

export const systemRandom: Random = {
  bytes: (count) => crypto().randomBytes(count),
  uuid: () => crypto().randomUUID(),
  fraction: () => Math.random(),
};

/** Unix milliseconds as a part of a file name, in UTC: `20261121T150000Z`. */
export function stampOf(time: number): string {
  return new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** Unix milliseconds as ISO 8601 text in UTC; null stays null. */
export function isoOf(time: number): string;
export function isoOf(time: number | null): string | null;
export function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** Returns how long to wait, in words: `90 seconds`, `14 hours`. Rounded up, so that nobody comes back too early. */
export function waitWords(seconds: number): string {
  if (seconds < 120) return seconds === 1 ? '1 second' : `${Math.ceil(seconds)} seconds`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}

/** Returns a length of time as people say it: `45 s`, `52 min`, `8 h 52 min`. Rounded down. */
export function lengthWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${Math.floor(ms / 1_000)} s`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])].join(' ');
}

/** Returns a length of time as text, from milliseconds and rounded to seconds: `3:45`, `1:02:03`. */
export function playingTime(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
