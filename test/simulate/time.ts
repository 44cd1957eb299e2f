/**
 * Time that passes only when nothing else is left to do. The next event comes once everything that the last one has caused has
 * come to rest. Events at the same moment keep the order in which they were scheduled.
 */
import type { Clock } from '../../src/base/clock.ts';

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
  /** How far the computer's clock has been set forward, in milliseconds; negative if it has been set back. */
  shifted = 0;
  #slept = 0;
  #asleepUntil = 0;
  #order = 0;
  #events: Event[] = [];
  #turns: Array<() => void> = [];

  /** Calls `run` after `ms`. The returned function cancels the call. */
  after(ms: number, run: () => void, side: Side = 'world'): () => void {
    if (Number.isNaN(ms)) throw new Error('There is no such time.');
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
    const events = this.#events;
    this.#events = [];
    for (const event of events) {
      if (event.side === 'computer') event.due += ms;
      this.#insert(event);
    }
  }

  /** The world's own clock, which nobody sets. */
  clock(): Clock {
    return {
      now: () => BEGIN + this.at,
      monotonic: () => this.at,
      sleep: (ms) => new Promise((resolve) => this.after(ms, resolve)),
    };
  }

  /** What the computer's clock shows, Unix milliseconds. */
  wall(): number {
    return BEGIN + this.at + this.shifted;
  }

  /**
   * Lets time pass until `isOver`, until `at` is `limit`, or until too much or nothing more happens.
   * @returns null if `isOver` became true; otherwise why time stopped earlier
   */
  pass(isOver: () => boolean, limit: number): Promise<string | null> {
    return new Promise((resolve, reject) => {
      let events = 0;
      let isEnded = false;
      const end = (reason: string | null) => {
        isEnded = true;
        resolve(reason);
      };
      const step = () => {
        if (isEnded) return;
        try {
          if (isOver()) end(null);
          else if (++events > MAX_EVENTS) end('too much happens');
          else {
            const reason = this.#next(limit);
            if (reason !== null) end(reason);
          }
        } catch (error) {
          isEnded = true;
          reject(error);
        }
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

  /** Lets the next event happen. Returns null, or why no event can happen. */
  #next(limit: number): string | null {
    const turn = this.#turns.shift();
    if (turn) {
      turn();
      return null;
    }
    let next = this.#events.pop();
    while (next?.run === null) next = this.#events.pop();
    if (!next?.run) return 'nothing would ever happen again';
    if (next.due > limit) {
      this.#insert(next);
      return 'it takes too long';
    }
    this.at = Math.max(this.at, next.due);
    next.run();
    return null;
  }

  /** Keeps the events with the latest first, so that the next one is taken off the end. */
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
