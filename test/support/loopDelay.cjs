// Preloaded into the program (NODE_OPTIONS): measures the longest delay of its event loop. SIGUSR2 restarts the measurement.
// Twice a second, the delay in milliseconds is written to the file that LOOP_DELAY_FILE names.
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('SIGUSR2', () => delay.reset());
setInterval(() => writeFileSync(process.env.LOOP_DELAY_FILE, String(delay.max / 1e6)), 500).unref();
