/**
 * Clocks whose time runs faster: at a factor of 20, a wait of 14 s takes 0.7 s. They are for tests in which the program and the
 * simulated provider run by themselves. If a test has to stop at a certain moment, use `manualClock`.
 */
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '../../src/base/clock.ts';

export interface FastClock extends Clock {
  readonly factor: number;
  /** Milliseconds that never go back, whatever `shift` does. */
  monotonic(): number;
  /** Sets the time of day forward or, with a negative number, back. Waits are not affected. */
  shift(ms: number): void;
}

export interface SharedFastClock extends FastClock {
  /** Environment that gives a process the same time, however often it is started. */
  readonly env: Readonly<Record<string, string>>;
}

const PRELOAD = fileURLToPath(new URL('./fastTime.cjs', import.meta.url));

/** Milliseconds that `someWork` takes on the machine for which the factors were chosen. */
const USUAL_MS = 6;
/** The slowest pace, as a share of the chosen factor. */
const SLOWEST = 0.2;

/**
 * The pace of this machine: 1 if it is quiet, less if it is slow or busy. At full pace, the program would miss its deadlines on
 * a busy machine.
 */
export function paceOfMachine(): number {
  const now = performance.now();
  if (now >= measured.until) measured = { pace: measurePace(), until: now + FRESH_MS };
  return measured.pace;
}

let measured = { pace: 1, until: 0 };
/** How long to reuse a measurement, in milliseconds. A measurement takes 12 ms, and tests start many clocks. */
const FRESH_MS = 2_000;

function measurePace(): number {
  const took = [1, 2].map(() => {
    const begin = performance.now();
    someWork();
    return performance.now() - begin;
  });
  return Math.min(1, USUAL_MS / Math.min(...took));
}

function someWork(): void {
  const rows = Array.from({ length: 400 }, (_, index) => ({
    uri: `row ${index}`,
    artists: [{ name: `${index}` }],
  }));
  for (let turn = 0; turn < 10; turn++) JSON.parse(JSON.stringify(rows));
}

/** Interval at which running time is counted, and how much of a longer pause between two turns counts; in milliseconds. */
const TURN_MS = 10;
const COUNTED_MS = 3 * TURN_MS;

/** The real function, taken before any test replaces it: the interval continues while other test files run. */
const realNow = performance.now.bind(performance);

let turnAt: number | undefined;
let counted = 0;

/**
 * Real milliseconds in which this process ran. If the machine does something else for a second, that second must not count
 * towards deadlines.
 */
function runningMs(): number {
  if (turnAt === undefined) {
    turnAt = realNow();
    const turn = () => {
      counted = runningMs();
      turnAt = realNow();
    };
    setInterval(turn, TURN_MS).unref();
  }
  return counted + Math.min(realNow() - turnAt, COUNTED_MS);
}

/** @param fastest the factor on a quiet machine */
export function fastClock(fastest = 20): FastClock {
  const begun = runningMs();
  return clockOver(() => runningMs() - begun, Date.now(), fastest);
}

/** A fast clock that other processes share, so it never pauses. */
export function sharedFastClock(fastest = 20): SharedFastClock {
  const begin = Date.now();
  const since = sinceBoot();
  const clock = clockOver(() => sinceBoot() - since, begin, fastest);
  return {
    ...clock,
    env: {
      NODE_OPTIONS: `--require=${JSON.stringify(PRELOAD)}`,
      FAST_TIME_FACTOR: String(clock.factor),
      FAST_TIME_BEGIN: String(begin),
      FAST_TIME_SINCE: String(since),
    },
  };
}

/** Real milliseconds since the computer started, the same in all processes. The wall clock may jump while tests run. */
const sinceBoot = () => Number(process.hrtime.bigint()) / 1e6;

function clockOver(realMs: () => number, begin: number, fastest: number): FastClock {
  const factor = fastest * Math.max(SLOWEST, paceOfMachine());
  let shifted = 0;
  const passed = () => realMs() * factor;
  return {
    factor,
    now: () => Math.floor(begin + passed() + shifted),
    monotonic: passed,
    async sleep(ms, signal) {
      const end = passed() + ms;
      do await systemClock.sleep((end - passed()) / factor, signal);
      while (passed() < end);
    },
    shift(ms) {
      shifted += ms;
    },
  };
}
