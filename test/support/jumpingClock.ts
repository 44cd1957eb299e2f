/**
 * A clock on which no time passes while something is under way. Once all that is left sleeps on it, it jumps to the end of the
 * shortest sleep. So waits take no real time, and deadlines are the same on any machine. It is for tests in which the program
 * and the simulated provider run by themselves. If a test has to stop at a certain moment, use `manualClock`.
 */
import type { Clock } from '../../src/base/clock.ts';
import { isUnderWay } from './underWay.ts';
import { isAboutToGoOn } from './until.ts';

export interface JumpingClock extends Clock {
  /** Sets the time of day forward or, with a negative number, back. Waits are not affected. */
  shift(ms: number): void;
}

interface Sleeper {
  until: number;
  wake(): void;
}

/** Number of turns of the event loop without anything under way before time jumps. An answer may need two to be read. */
const QUIET_TURNS = 3;
/** While something is under way for longer than this number of turns, look again after a pause, to leave it the processor. */
const BUSY_TURNS = 20;

export function jumpingClock(): JumpingClock {
  const begin = Date.now();
  let [passed, shifted] = [0, 0];
  // Counts the jumps after which something happened.
  let events = 0;
  const sleepers = new Set<Sleeper>();
  let isWatching = false;

  function watch(): void {
    let [quiet, busy] = [0, 0];
    let isFirstQuiet = true;
    const look = () => {
      if (sleepers.size === 0) {
        isWatching = false;
        return;
      }
      if (isUnderWay()) [quiet, busy] = [0, busy + 1];
      else if (quiet < QUIET_TURNS) quiet += 1;
      else {
        if (isFirstQuiet && busy > 0) events += 1;
        isFirstQuiet = isAboutToGoOn(events) ? false : jump();
        [quiet, busy] = [0, isFirstQuiet ? 0 : busy];
      }
      if (busy > BUSY_TURNS) setTimeout(() => setImmediate(look), 1);
      else setImmediate(look);
    };
    isWatching = true;
    setImmediate(look);
  }

  /** Ends the shortest sleep. Returns true. */
  function jump(): true {
    const next = [...sleepers].reduce((first, one) => (one.until < first.until ? one : first));
    passed = Math.max(passed, next.until);
    sleepers.delete(next);
    next.wake();
    return true;
  }

  return {
    now: () => Math.floor(begin + passed + shifted),
    monotonic: () => passed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          until: passed + Math.max(ms, 0),
          wake() {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        signal?.addEventListener('abort', stop, { once: true });
        sleepers.add(sleeper);
        if (!isWatching) watch();
      }),
    shift(ms) {
      shifted += ms;
    },
  };
}
