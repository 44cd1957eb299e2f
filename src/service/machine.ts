/** The machine that this process runs on. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { childEnv } from '../base/childProcess.ts';
import { homeDirectory } from '../base/userDirectories.ts';
import { systemCodeOf } from '../domain/errors.ts';

/** The result of running a program. Never an exception: `err` is its stderr, or the reason why it could not be run. */
export type Ran = { ok: boolean; out: string; err: string };

export interface Machine {
  /** The command line of this program: the executable, or Node and the script. Absolute paths. */
  program: readonly string[];
  homeDir: string;
  /** Number of the user; null on Windows, which has no such number. */
  uid: number | null;
  /** Runs a program without a shell, for at most `timeoutMs` (default 10 s). Never rejects. */
  run(command: string, args: readonly string[], timeoutMs?: number): Promise<Ran>;
}

export function systemMachine(): Machine {
  const program = startedAs(process.argv0, process.execPath, childEnv().PATH);
  const script = isSea() ? [] : [ownScript(dirname(fileURLToPath(import.meta.url)))];
  const uid = process.getuid?.() ?? null;
  return { program: [program, ...script], homeDir: homeDirectory(process), uid, run };
}

/**
 * Returns the path by which the program was started, which often is a link that survives upgrades; the program's own if that
 * path does not lead to it. fnm's links live as long as one shell.
 */
export function startedAs(name: string, path: string, search = ''): string {
  if (process.platform === 'win32') return path;
  const folders = search
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/fnm_multishells/.test(folder));
  const names = name.includes('/') ? [resolve(name)] : folders.map((folder) => join(folder, name));
  return names.find((one) => existsSync(one) && realpathSync(one) === realpathSync(path)) ?? path;
}

/** Finds relay's script from the bundle and from source, whatever name the program was started by. */
function ownScript(folder: string): string {
  const script = join(folder, 'bin', 'relay.mjs');
  return existsSync(script) || dirname(folder) === folder ? script : ownScript(dirname(folder));
}

function run(command: string, args: readonly string[], timeout = 10_000): Promise<Ran> {
  const options = { env: childEnv(), windowsHide: true, timeout, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(command, [...args], options, (error, out, err) => {
      const why = error?.killed ? `${command} did not answer within ${timeout / 1_000} s` : error?.message;
      const missing = systemCodeOf(error) === 'ENOENT' ? `${command} was not found` : why;
      resolve({ ok: error === null, out, err: err.trim() || (missing ?? '') });
    });
  });
}
