/** Installs a minimal Debian or Ubuntu into a directory, from the package sources of this machine. */
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
const PACKAGE_RECORDS =
  /^\.\/(var\/lib\/(dpkg|rpm)|var\/log\/dpkg\.log|var\/cache\/ldconfig|root\/\.rpmdb)(\/|$)/;

export interface CleanRoot {
  path: string;
  /** The command that runs a program in this system, as root, without the environment variables of this process. */
  command(...args: string[]): [command: string, args: string[]];
  /** Runs a program in this system and returns its stdout. Throws if the program fails. */
  run(...args: string[]): string;
  /** Every file with its type, mode, owner, size and link target, except those of package managers. */
  files(): string[];
  remove(): void;
}

/** Names the programs whose absence prevents making a system. False if there are none, and always in CI, where tests then fail. */
export function withoutCleanRoot(): string | false {
  const missing = ['mmdebstrap', 'rpm', 'dpkg'].filter(
    (name) => spawnSync(name, ['--version']).error !== undefined,
  );
  if (missing.length === 0 || process.env.CI === 'true') return false;
  return `not installed: ${missing.join(', ')}`;
}

/** Makes a system in a temporary directory, with the C++ and atomic libraries. */
export function makeCleanRoot(): CleanRoot {
  const path = join(mkdtempSync(join(tmpdir(), 'relay-root-')), 'root');
  const sources = SOURCES.filter(
    (source) => existsSync(source) && readFileSync(source, 'utf8').trim() !== '',
  );
  const libraries = '--include=libstdc++6,libatomic1';
  // The suite is empty because the sources name it.
  asRoot('mmdebstrap', '--quiet', '--variant=essential', libraries, '', path, ...sources);
  const environment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8'];
  const inside = (args: readonly string[]) => rootCommand([...environment, 'chroot', path, ...args]);
  const format = '%p %y %m %U:%G %s %l\\n';
  return {
    path,
    command: (...args) => inside(args),
    run: (...args) => stdoutOf(...inside(args)),
    files: () =>
      asRoot(
        'sh',
        '-c',
        `cd '${path}' && find . -xdev \\( -type d -printf '%p %y %m %U:%G\\n' -o -printf '${format}' \\)`,
      )
        .trimEnd()
        .split('\n')
        .filter((line) => !PACKAGE_RECORDS.test(line.split(' ')[0] ?? ''))
        .sort(),
    remove: () => asRoot('rm', '-rf', '--one-file-system', join(path, '..')),
  };
}

/** Runs a program of this machine as root and returns its stdout. Throws if the program fails. */
export function asRoot(...args: string[]): string {
  return stdoutOf(...rootCommand(args));
}

function rootCommand(args: readonly string[]): [string, string[]] {
  const [command = '', ...rest] = process.getuid?.() === 0 ? args : ['sudo', '-n', ...args];
  return [command, rest];
}

function stdoutOf(command: string, args: string[]): string {
  const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH },
  });
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}
