/**
 * The queue in which typed owner codes wait to be checked, one at a time. The more wrong codes there were in the last minute, the
 * longer the pause between two checks. The pause is bounded, and the next code is drawn at random from browsers that have tries
 * left. So a program that floods the queue delays the owner but does not lock the owner out.
 */
import type { Clock, Random } from '../../base/clock.ts';
import { createWindow } from '../../base/rateWindow.ts';

/** Number of wrong codes in a minute that cause no pause, since people mistype. */
const FREE = 20;
/** All codes count under one key. */
const ALL = 'all';
const STEP_MS = 25;
/**
 * Longest pause. At two tries a second, trying half of all codes that relay may generate takes 5,000 years. The owner would
 * notice a longer pause.
 */
const MAX_PAUSE_MS = 500;
/**
 * Maximum number of requests that wait. Beyond that, a random request is refused, preferably one whose browser has no tries
 * left.
 */
const MAX_WAITING = 500;

interface Turn {
  /** True if this browser has no tries left. Browsers with tries left come first. */
  isLast: boolean;
  /** Returns true if the browser has stopped waiting for the answer. */
  isGone(): boolean;
  /** Checks the code; true if it is right. */
  judge(): boolean;
}

export interface CodeGate {
  /** Returns what `judge` returns, once it is the caller's turn; null if the queue was too long or the browser has left. */
  check(turn: Turn): Promise<boolean | null>;
}

export function createCodeGate({ clock, random }: { clock: Clock; random: Random }): CodeGate {
  const queue: Array<Turn & { answer(right: boolean | null): void }> = [];
  const wrong = createWindow(FREE, clock);
  let lastAt = Number.NEGATIVE_INFINITY;
  let isMoving = false;

  function pauseMs(): number {
    const pause = Math.min(MAX_PAUSE_MS, Math.max(0, wrong.total(ALL) - FREE) * STEP_MS);
    return lastAt + pause - clock.monotonic();
  }

  /** Takes a random request out of the queue: one with this `isLast`, or any other if there is none. */
  function draw(isLast: boolean) {
    const preferred = queue.filter((turn) => turn.isLast === isLast);
    const from = preferred.length > 0 ? preferred : queue;
    const drawn = from[Math.floor(random.fraction() * from.length)];
    if (drawn) queue.splice(queue.indexOf(drawn), 1);
    return drawn;
  }

  async function move(): Promise<void> {
    while (queue.length > 0) {
      const pause = pauseMs();
      if (pause > 0) await clock.sleep(pause);
      for (const turn of queue.filter(({ isGone }) => isGone())) {
        queue.splice(queue.indexOf(turn), 1);
        turn.answer(null);
      }
      const next = draw(false);
      if (!next) continue;
      lastAt = clock.monotonic();
      const right = next.judge();
      if (!right) wrong.count(ALL);
      next.answer(right);
    }
  }

  return {
    check(turn) {
      return new Promise((answer) => {
        queue.push({ ...turn, answer });
        if (queue.length > MAX_WAITING) draw(true)?.answer(null);
        if (isMoving) return;
        isMoving = true;
        move().finally(() => {
          isMoving = false;
        });
      });
    },
  };
}
