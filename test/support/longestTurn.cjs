// Preloaded into a program (NODE_OPTIONS): measures the longest turn of its event loop, in milliseconds of processor time of
// its thread and of real time. Other programs on the machine do not add to the processor time. SIGUSR2 restarts the
// measurement. Four times a second, `{"cpu": …, "wall": …, "restarts": …}` is written to the file that TURN_FILE names.
const { openSync, readSync, writeFileSync, renameSync } = require('node:fs');

const file = process.env.TURN_FILE;
const cpuMs = threadTime() ?? processTime;
let longest = { cpu: 0, wall: 0, restarts: 0 };
let begin = { cpu: cpuMs(), wall: performance.now() };

if (file) {
  // The timer runs once in each turn.
  setInterval(() => {
    const now = { cpu: cpuMs(), wall: performance.now() };
    longest.cpu = Math.max(longest.cpu, now.cpu - begin.cpu);
    longest.wall = Math.max(longest.wall, now.wall - begin.wall);
    begin = now;
  }, 1).unref();
  setInterval(() => {
    writeFileSync(`${file}.part`, JSON.stringify(longest));
    renameSync(`${file}.part`, file);
  }, 250).unref();
  process.on('SIGUSR2', () => {
    longest = { cpu: 0, wall: 0, restarts: longest.restarts + 1 };
  });
}

/** Linux counts the time of each thread (Documentation/scheduler/sched-stats.rst); the main thread has the process's number. */
function threadTime() {
  try {
    const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const text = Buffer.alloc(64);
    const read = () => Number(text.toString('latin1', 0, readSync(stat, text, 0, 64, 0)).split(' ')[0]) / 1e6;
    read();
    return read;
  } catch {
    return null;
  }
}

function processTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
