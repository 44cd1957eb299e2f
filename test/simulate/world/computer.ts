/** The computer that relay runs on: starts the program over the disk, stops it, kills it, and starts it again. */
import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'sql.js';
import type { Clock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { lazy } from '../../../src/base/memoised.ts';
import { loadSettings } from '../../../src/config/settings.ts';
import type { Library, LibraryOptions } from '../../../src/library/library.ts';
import { createToolCalls, type ToolCalls } from '../../../src/mcp/runTool.ts';
import { type Core, openCore } from '../../../src/server/core.ts';
import { createServices } from '../../../src/server/services.ts';
import { loadSqlite } from '../../../src/store/sql/sqlite.ts';
import { ALL_TOOLS } from '../../../src/tools/index.ts';
import type { Services } from '../../../src/tools/tool.ts';
import { chanceFor, randomOf } from './chance.ts';
import type { MemoryDisk } from './disk.ts';
import { packAtOnce } from './guard.ts';
import type { Network } from './network.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

/** The answer to a call. */
export type Answer = Record<string, unknown> & {
  error?: { code: string; message: string; details?: Record<string, unknown>; retryAfterSeconds?: number };
};

interface Parts {
  time: VirtualTime;
  disk: MemoryDisk;
  network: Network;
  spotify: Spotify;
  seed: number;
  /** Creates the library of one process. By default there is no library, and no playlist is kept. */
  library?: (options: LibraryOptions, isAlive: () => boolean) => Library;
}

interface Process {
  isAlive: boolean;
  core: Core;
  services: Services;
  calls: ToolCalls;
  /** Called when the process dies. */
  mourners: Set<() => void>;
}

const TOOLS = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]));
/** The client ID of the Spotify app. */
const CLIENT_ID = 'relay-demo-client';
const REDIRECT = 'http://127.0.0.1:4980/auth/provider/callback';
/** How long a stopping server waits for calls to end by themselves, and then for stopped calls, as `src/server/start.ts` does. */
const DRAIN_MS = 5_000;
const STOP_MS = 3_000;

/** A directory that never exists. */
const HOME = join(tmpdir(), 'relay-simulated-home');

/** The settings of every history. They are read once, since reading them looks for files. */
const settingsOf = lazy(() =>
  loadSettings({
    env: {
      RELAY_HOME: HOME,
      RELAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      MCP_API_KEY: 'simulated-key-c41f9ad27e8b5036f1d2a97c0e64b853',
      PROVIDER_CLIENT_ID: CLIENT_ID,
      PROVIDER_API_URL: 'https://api/v1',
      PROVIDER_ACCOUNTS_URL: 'https://accounts',
    },
  }),
);

/** Stands in for the library in histories that do not use it. */
const NO_LIBRARY = {
  ...{ watcher: { wrote() {}, began: () => () => {} }, loggedIn() {}, start() {}, stop: async () => {} },
  ...{ accountLeft: async () => false, savedLike: async () => [] },
} as unknown as Library;

/** Databases that the program has opened and not closed. */
const open = new Set<Database>();

/** Loads what all histories share. */
export const prepareSimulation = lazy(async () => {
  packAtOnce();
  // Every request of a history listens to the same few signals.
  setMaxListeners(0);
  const SQL = await loadSqlite();
  const Plain = SQL.Database;
  let opened = 0;
  SQL.Database = class extends Plain {
    constructor(...given: ConstructorParameters<typeof Plain>) {
      super(...given);
      open.add(this);
    }
    /** Replaces the random name that sql.js gives: random numbers are the same in each history, so names would come twice. */
    set filename(_: string) {
      Object.defineProperty(this, 'filename', { value: `history-${++opened}` });
    }
    override close(): void {
      open.delete(this);
      super.close();
    }
  };
});

export class Computer {
  #parts: Parts;
  #process: Process | null = null;
  #starts = 0;
  #call = 0;
  #waiting = new Set<() => void>();
  #inFlight = new Set<Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isUp(): boolean {
    return this.#process !== null;
  }

  async start(): Promise<void> {
    const { time, disk, network, seed } = this.#parts;
    const alive = { isAlive: true };
    const isAlive = () => alive.isAlive;
    const clock = clockOf(time, isAlive);
    const core = await openCore({
      ...{
        settings: settingsOf(),
        clock,
        log: silentLog,
        version: '0.0.0-simulated',
        purpose: 'relay serve',
      },
      random: randomOf(chanceFor(seed, `start ${this.#starts++}`)),
      readClientId: () => CLIENT_ID,
      ground: {
        transport: network.forProcess(isAlive),
        disk: disk.forProcess(isAlive),
        library: (options) => this.#parts.library?.(options, isAlive) ?? NO_LIBRARY,
        hold: async () => ({ release: async () => {} }),
      },
    });
    const services = createServices(core, false);
    const calls = createToolCalls({ services, clock, log: silentLog, loginUrl: (baseUrl) => baseUrl });
    this.#process = Object.assign(alive, { core, services, calls, mourners: new Set<() => void>() });
    services.works.start();
    if (this.#parts.library) {
      core.library.start();
      services.keeps.start();
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when the program runs. */
  async up(): Promise<Process> {
    while (!this.#process) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    return this.#process;
  }

  /** Ends the program between two of its steps. Nothing that it was doing continues. */
  kill(): void {
    const process = this.#process;
    if (!process) return;
    this.#process = null;
    process.isAlive = false;
    for (const mourn of process.mourners) mourn();
  }

  /** Stops the program as SIGTERM does: calls get some seconds to end, then the state is saved and closed. */
  async stop(): Promise<void> {
    const process = this.#process;
    if (!process) return;
    this.#process = null;
    const { core, services, calls, mourners } = process;
    const stopped = Promise.all([services.works.stop(), services.keeps.stop()]);
    const timer = new AbortController();
    core.clock.sleep(DRAIN_MS, timer.signal).then(
      () => calls.stop(),
      () => {},
    );
    const quiet = core.clock.sleep(DRAIN_MS + STOP_MS, timer.signal).catch(() => {});
    await Promise.race([quiet, Promise.allSettled([...this.#inFlight])]);
    timer.abort('over');
    for (const mourn of mourners) mourn();
    await stopped;
    await core.close().catch(() => {});
    process.isAlive = false;
  }

  /**
   * Calls a tool as a client does. Returns null if the program dies or the client leaves.
   * @param leaves aborts when the client leaves
   */
  async call(name: string, args: Record<string, unknown>, leaves?: AbortSignal): Promise<Answer | null> {
    const { mourners, calls } = await this.up();
    const tool = TOOLS.get(name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    const died = new Promise<null>((resolve) => {
      const gone = () => {
        mourners.delete(gone);
        resolve(null);
      };
      mourners.add(gone);
      leaves?.addEventListener('abort', gone, { once: true });
    });
    const running = calls.run({
      ...{ tool, args, principal: 'api-key simulation', by: 'api-key', id: ++this.#call, baseUrl: '' },
      onGone: (listener) => leaves?.addEventListener('abort', listener, { once: true }),
      progressToken: undefined,
      notify() {},
    });
    const ended = running.then(({ structuredContent }) => structuredContent as Answer);
    this.#inFlight.add(ended);
    try {
      return await Promise.race([ended, died]);
    } finally {
      this.#inFlight.delete(ended);
    }
  }

  /** Connects the account as `relay login` does. Returns false if that fails, or if the program dies meanwhile. */
  async login(): Promise<boolean> {
    const { core, mourners } = await this.up();
    const died = new Promise<false>((resolve) => mourners.add(() => resolve(false)));
    const { providerUrl } = core.login.start({ switchAccount: false, redirectUri: REDIRECT });
    const { pathname: path, searchParams: query } = new URL(providerUrl);
    const request = { method: 'GET', path, isApi: false, query, headers: {}, text: '' };
    const page = this.#parts.spotify.rules.handle(request);
    const back = new URL(page.headers?.location ?? REDIRECT).searchParams;
    const answer = { state: back.get('state'), code: back.get('code'), error: back.get('error') };
    const done = core.login.complete(answer, null).then(
      () => true,
      () => false,
    );
    return Promise.race([done, died]);
  }

  async logout(): Promise<void> {
    const { core } = await this.up();
    await core.account.disconnect().catch(() => {});
  }

  /** Frees what the history held. */
  end(): void {
    this.kill();
    // A process that was killed has not closed its databases.
    for (const database of [...open]) database.close();
  }
}

/** The clock of one process. */
function clockOf(time: VirtualTime, isAlive: () => boolean): Clock {
  const born = time.awake();
  return {
    now: () => time.wall(),
    monotonic: () => time.awake() - born,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          cancel();
          reject(signal?.reason);
        };
        const wake = () => {
          if (!isAlive()) return;
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const cancel = time.after(ms, wake, 'computer');
        signal?.addEventListener('abort', stop, { once: true });
      }),
  };
}
