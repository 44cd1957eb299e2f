/**
 * How often the cards are asked for: often while a job is at work, rarely when nobody does anything, never while the page is hidden.
 */

export type Outcome = 'moving' | 'changed' | 'same' | 'away' | 'stop';

const MOVING_MS = 700;
const USUAL_MS = 2_000;
const AWAY_MS = 1_500;
/** The slower intervals, and after how long without a change or an action each begins. */
const CALM: ReadonlyArray<readonly [afterMs: number, everyMs: number]> = [
  [3_600_000, 30_000],
  [300_000, 10_000],
];

export interface Polling {
  /** Asks at once; resolves when the cards are shown. */
  now(): Promise<void>;
}

export function createPolling(read: () => Promise<Outcome>): Polling {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading: Promise<void> | null = null;
  let isDueAgain = false;
  let livelyAt = Date.now();
  let waitMs = USUAL_MS;

  function now(): Promise<void> {
    clearTimeout(timer);
    if (reading !== null) {
      isDueAgain = true;
      return reading;
    }
    reading = turn().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function turn(): Promise<void> {
    let outcome: Outcome;
    do {
      isDueAgain = false;
      outcome = await read();
    } while (isDueAgain);
    if (outcome === 'moving' || outcome === 'changed') livelyAt = Date.now();
    if (outcome === 'stop' || document.hidden) return;
    waitMs = waitAfter(outcome, Date.now() - livelyAt);
    timer = setTimeout(now, waitMs);
  }

  const wake = () => {
    livelyAt = Date.now();
    if (!document.hidden && reading === null && waitMs > USUAL_MS) now();
  };
  for (const sign of ['pointerdown', 'pointermove', 'keydown', 'focus']) {
    addEventListener(sign, wake, { passive: true });
  }
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else now();
  });
  addEventListener('online', () => void now());
  return { now };
}

function waitAfter(outcome: Outcome, quietMs: number): number {
  if (outcome === 'moving') return MOVING_MS;
  if (outcome === 'away') return AWAY_MS;
  const [, calm] = CALM.find(([after]) => quietMs >= after) ?? [];
  return calm ?? USUAL_MS;
}
