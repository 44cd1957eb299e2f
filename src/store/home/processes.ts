/**
 * Checks if the process that wrote a file still runs. Another process may get the same pid later, so the start of the process is
 * compared too, where the system tells it without a slow program: on Linux and macOS.
 */
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { childEnv } from '../../base/childProcess.ts';
import { systemCodeOf } from '../../domain/errors.ts';

/** Stands for a start that the system does not tell. Then only the pid is compared. */
export const UNKNOWN_START = 'unknown';

/** Distinguishes this process from any other with the same pid, by its start. */
export async function ownStart(): Promise<string> {
  return (await startOf(process.pid)) ?? UNKNOWN_START;
}

/** True while the process `pid` that began at `start` runs or is stopped. A zombie counts as ended. */
export async function isRunning(pid: number, start: string): Promise<boolean> {
  if (!signalReaches(pid)) return false;
  if (start === UNKNOWN_START) return true;
  const found = await startOf(pid);
  // Refusing to start does less harm than two owners that overwrite each other's state.
  return found === undefined || found === start;
}

export function isPid(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** False if there is no such process at all. */
export function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** Finds out when a process started; null if it has ended, undefined if the system does not tell. */
async function startOf(pid: number): Promise<string | null | undefined> {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? linuxStart(pid) : psStart(pid);
}

/** Reads the ticks from boot to the start of the process (proc(5), field 22), with the ID of that boot; null if it has ended. */
function linuxStart(pid: number): string | null {
  const stat = kernelText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The command's name before the last parenthesis may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isGone = fields[0] === 'Z' || fields[0] === 'X';
  const boot = kernelText('/proc/sys/kernel/random/boot_id') ?? '';
  return isGone ? null : `${boot.trim()}/${fields[19]}`;
}

/** Reads a small file of the kernel; null if there is none. */
function kernelText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** Asks `ps`, which ends with 1 for an unknown process; undefined if it cannot be run, as in a sandbox. */
async function psStart(pid: number): Promise<string | null | undefined> {
  // Loaded here, since it is not needed on Linux.
  const { execFile } = await import('node:child_process');
  const env = childEnv({ LC_ALL: 'C', TZ: 'UTC' });
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  return promisify(execFile)('ps', args, { env }).then(
    ({ stdout }) => startFromPs(stdout),
    (error: { code?: unknown }) => (error.code === 1 ? null : undefined),
  );
}

/** Reads the start of a process from the answer of `ps`; null if the process is a zombie, undefined for another answer. @internal */
export function startFromPs(answer: string): string | null | undefined {
  const [, state, start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(answer) ?? [];
  return start !== undefined && state?.startsWith('Z') ? null : start;
}
