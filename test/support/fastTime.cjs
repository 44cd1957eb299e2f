// Preloaded into a process: makes its clock and its timers run `FAST_TIME_FACTOR` times as fast, from `FAST_TIME_BEGIN`
// (Unix milliseconds) on, which was at `FAST_TIME_SINCE` (milliseconds since the computer started). See fastClock.ts.
const factor = Number(process.env.FAST_TIME_FACTOR);
const begin = Number(process.env.FAST_TIME_BEGIN);
const since = Number(process.env.FAST_TIME_SINCE);

const sinceBoot = () => Number(process.hrtime.bigint()) / 1e6;
Date.now = () => Math.floor(begin + (sinceBoot() - since) * factor);

const realMonotonic = performance.now.bind(performance);
performance.now = () => realMonotonic() * factor;
const realUptime = process.uptime.bind(process);
process.uptime = () => realUptime() * factor;

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  const fast = (work, ms, ...rest) => real(work, (ms ?? 0) / factor, ...rest);
  globalThis[name] = Object.defineProperties(fast, Object.getOwnPropertyDescriptors(real));
}
