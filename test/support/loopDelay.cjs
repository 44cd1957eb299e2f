// Preloaded into the program (NODE_OPTIONS): SIGUSR2 begins a measurement of the event loop's delay anew, and the longest
// one since then is written to the file that LOOP_DELAY_FILE names twice a second, in milliseconds.
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('SIGUSR2', () => delay.reset());
setInterval(() => writeFileSync(process.env.LOOP_DELAY_FILE, String(delay.max / 1e6)), 500).unref();
