// `npm test`: runs every test file under test/, compiled once, in a few processes that each run many files. Paths limit it to
// those files. `--test-reporter` works as in Node. `--test-name-pattern` applies only to tests at the top of a file.
// `--processes=N` sets how many run at the same time. `--long` runs the files that take their sizes from test/support/scale.ts,
// at full size (`npm run test:long`); with `--sample`, they try fewer random cases. `--again` repeats the files that failed,
// alone and with the same seeds, if they are few: on a busy machine, a test in fast time may run out of time. `--load` runs the
// tests of test/load, with a new random seed each time (`npm run test:load`). `--stdio` runs the tests of the tools, whose
// clients then start `relay stdio` instead of connecting over HTTP (`npm run test:stdio`). The clients start `relay stdio` from
// source, or from a copy of the executable that RELAY_BIN names.
// test/package/ needs executables that are built first, so it runs only if a path names it (`npm run test:package`).
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { compile } from './testing/compile.mjs';
import { cache, root } from './testing/compiled.mjs';
import { runFiles } from './testing/pool.mjs';
import { createResults } from './testing/results.mjs';
import { useMemory } from './testing/temporary.mjs';

const PACKAGE = join('test', 'package') + sep;
const SCALE = '/support/scale.ts';
const LOAD = join('test', 'load') + sep;
/** Files with this import are load tests. Only `--load` runs them at full size. */
const MODEL = "'./model/";
/** If more files than this have failed, the reason is not the machine, so none runs again. */
const MAX_AGAIN = 3;
/** Files with this import measure the memory of their process, so they need a new one. */
const GARBAGE = '/support/garbage.ts';
/** Files in this directory replace the connections to SQLite for the rest of the process, so they need a new process too. */
const SIMULATION = join('test', 'simulate') + sep;

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const option = (name) => {
  const at = flags.findIndex((flag) => flag.startsWith(`--${name}=`));
  return at === -1 ? undefined : flags.splice(at, 1)[0].slice(name.length + 3);
};
const reporter = option('test-reporter') ?? (process.stdout.isTTY ? 'spec' : 'tap');
const pattern = option('test-name-pattern');
const [isLong, isAgain, isLoad] = [taken('--long'), taken('--again'), taken('--load')];
if (isLong) process.env.RELAY_TEST_FULL = '1';
if (taken('--sample')) process.env.RELAY_TEST_SAMPLE = '1';
if (isLoad) {
  process.env.RELAY_TEST_FULL = '1';
  if (named.length === 0) named.push(LOAD);
}
if (taken('--stdio')) {
  process.env.RELAY_TEST_TRANSPORT = 'stdio';
  if (process.env.RELAY_BIN) process.env.RELAY_BIN = alone(process.env.RELAY_BIN);
  if (named.length === 0) named.push(join('test', 'tools') + sep);
}
// Runs more processes than there are cores, since some tests wait for a clock or a process.
const width = Number(option('processes') ?? Math.max(2, availableParallelism()) + 2);

const all = (await compile()).map((file) => relative(root, file));
const files = all.filter(
  (file) =>
    (named.length === 0 ? !file.startsWith(PACKAGE) : named.some((name) => file.includes(name))) &&
    (!isLong || isLongFile(readFileSync(join(root, file), 'utf8'))),
);
const unknown = named.filter((name) => !all.some((file) => file.includes(name)));
if (unknown.length > 0 || files.length === 0) {
  console.error(`No test file has ${(unknown.length > 0 ? unknown : named).join(' or ')} in its path.`);
  process.exit(1);
}

const isLarge = isLong || isLoad || process.env.RELAY_BIN || named.some((name) => name.startsWith(PACKAGE));
if (!isLarge) useMemory();
const known = knownTimes();
const results = createResults(reporter);
const needsOwnProcess = (file) =>
  file.startsWith(SIMULATION) || readFileSync(join(root, file), 'utf8').includes(GARBAGE);
const options = { flags, pattern, needsOwnProcess };
await runFiles(inTurn(files), { ...options, width, onFile: results.add });
if (isAgain && results.failed().length <= MAX_AGAIN) {
  for (const file of results.failed())
    await runFiles([file], { ...options, width: 1, env: results.seedsOf(file), onFile: results.addAgain });
}
const { failed, times } = await results.end();
if (!isLong && !isLoad) keepTimes(times);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Returns true if the flag was given, and takes it out of those that are passed on to Node. */
function taken(flag) {
  const at = flags.indexOf(flag);
  if (at !== -1) flags.splice(at, 1);
  return at !== -1;
}

/** @param text of a test file */
function isLongFile(text) {
  return text.includes(SCALE) && !text.includes(MODEL);
}

/**
 * Long files come first, so that none is left running alone at the end. Files that never ran come before those known to be
 * quick. Files that need a new process come before all others, since each ends the process before it.
 */
function inTurn(files) {
  const weight = (file) => (needsOwnProcess(file) ? Number.POSITIVE_INFINITY : (known[file] ?? 5_000));
  const weights = new Map(files.map((file) => [file, weight(file)]));
  return files.sort((a, b) => weights.get(b) - weights.get(a) || (a < b ? -1 : 1));
}

/** Copies the executable into an empty directory. */
function alone(executable) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-alone-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'relay');
  copyFileSync(executable, copy);
  return copy;
}

function knownTimes() {
  try {
    return JSON.parse(readFileSync(join(cache, 'times.json'), 'utf8'));
  } catch {
    return {};
  }
}

function keepTimes(times) {
  const latest = Object.fromEntries(times.map(({ file, ms }) => [file, Math.round(ms)]));
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'times.json'), JSON.stringify({ ...known, ...latest }));
}
