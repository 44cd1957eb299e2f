// Preloaded into the processes of `npm test`.
const { inspect } = require('node:util');
const { isMainThread } = require('node:worker_threads');

/** Time limits of a test, and of a process to end after its last test. */
const TEST_MS = 120_000;
const EXIT_MS = 60_000;

// Not in the process that starts the others, nor in workers.
if (process.env.NODE_TEST_CONTEXT && isMainThread) {
  withoutAsyncHooks(() => require('node:test'));
  watch(require('node:test'));
}

/**
 * node:test follows every promise through hooks, to know which test an uncaught error came from. One of these hooks, the
 * destroy hook, takes a quarter of the time of all tests.
 */
function withoutAsyncHooks(load) {
  const asyncHooks = require('node:async_hooks');
  const { createHook } = asyncHooks;
  asyncHooks.createHook = () => ({ enable: () => {}, disable: () => {} });
  load();
  asyncHooks.createHook = createHook;
}

/** Names the test that an uncaught error came from. Ends the process, so that its bundle fails, if it hangs. */
function watch({ after, beforeEach }) {
  // A test may replace the timers.
  const { setTimeout, clearTimeout } = globalThis;
  let subject = 'Before the first test';
  let timer;
  const allow = (ms, next) => {
    subject = next;
    clearTimeout(timer);
    timer = setTimeout(() => {
      tell(`not ended within ${ms / 1_000} s; open: ${process.getActiveResourcesInfo()}`);
      process.exit(1);
    }, ms).unref();
  };
  const tell = (text) => process.stderr.write(`${process.argv[1]}: ${subject}: ${text}\n`);
  beforeEach(({ name }) => allow(TEST_MS, `Test “${name}”`));
  after(() => allow(EXIT_MS, 'After the last test'));
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error) => tell(inspect(error)));
}
