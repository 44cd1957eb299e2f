// `npm test`: bundles the tests, and runs the bundles with `node --test`. Options are Node's, such as `--test-name-pattern=…`.
// Paths limit it to the test files with one of them in their own path. test/package needs executables
// that are built first, so they run only if a path names them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from './sources.mjs';
import { bundleTests, testFiles } from './testing/bundles.mjs';

const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));

const all = testFiles();
const unknown = named.filter((name) => !all.some(({ path }) => path.includes(name)));
if (unknown.length > 0) {
  console.error(`No test file has ${unknown.join(' or ')} in its path.`);
  process.exit(1);
}
const isSeparate = ({ path }) => /^test\/package\//.test(path);
const files = all.filter((file) =>
  named.length > 0 ? named.some((name) => file.path.includes(name)) : !isSeparate(file),
);

const cache = join(root, '.cache', 'tests');
mkdirSync(cache, { recursive: true });
for (const name of readdirSync(cache)) {
  // What a run left that was killed.
  const isOld = Date.now() - statSync(join(cache, name)).mtimeMs > 86_400_000;
  if (isOld) rmSync(join(cache, name), { recursive: true, force: true });
}
// Another run may be under way, so this one has a directory of its own.
const folder = mkdtempSync(join(cache, 'run-'));
try {
  process.exitCode = await run(await bundleTests(files, folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the exit code. */
async function run(bundles) {
  const testing = (name) => join(root, 'scripts', 'testing', name);
  const args = [
    '--enable-source-maps',
    '--disable-warning=ExperimentalWarning',
    // Most objects of a test are garbage at its end, so more space for young objects saves a tenth of the time.
    '--max-semi-space-size=16',
    // Tests run most code only a few times, and by default optimizing it would take a sixth of all processor time. Newer versions
    // of V8 no longer have the flag.
    ...(Number(process.versions.node.split('.')[0]) <= 22 ? ['--interrupt-budget=1000000'] : []),
    `--require=${testing('preload.cjs')}`,
    '--test',
    // More than there are cores, since some tests wait for a clock or a process.
    `--test-concurrency=${availableParallelism() + 2}`,
    // Only for endless loops; preload.cjs ends processes that wait.
    '--test-timeout=3600000',
    ...(flags.some((flag) => flag.startsWith('--test-reporter'))
      ? []
      : ['spec', testing('skipped.mjs')].flatMap((reporter) => [
          `--test-reporter=${reporter}`,
          '--test-reporter-destination=stdout',
        ])),
    ...flags,
    ...bundles,
  ];
  const memory = process.env.TMPDIR || files.some(isSeparate) ? null : memoryFolder();
  const env = { ...process.env, ...(memory ? { TMPDIR: memory } : {}) };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill());
  const [code] = await once(child, 'exit');
  if (memory) rmSync(memory, { recursive: true, force: true });
  return code ?? 1;
}

/**
 * Every test has its own home, and relay waits until its files there are on the disk. A directory in memory saves a tenth of the
 * time. Returns null if the system has none with room for it, or no program can be started from it, as in many containers.
 */
function memoryFolder() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    const cannotRun = / \/dev\/shm \S+ \S*\bnoexec\b/.test(readFileSync('/proc/mounts', 'utf8'));
    if (cannotRun || bavail * bsize < 2 ** 30) return null;
    const folder = mkdtempSync('/dev/shm/relay-');
    // Some tests run as another user.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return null;
  }
}
