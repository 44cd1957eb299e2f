/** What all ways to start at login share: the interface and its errors. */
import { RelayError } from '../domain/errors.ts';

const DEFAULT_HOME = 'the default one';

/** The result of running a program. Never an exception: a missing program is a result too. */
export interface Ran {
  ok: boolean;
  out: string;
  /** The program's stderr, or the reason why it could not be run; without the trailing newline. */
  err: string;
}

/** What a service manager needs from the machine. */
export interface Machine {
  /** The command line of this program: the executable, or Node and the script. Absolute paths. */
  program: readonly string[];
  homeDir: string;
  /** Number of the user; null on Windows, which has no such number. */
  uid: number | null;
  /** Runs a program without a shell, for at most `timeoutMs` (default 10 s). Never rejects. */
  run(command: string, args: readonly string[], timeoutMs?: number): Promise<Ran>;
}

/** What a service manager is made from. */
export interface ServiceFacts {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  machine: Machine;
  /** The program that the service runs, with its arguments. */
  command: readonly string[];
  sleep(ms: number): Promise<void>;
}

/** What the system knows about the service. */
export interface ServiceStatus {
  /** The file, or the registry value. */
  file: string;
  /** `other`: a service of that name exists, but relay did not write it. */
  writtenBy: 'nobody' | 'relay' | 'other';
  /** The installed command, as text for people; null if relay has not installed one. */
  command: string | null;
  /** The command that installing now would write, in the same form. */
  wanted: string;
  /** True if installing now would change nothing in the file. */
  current: boolean;
  /** True if the service that relay wrote starts at login. */
  enabled: boolean;
  /** True if the service runs; null if that is not known. */
  running: boolean | null;
  /** True if the service exited with an error and is not running now. */
  failed: boolean;
  /** The process of the service; null if the service does not run, or if the process is not known. */
  pid: number | null;
  /** Why the system's service manager did not answer; null if it did, and on Windows, which has none. */
  silent: string | null;
}

/** How installing ended. `next login`: nothing was started. */
export type Start = 'now' | 'was running' | 'next login';

/**
 * One way to start relay at login. Calls throw `SERVICE_FAILED` if they cannot do their work. On Linux and macOS, `find` reports a
 * service manager that does not answer in `silent`.
 */
export interface ServiceManager {
  /** The command that shows why the server exited; null if there is no log. */
  logCommand: string | null;
  find(): Promise<ServiceStatus>;
  /** Writes and enables the service, and starts it if `start` is true (never on Windows). Repeating this repairs what is missing. */
  install(start: boolean): Promise<{ changed: boolean; started: Start }>;
  /** Removes the service, and stops it (except on Windows). Returns false if there was none. */
  uninstall(): Promise<boolean>;
}

/** @param text the installed file or value; null if there is none */
export function writerOf(text: string | null, isOurs: boolean): ServiceStatus['writtenBy'] {
  if (text === null) return 'nobody';
  return isOurs ? 'relay' : 'other';
}

/** Makes the error for a file that relay did not write, and therefore never replaces or removes. */
function writtenByOther(file: string): RelayError {
  return new RelayError('SERVICE_FAILED', `${file} was not written by relay.`, {
    remedy: 'Nothing was changed. If you do not need it, rename or remove it, then run this again.',
  });
}

/** Returns the home that a service's command serves, as the command has it. */
export function homeIn(command: string): string {
  return / --home (.+) serve$/.exec(command)?.[1] ?? DEFAULT_HOME;
}

/** Returns the home that the installed service serves, as text for people; null if it is the home of this process. */
export function otherHome({ command, wanted }: Pick<ServiceStatus, 'command' | 'wanted'>): string | null {
  return command === null || homeIn(command) === homeIn(wanted) ? null : homeIn(command);
}

/** Says how to remove the service of another home. */
export function removalAdvice(home: string): string {
  return `To remove it: relay ${home === DEFAULT_HOME ? '' : `--home ${home} `}service uninstall`;
}

/** Makes the error for a service of another home, which is never replaced or removed: a server of that home may run in it. */
function ofOtherHome(file: string, home: string): RelayError {
  return new RelayError('SERVICE_FAILED', `${file} starts relay for another home: ${home}.`, {
    remedy: `Nothing was changed. There can be only one service. ${removalAdvice(home)}`,
  });
}

/** Throws if the service is not one of relay's, or serves another home. */
export function requireOwn(found: ServiceStatus): void {
  const { file, writtenBy } = found;
  if (writtenBy === 'other') throw writtenByOther(file);
  const home = otherHome(found);
  if (home !== null) throw ofOtherHome(file, home);
}

/** Throws if a program failed, with the system's own message, since only that message says what to fix. */
export function requireOk({ ok, err }: Ran, what: string, remedy: string): void {
  if (ok) return;
  const reason = err.replace(/[\s.]+$/, '') || 'no reason given';
  throw new RelayError('SERVICE_FAILED', `${what}: ${reason}.`, { remedy });
}
