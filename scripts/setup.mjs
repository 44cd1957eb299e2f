// Prepares a checkout with Node alone: installs if the lock file has changed, and builds if a source is newer than the bundle.
// The `npm` commands that people type first begin with this script, so it has to be quick if there is nothing to do.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`relay needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

function run(command, args) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status !== 0) {
    console.error(`\n'${command} ${args.join(' ')}' failed; see above.`);
    process.exit(1);
  }
}

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const stamp = join(root, 'node_modules', '.relay-lock');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  // `npm ci` would first empty the directory that the link leads to, for everyone who shares it.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      'node_modules is a link: install the packages of this package-lock.json in the directory that it leads to.',
    );
    process.exit(1);
  }
  console.error('Installing packages …');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, lock);
}

const bundle = join(root, 'dist', 'program', 'main.mjs');
const generated = join(root, 'src', 'generated', 'sql.ts');
const sources = Math.max(newest(join(root, 'src')), statSync(join(root, 'package.json')).mtimeMs);
if (!existsSync(generated) || !existsSync(bundle) || statSync(bundle).mtimeMs < sources) {
  run(process.execPath, [join(root, 'scripts', 'run.mjs'), 'build']);
}
