/**
 * Time that passes only when nothing else is left to do. The next event comes once everything that the last one has caused has
 * come to rest. Events at the same moment keep the order in which they were scheduled.
 */
import type { Clock } from '../../src/base/clock.ts';

/** Whose event it is. Events of the computer wait while it sleeps. */
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

/** When every history begins, Unix milliseconds. */
const BEGIN = Date.UTC(2026, 10, 20, 12);

export class VirtualTime {
  /** Milliseconds since the history began. */
  at = 0;
  /** How far the computer's clock has been set off, in milliseconds. */
  shifted = 0;
  #slept = 0;
  #asleepUntil = 0;
  #order = 0;
  #events: Event[] = [];
  #turns: Array<() => void> = [];

  /** Calls `run` after `ms`. The returned function cancels that. */
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
   * Lets time pass until `isOver`, or until `at` is `limit`.
   * @returns null if it is over; otherwise why time stopped before
   */
  async pass(isOver: () => boolean, limit: number): Promise<string | null> {
    for (let events = 0; events < MAX_EVENTS; events++) {
      await rest();
      if (isOver()) return null;
      const turn = this.#turns.shift();
      if (turn) {
        turn();
        continue;
      }
      const next = this.#events.pop();
      if (!next) return 'nothing would ever happen again';
      if (next.run === null) continue;
      if (next.due > limit) {
        this.#insert(next);
        return 'it takes too long';
      }
      this.at = Math.max(this.at, next.due);
      next.run();
    }
    return 'too much happens';
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

function rest(): Promise<void> {
  return new Promise((resolve) => afterAllPromises(resolve));
}
