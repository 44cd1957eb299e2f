/** A minimal Debian or Ubuntu in a directory, made from the package sources of this machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCES = [
  '/etc/apt/sources.list',
  '/etc/apt/sources.list.d/debian.sources',
  '/etc/apt/sources.list.d/ubuntu.sources',
];

/** Paths of the databases and logs of package managers. */
const BOOKS = /^\.\/(var\/lib\/(dpkg|rpm)|var\/log\/dpkg\.log|var\/cache\/ldconfig|root\/\.rpmdb)(\/|$)/;

export interface CleanRoot {
  path: string;
  /** The command that runs a program in the directory, as root, with nothing of this machine's environment. */
  command(...args: string[]): [command: string, args: string[]];
  /** Runs a program there to its end and returns stdout. Throws if it fails. */
  run(...args: string[]): string;
  /** Every file with its type, mode, owner, size and link target, except those of package managers. */
  files(): string[];
  remove(): void;
}

/** Why no system can be made here: the missing programs. False if it can, and always in CI. */
export function withoutCleanRoot(): string | false {
  const missing = ['mmdebstrap', 'rpm', 'dpkg'].filter(
    (name) => spawnSync(name, ['--version']).error !== undefined,
  );
  if (missing.length === 0 || process.env.CI === 'true') return false;
  return `not installed: ${missing.join(', ')}`;
}

/** Makes the system in a temporary directory, with the C++ and atomic libraries. */
export function makeCleanRoot(): CleanRoot {
  const path = join(mkdtempSync(join(tmpdir(), 'relay-root-')), 'root');
  const sources = SOURCES.filter(
    (source) => existsSync(source) && readFileSync(source, 'utf8').trim() !== '',
  );
  const libraries = '--include=libstdc++6,libatomic1';
  asRoot('mmdebstrap', '--quiet', '--variant=essential', libraries, '', path, ...sources);
  const environment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8'];
  const inside = (args: readonly string[]) => rootCommand([...environment, 'chroot', path, ...args]);
  const format = '%p %y %m %U:%G %s %l\\n';
  return {
    path,
    command: (...args) => inside(args),
    run: (...args) => finished(...inside(args)),
    files: () =>
      asRoot(
        'sh',
        '-c',
        `cd '${path}' && find . -xdev \\( -type d -printf '%p %y %m %U:%G\\n' -o -printf '${format}' \\)`,
      )
        .trimEnd()
        .split('\n')
        .filter((line) => !BOOKS.test(line.split(' ')[0] ?? ''))
        .sort(),
    remove: () => asRoot('rm', '-rf', '--one-file-system', join(path, '..')),
  };
}

/** Runs a program of this machine as root and returns stdout. Throws if it fails. */
export function asRoot(...args: string[]): string {
  return finished(...rootCommand(args));
}

function rootCommand(args: readonly string[]): [string, string[]] {
  const [command = '', ...rest] = process.getuid?.() === 0 ? args : ['sudo', '-n', ...args];
  return [command, rest];
}

function finished(command: string, args: string[]): string {
  const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH },
  });
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}
