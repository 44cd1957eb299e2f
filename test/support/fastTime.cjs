// Preloaded into a process: makes its clock and its timers run `FAST_TIME_FACTOR` times as fast, from `FAST_TIME_BEGIN`
// (Unix milliseconds) on. See fastClock.ts.
const factor = Number(process.env.FAST_TIME_FACTOR);
const begin = Number(process.env.FAST_TIME_BEGIN);

const realNow = Date.now.bind(Date);
Date.now = () => Math.floor(begin + (realNow() - begin) * factor);

const realMonotonic = performance.now.bind(performance);
performance.now = () => realMonotonic() * factor;
const realUptime = process.uptime.bind(process);
process.uptime = () => realUptime() * factor;

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  const fast = (work, ms, ...rest) => real(work, (ms ?? 0) / factor, ...rest);
  globalThis[name] = Object.defineProperties(fast, Object.getOwnPropertyDescriptors(real));
}
