// A process that runs the test files that it is given, one after the other.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { root } from './compiled.mjs';
import { tell } from './tell.mjs';
import { runFile } from './testFile.mjs';

// Tests run most code only a few times, and by default optimizing it would take a sixth of all processor time. Newer
// versions of V8 no longer have the flag, and would print a warning.
if (Number(process.versions.node.split('.')[0]) <= 22) setFlagsFromString('--interrupt-budget=1000000');

process.on('message', async ({ file }) => {
  if (!file) return process.disconnect();
  const start = performance.now();
  const used = process.cpuUsage();
  let before;
  await runFile(file, async () => {
    before = globalState();
    await import(pathToFileURL(join(root, file)).href);
  });
  const changed = changes(before, globalState());
  const { user, system } = process.cpuUsage(used);
  const cpuMs = (user + system) / 1_000;
  const ms = performance.now() - start;
  tell({ ended: file, ms, cpuMs, changed, exitCode: process.exitCode ?? 0 });
});
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => tell({ stray: inspect(error) }));
}
tell({ ready: true });

/** Global state that a file must leave unchanged for the next one. */
function globalState() {
  return {
    ...Object.fromEntries(
      Object.entries(process.env).map(([name, value]) => [`the variable ${name}`, value]),
    ),
    'the working directory': process.cwd(),
    'the file mode mask': process.umask(),
    'the user': String(process.geteuid?.()),
    'the clock': `${inspect(Date.now)} ${inspect(setTimeout)}`,
    ...Object.fromEntries(
      ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'].map((event) => [
        `the listeners of ${event}`,
        process.listenerCount(event),
      ]),
    ),
  };
}

/** Returns the names of what changed. Values are left out, since an environment may hold secrets. */
function changes(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]);
}
