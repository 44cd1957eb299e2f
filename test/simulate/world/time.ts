/**
 * Time that passes only when nothing else is left to do. The next event comes once everything that the last one has caused has
 * come to rest. Events at the same moment keep the order in which they were scheduled.
 */
import type { Clock } from '../../../src/base/clock.ts';

/** The side to which an event belongs. Events of the computer wait while it sleeps. */
type Side = 'world' | 'computer';

interface Event {
  due: number;
  order: number;
  side: Side;
  run: (() => void) | null;
}

/** The real function, before a history replaces it. */
const afterAllPromises = setImmediate;
/** More events than any history has. */
const MAX_EVENTS = 60_000;
/** Events in one turn of Node's event loop. */
const STEPS = 50;
/** When every history begins, Unix milliseconds. */
const BEGIN = Date.UTC(2026, 10, 20, 12);

export class VirtualTime {
  /** Milliseconds since the history began. */
  at = 0;
  #slept = 0;
  #asleepUntil = 0;
  #order = 0;
  /** The latest first, so that the next one is taken off the end. */
  #events: Event[] = [];
  #turns: Array<() => void> = [];

  /** Calls `run` after `ms`. The returned function cancels the call. */
  after(ms: number, run: () => void, side: Side = 'world'): () => void {
    const from = side === 'computer' ? Math.max(this.at, this.#asleepUntil) : this.at;
    const event: Event = { due: from + Math.max(0, ms), order: this.#order++, side, run };
    this.#insert(event);
    return () => {
      event.run = null;
    };
  }

  /** Replaces `setImmediate`: calls `run` once everything of this turn has come to rest. */
  nextTurn(run: () => void): void {
    this.#turns.push(run);
  }

  /** Milliseconds that the computer has been awake. */
  awake(): number {
    return Math.max(this.at, this.#asleepUntil) - this.#slept;
  }

  /** The computer sleeps: its own timers stand still, its programs do nothing, and what reaches it meanwhile waits. */
  sleepComputer(ms: number): void {
    this.#slept += ms;
    this.#asleepUntil = Math.max(this.at, this.#asleepUntil) + ms;
    for (const event of this.#events.splice(0)) {
      if (event.side === 'computer') event.due += ms;
      this.#insert(event);
    }
  }

  /** A clock of the world, which never sleeps. */
  clock(): Clock {
    return {
      now: () => this.wall(),
      monotonic: () => this.at,
      sleep: (ms) => new Promise((resolve) => this.after(ms, resolve)),
    };
  }

  /** What clocks show, Unix milliseconds. */
  wall(): number {
    return BEGIN + this.at;
  }

  /**
   * Lets time pass until `isOver`, until `at` is `limit`, or until too much or nothing more happens.
   * @returns null if `isOver` became true; otherwise why time stopped earlier
   */
  pass(isOver: () => boolean, limit: number): Promise<string | null> {
    return new Promise((resolve, reject) => {
      let events = 0;
      let isEnded = false;
      const step = () => {
        if (isEnded) return;
        try {
          const reason = isOver() ? null : ++events > MAX_EVENTS ? 'too much happens' : this.#next(limit);
          if (reason === undefined) return;
          resolve(reason);
        } catch (error) {
          reject(error);
        }
        isEnded = true;
      };
      const steps = () => {
        if (isEnded) return;
        // Node settles all promises between two of these calls. A turn of its event loop for each event would take longer.
        for (let nth = 0; nth < STEPS; nth++) afterAllPromises(step);
        afterAllPromises(steps);
      };
      steps();
    });
  }

  /** Lets the next event happen. Returns undefined, or why no event can happen. */
  #next(limit: number): string | undefined {
    const turn = this.#turns.shift();
    if (turn) return void turn();
    let next = this.#events.pop();
    while (next?.run === null) next = this.#events.pop();
    if (!next?.run) return 'nothing would ever happen again';
    if (next.due > limit) return 'it takes too long';
    this.at = Math.max(this.at, next.due);
    next.run();
  }

  #insert(event: Event): void {
    const events = this.#events;
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = events[middle] as Event;
      if (other.due > event.due || (other.due === event.due && other.order > event.order)) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
  }
}
