/**
 * Makes each mistake of `mistakes/list.ts` in a copy of this checkout, and says which tests notice. For those who take tests away:
 * run it before and after, by hand, since it takes hours. A mistake that was caught and no longer is names a test to bring back.
 *
 *   node scripts/run.mjs mistakes --out before.json
 *   node scripts/run.mjs mistakes --out after.json --expect before.json
 *
 * `--only id,id` makes only these mistakes. `--first` runs only the directories in which a mistake is likeliest to be noticed.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MISTAKES, type Mistake } from './mistakes/list.ts';

/** A mistake may keep a test waiting for good. */
const MAX_RUN_MS = 30 * 60_000;
const NOT_COPIED = ['.cache', '.git', 'dist', 'node_modules'];

interface Result {
  id: string;
  /** Where it was noticed, and by which test first; null if all tests passed. */
  caught: { by: string; test: string } | null;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    out: { type: 'string' },
    expect: { type: 'string' },
    only: { type: 'string' },
    first: { type: 'boolean' },
  },
});
const only = options.only?.split(',');
const unknown = only?.find((id) => !MISTAKES.some((mistake) => mistake.id === id));
if (unknown !== undefined) throw new Error(`No mistake is called ${unknown}.`);
const earlier = options.expect && (JSON.parse(readFileSync(options.expect, 'utf8')) as Result[]);
for (const mistake of MISTAKES) changed(mistake, readFileSync(join(root, mistake.file), 'utf8'));

const copy = mkdtempSync(join(tmpdir(), 'relay-mistakes-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
cpSync(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');

/** The places whose tests pass without a mistake. */
const sound = new Set<string>();
const results: Result[] = [];
for (const mistake of MISTAKES) {
  if (only && !only.includes(mistake.id)) continue;
  const caught = await caughtBy(mistake);
  const where = options.first ? ` (${mistake.first.join(', ')})` : '';
  console.log(`${mistake.id} ${caught ? `caught by ${caught.by}: ${caught.test}` : `MISSED${where}`}`);
  results.push({ id: mistake.id, caught });
  if (options.out) writeFileSync(options.out, `${JSON.stringify(results, null, 2)}\n`);
}

const now = new Set(results.flatMap(({ id, caught }) => (caught ? [id] : [])));
for (const { id, caught } of earlier || []) {
  if (!caught || now.has(id) || (only && !only.includes(id))) continue;
  console.log(`${id} is no longer caught. It was by ${caught.by}: ${caught.test}`);
  process.exitCode = 1;
}

/** Returns the text of a file with the mistake in it. @throws Error unless the file has the passage exactly once */
function changed({ id, file, from, to }: Mistake, text: string): string {
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `The passage of ${id} is not in ${file} exactly once. Make the same mistake in the file as it is now.`,
    );
  return `${before}${to}${after}`;
}

async function caughtBy(mistake: Mistake): Promise<Result['caught']> {
  const places = mistake.first.filter((place) => existsSync(join(copy, place)));
  for (const place of options.first ? places : [...places, '']) {
    await requireSound(place);
    const file = join(copy, mistake.file);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, changed(mistake, text));
    const failure = await test(place).finally(() => writeFileSync(file, text));
    if (failure) return { by: place || failure.place, test: failure.test };
  }
  return null;
}

/** Makes sure that a failure shows the mistake. On a busy machine, a test may fail once without one. */
async function requireSound(place: string): Promise<void> {
  if (sound.has(place)) return;
  const failure = (await test(place)) && (await test(place));
  if (failure) throw new Error(`Without any mistake, this fails (${place || 'npm test'}): ${failure.test}`);
  sound.add(place);
}

/** Runs the tests of a directory, or all if `place` is empty. @returns null if they pass, otherwise the first that failed */
function test(place: string): Promise<{ place: string; test: string } | null> {
  const run = spawn('npm', ['test', ...(place ? ['--', place] : [])], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (why: string) => {
    output += `\nnot ok 1 - ${why}\n`;
    if (run.pid) process.kill(-run.pid, 'SIGKILL');
  };
  const stop = () => {
    end('interrupted');
    process.exit(130);
  };
  const timer = setTimeout(end, MAX_RUN_MS, 'the tests did not end');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  let output = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    run.once('error', reject);
    run.once('close', (code) => {
      clearTimeout(timer);
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
      resolve(code === 0 ? null : firstFailure(output));
    });
  });
}

/** Finds the first failed test in the output of `node --test`, as TAP or as its usual text, and the directory near it. */
function firstFailure(output: string): { place: string; test: string } {
  const found = /^[ \t]*(?:not ok \d+ - |✖ (?!failing tests))(.*)/m.exec(output);
  if (!found) return { place: 'npm test', test: output.trim().split('\n').slice(-3).join(' / ') };
  const place = /\btest\/[\w-]+/.exec(output.slice(found.index))?.[0] ?? 'npm test';
  return { place, test: (found[1] ?? '').replace(/ \([\d.]+ms\)$/, '') };
}
