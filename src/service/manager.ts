/** What the ways to start at login have in common: their interface and their errors. */
import { RelayError } from '../domain/errors.ts';

/** How a program that was run ended. It is never an exception, since a missing program is an answer too. */
export interface Ran {
  ok: boolean;
  out: string;
  /** What it wrote to stderr or, where it could not be run, why; without the line end. */
  err: string;
}

/** The computer, as far as a service needs it. */
export interface Machine {
  /** What starts this program: the executable alone, or Node and the script; absolute paths. */
  program: readonly string[];
  homeDir: string;
  /** null on Windows. */
  uid: number | null;
  /** Runs a program without a shell, for at most `timeoutMs` (10 s unless told); never rejects. */
  run(command: string, args: readonly string[], timeoutMs?: number): Promise<Ran>;
}

/** What a service is made from. */
export interface ServiceFacts {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  machine: Machine;
  /** What the service runs: program and arguments. */
  command: readonly string[];
  /** Milliseconds. */
  sleep(ms: number): Promise<void>;
}

/** What the system knows of the service. */
export interface Found {
  /** The file, or the registry value. */
  file: string;
  /** `other`: there is one of that name that this program did not write. */
  writtenBy: 'nobody' | 'relay' | 'other';
  /** What it runs, for a person; null where nothing of ours is installed. */
  command: string | null;
  /** What installing now would make it run, in the same form. */
  wanted: string;
  /** Whether installing now would write the same. */
  current: boolean;
  /** Whether it starts at login. */
  enabled: boolean;
  /** null where nobody can say. */
  running: boolean | null;
  /** Whether it ended by itself and did not come up again. */
  failed: boolean;
  pid: number | null;
  /** Why the system's manager of services did not answer; null where it did or where there is none. */
  silent: string | null;
}

/** How installing ended. `next login`: nothing was started. */
export type Start = 'now' | 'was running' | 'next login';

/** One way to start at login. All calls throw `SERVICE_FAILED` for what the system refuses. */
export interface ServiceManager {
  /** Where a person reads why it ended; null where there is no log. */
  logCommand: string | null;
  find(): Promise<Found>;
  /** Writes and enables it, and starts it if `start`. Doing it again mends what is missing. */
  install(start: boolean): Promise<{ changed: boolean; started: Start }>;
  /** Stops and removes it; false when there was none. */
  uninstall(): Promise<boolean>;
}

/** Nothing that somebody else wrote is replaced or removed. */
export function writtenByOther(file: string): RelayError {
  return new RelayError('SERVICE_FAILED', `${file} was not written by relay.`, {
    remedy: 'Nothing was changed. Move it away if it is not needed, then run this again.',
  });
}

/** The system's own words are kept, since only they say what to mend. */
export function refused(what: string, { err }: Ran, remedy: string): RelayError {
  return new RelayError('SERVICE_FAILED', `${what}: ${err.replace(/[\s.]+$/, '') || 'no reason given'}.`, {
    remedy,
  });
}
