/**
 * What the commands work with: the streams, clock and environment of the process, and functions that load parts of the program.
 * A part is loaded only when a command needs it, so `relay --help` loads no part.
 */

import type { Readable } from 'node:stream';
import { interruptible } from '../base/abort.ts';
import type { Clock, Random } from '../base/clock.ts';
import type { LoadOptions, Settings } from '../config/settings.ts';
import type { SettingFlags } from '../config/sources.ts';
import { RelayError } from '../domain/errors.ts';
import type { LocalApi } from '../server/calls.ts';
import type { Machine } from '../service/service.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Connection, ServerChoice } from './findServer.ts';
import { cleanIo, type Io, note, type Streams } from './terminal/output.ts';

/** The parts of the program that own the state. Tests give their own. @internal */
export interface Parts {
  startServer: typeof import('../server/start.ts').startServer;
  openOffline: typeof import('../server/offline.ts').openOffline;
  createLog: typeof import('../server/log/log.ts').createLog;
  startDemo: typeof import('./serve/openServer.ts').startDemo;
}

export interface Pipe {
  input: Readable;
  terminal: boolean;
  /** Writes text unchanged. Resolves once the text is written, or if the client no longer reads. */
  write(text: string): Promise<void>;
  /** Resolves once everything is written, or if the client no longer reads. */
  flushed(): Promise<void>;
  /** Aborts once the client no longer reads. */
  closed: AbortSignal;
}

export interface World {
  io: Streams;
  /** For `relay stdio`: once called, stdout carries only messages. */
  pipe(): Pipe;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  clock: Clock;
  random: Random;
  version: string;
  /** The command that starts relay, as this person can type it; `relay` by default. */
  program?: string;
  /** Aborted with `INTERRUPTED` when the person or the system asks the program to stop. */
  signal: AbortSignal;
  /**
   * Opens `target` in a browser. Rejects if no browser can be started.
   * @param target the path of a file, or a URL. Other users of the machine can read it, so it must not hold a secret.
   */
  openBrowser(target: string): Promise<void>;
  parts: () => Promise<Parts>;
  /** Access to the system, for commands that change it. Calling this changes nothing. */
  machine: () => Promise<Machine>;
}

export interface GlobalOptions {
  home?: string;
  demo?: boolean;
  json?: boolean;
}

interface SettingsRequest {
  flags?: Omit<SettingFlags, 'home'>;
  demo?: boolean;
}

export interface Context extends World {
  readonly io: Io;
  readonly json: boolean;
  readonly home: string | undefined;
  exitCode: ExitCode;
  /**
   * True with `--demo`, or once the command uses the running demo without that option. Commands shown to people then contain
   * `--demo`.
   */
  readonly demo: boolean;
  /** From now on uses the running demo instead of the home's server. */
  useDemo(): void;
  /**
   * Prints on stderr what a person should know besides the result. A text that was already printed is not printed again.
   * With `--json` the text waits until the command has succeeded, so that an error is the only line on stderr.
   */
  remark(text: string): void;
  /** With `--json`, the remarks to print once the command has succeeded; otherwise empty. */
  readonly remarks: readonly string[];
  /** What loading the settings needs: flags and environment. Reads no file. */
  loadOptions(request?: SettingsRequest): LoadOptions;
  /** Reads `config.json` and the clients file. */
  settings(request?: SettingsRequest): Promise<Settings>;
  /**
   * The running server; null if there is none. If the home has no server and `ownHome` is not set, a running demo is used. This
   * call and all calls to the server reject with `INTERRUPTED` as soon as the person asks to stop.
   */
  running(options?: ServerChoice): Promise<Connection | null>;
  /** @throws RelayError `NO_SERVER` */
  server(): Promise<Connection>;
  /** Gives `work` the running server. If no server runs, opens the state while `work` runs. */
  withLocal<T>(work: (local: LocalApi) => Promise<T>, options?: ServerChoice): Promise<T>;
  offline<T>(work: (local: LocalApi) => Promise<T>): Promise<T>;
}

export function createContext(world: World, globals: () => GlobalOptions): Context {
  const said = new Set<string>();
  const remarks: string[] = [];
  let usesDemo = false;
  const context: Context = {
    ...world,
    io: cleanIo(world.io),
    get json() {
      return globals().json === true;
    },
    get home() {
      return globals().home;
    },
    remarks,
    exitCode: EXIT.done,
    remark: (text) => {
      if (said.has(text)) return;
      said.add(text);
      if (context.json) remarks.push(text);
      else note(context.io, text);
    },
    get demo() {
      return globals().demo === true || usesDemo;
    },
    useDemo() {
      usesDemo = true;
    },
    loadOptions: ({ flags, demo = globals().demo === true } = {}) => {
      const { home } = globals();
      const all = { ...(home === undefined ? {} : { home }), ...flags };
      return { env: world.env, flags: all, demo, terminal: world.io.terminal.stderr };
    },
    settings: async (request) => {
      const { loadSettings } = await import('../config/settings.ts');
      return loadSettings(context.loadOptions(request));
    },
    async running(options) {
      const { findServer } = await import('./findServer.ts');
      return interruptible(context.signal, findServer(context, options));
    },
    async server() {
      const running = await context.running();
      if (running) return running;
      throw new RelayError('NO_SERVER', 'No server is running.', {
        remedy: { text: 'Start one with {command}.', command: ['serve'] },
      });
    },
    async withLocal(work, options) {
      const running = await context.running(options);
      if (running) return work(running.local);
      try {
        return await context.offline(work);
      } catch (error) {
        // A server may have started in the meantime.
        const started =
          error instanceof RelayError && error.code === 'ALREADY_RUNNING' && (await context.running(options));
        if (!started) throw error;
        return work(started.local);
      }
    },
    async offline(work) {
      const { clock, random, version, signal } = context;
      // Once a command has used the demo, the state that it opens is the demo's too.
      const settings = quiet(await context.settings({ demo: context.demo }));
      const { createLog, openOffline } = await context.parts();
      const options = { settings, clock, random, log: createLog(settings), version };
      const offline = await interruptible(signal, openOffline(options));
      try {
        return await interruptible(signal, work(offline.local));
      } finally {
        await offline.close();
      }
    },
  };
  return context;
}

/** Returns the settings for a short command, which logs only warnings and errors unless the person set a level. */
export function quiet(settings: Settings): Settings {
  return settings.origins.logLevel === 'default' ? { ...settings, logLevel: 'warn' } : settings;
}
