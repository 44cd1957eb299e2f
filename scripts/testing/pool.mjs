// A few processes that run test files, each taking the next file when it is done with one. If a process dies or hangs, its
// file fails, and a new process replaces it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './compiled.mjs';

const here = (name) => pathToFileURL(join(root, 'scripts', 'testing', name)).href;

/**
 * Time limit of a file in milliseconds, enough for a slow machine. Some files take several times as long at full size, or when
 * they run the executable.
 */
const fileMs = () => (process.env.RELAY_TEST_FULL === '1' || process.env.RELAY_BIN ? 1_800_000 : 600_000);
/** Time limit for a process to end after its last test. */
const EXIT_MS = 60_000;

/**
 * Runs the files, given as paths below the checkout. `onFile` gets the outcome of each: `{file, ms, cpuMs, events, failure}`,
 * where `failure` is a text or null, and `cpuMs` leaves out processes that the file started. A file for which `needsOwnProcess`
 * is true shares its process with no other. `env` is added to the environment of the tests.
 */
export async function runFiles(files, { width, ...options }) {
  const queue = [...files];
  const lanes = Array.from({ length: Math.min(width, files.length) }, async () => {
    while (queue.length > 0) await runWorker(queue, options);
  });
  await Promise.all(lanes);
}

async function runWorker(queue, { flags, pattern, needsOwnProcess, env = {}, onFile }) {
  const worker = fork(
    join(root, 'scripts', 'testing', 'worker.mjs'),
    pattern === undefined ? [] : [pattern],
    {
      cwd: root,
      env: { ...process.env, ...env },
      execArgv: [
        '--enable-source-maps',
        // Most objects of a test are garbage at its end, so more space for young objects saves a tenth of the time.
        '--max-semi-space-size=64',
        '--disable-warning=ExperimentalWarning',
        `--require=${join(root, 'scripts', 'testing', 'noAsyncHooks.cjs')}`,
        `--import=${here('register.mjs')}`,
        `--test-reporter=${here('reporter.mjs')}`,
        '--test-reporter-destination=stdout',
        ...flags,
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const at = { file: null, last: null };
  const begin = (file) => Object.assign(at, { file, test: '', events: [], strays: [], ended: null });
  begin(null);
  let start = 0;
  let stuck = null;
  let watch;
  let exitCode = 0;
  let anyFailed = false;
  const allow = (ms, what) => {
    clearTimeout(watch);
    watch = setTimeout(() => {
      stuck = `${what} within ${ms / 1000} seconds.`;
      worker.kill('SIGKILL');
    }, ms);
  };
  const takeNext = () => {
    const [file] = queue;
    if (at.last && file && (needsOwnProcess(file) || needsOwnProcess(at.last))) return null;
    return queue.shift() ?? null;
  };
  const next = () => {
    begin(takeNext());
    start = performance.now();
    if (at.file) allow(fileMs(), 'It did not end');
    else allow(EXIT_MS, `The process did not end`);
    worker.send({ file: at.file });
  };
  const finish = (failure) => {
    const ms = at.ended?.ms ?? performance.now() - start;
    const texts = [failure, ...at.strays].filter(Boolean);
    onFile({
      file: at.file ?? `after ${at.last ?? 'no file'}`,
      ms,
      cpuMs: at.ended?.cpuMs ?? 0,
      events: at.events,
      failure: texts.length > 0 ? texts.join('\n') : null,
    });
  };
  worker.on('message', (message) => {
    if (message.ready) return next();
    if (message.stray) at.strays.push(`No test caught this, near '${at.test}': ${message.stray}`);
    if (message.ended) at.ended = message;
    if (message.event) {
      const { type, data } = message.event;
      if (type !== 'test:dequeue') at.events.push(message.event);
      else if (data.nesting > 0) at.test = data.name;
    }
    // Waits for both: the event of the file itself, which is the last one, and the worker's report of the end.
    if (!at.ended || !at.events.some(({ type, data }) => isOutcome(type) && data.nesting === 0)) return;
    const changed = at.ended.changed.map((name) => `The file leaves ${name} changed.`);
    const hasFailed = at.events.some(({ type }) => type === 'test:fail');
    anyFailed ||= hasFailed;
    // If a test has failed, the exit code is from node:test.
    if (at.ended.exitCode !== exitCode && !hasFailed && at.strays.length === 0)
      changed.push(`The file leaves the exit code ${at.ended.exitCode} behind.`);
    exitCode = at.ended.exitCode;
    finish(changed.join('\n'));
    at.last = at.file;
    next();
  });
  const [code, signal] = await once(worker, 'close');
  clearTimeout(watch);
  // For failed tests, node:test sets the exit code to 1: in Node 20 at once, in newer versions when the process ends.
  const isExpected = code === exitCode || (anyFailed && code === 1);
  const ending = stuck ?? `The process ended with ${signal ?? `exit code ${code}`}.`;
  if (at.file) finish(`${ending}${at.test ? ` The last test that had begun: '${at.test}'.` : ''}`);
  else if (stuck || signal || !isExpected || at.strays.length > 0) {
    at.events = [];
    finish(ending);
  }
}

export const isOutcome = (type) => type === 'test:pass' || type === 'test:fail';
