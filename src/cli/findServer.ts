/** Finds the running server of a home. If the home has none, commands that may use the demo get the demo's server. */
import { join } from 'node:path';
import type { Clock, Random } from '../base/clock.ts';
import { inspectSettings, type LoadOptions, localBaseUrl, type Settings } from '../config/settings.ts';
import { RelayError } from '../domain/errors.ts';
import type { LocalApi, ServerFile } from '../domain/localApi.ts';
import { carryMessage } from '../local/carryMessage.ts';
import type { OpenOptions } from '../local/connection.ts';
import { createLocalClient, greet } from '../local/localClient.ts';
import { awaitServerFile, readServerFile } from '../store/home/serverFile.ts';
import { serverKey } from './serverKey.ts';

/** The part of `Context` that is needed here. `context.ts` imports this file, so this file does not import `context.ts`. */
interface Asking {
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  version: string;
  remark(text: string): void;
  useDemo(): void;
  loadOptions(): LoadOptions;
  settings(request?: { demo: boolean }): Promise<Settings>;
}

export interface Connection {
  local: LocalApi;
  /** Sends one message to the MCP endpoint and passes each answer to `take` as JSON. Returns the HTTP status. */
  carry(text: string, options: OpenOptions, take: (json: string) => Promise<void>): Promise<number>;
  baseUrl: string;
  demo: boolean;
}

export interface ServerChoice {
  /** True to find only the server of the home itself, so that a command never changes the demo by mistake. */
  ownHome?: boolean;
}

/**
 * Returns the running server with a client for it, or null. A `server.json` that a killed server left behind is ignored. Another
 * program at the server's address learns nothing: a server must first prove that it belongs to this home
 * (`local/localClient.ts`).
 */
export async function findServer(
  context: Asking,
  { ownHome = false }: ServerChoice = {},
): Promise<Connection | null> {
  const settings = await context.settings();
  const own = await awaitServerFile(settings.home, context.clock);
  if (own) return connectTo(context, settings, own);
  const demo = ownHome ? null : await runningDemo(settings);
  if (!demo) return null;
  context.remark('Using the running demo.');
  context.useDemo();
  return connectTo(context, await context.settings({ demo: true }), demo);
}

/** Finds the running demo of the home in `settings`. Returns null if no demo runs, or if that home is the demo's own. */
export async function runningDemo({ home, demo }: Settings): Promise<ServerFile | null> {
  return demo ? null : readServerFile(join(home, 'demo'));
}

/** Returns `error` or, if the demo uses the port, an error that says so and how to stop the demo. */
export async function namingDemo(settings: Settings, error: unknown): Promise<unknown> {
  if (!(error instanceof RelayError) || error.code !== 'PORT_TAKEN') return error;
  const demo = await runningDemo(settings);
  if (demo?.baseUrl !== localBaseUrl(settings.host, settings.port)) return error;
  return error.with({
    message: `The demo is already using ${new URL(demo.baseUrl).host}.`,
    remedy: `Stop the demo with Ctrl-C where it runs, or end its process (pid ${demo.pid}). Or choose another port with --port.`,
  });
}

/** Says that a demo is running, if the command uses another home in which no server runs. */
export async function noteOtherHome(context: Asking): Promise<void> {
  // The command may be the one that corrects the settings, so unusable settings are no error here.
  const { settings } = inspectSettings(context.loadOptions());
  if ((await readServerFile(settings.home)) || !(await runningDemo(settings))) return;
  context.remark(`A demo is running, but this command uses ${settings.home}. Add --demo to use the demo.`);
}

async function connectTo(context: Asking, settings: Settings, file: ServerFile): Promise<Connection> {
  const { clock, random, signal } = context;
  const { baseUrl, version, pid } = file;
  const localKey = await serverKey(settings, baseUrl, clock).catch((error: unknown) => {
    // The exit code of `KEY_UNAVAILABLE` says that a login is needed. Here no login helps, since the server cannot be reached.
    const isKey = error instanceof RelayError && error.code === 'KEY_UNAVAILABLE';
    throw isKey ? error.with({ code: 'NO_SERVER' }) : error;
  });
  if (version !== context.version) {
    context.remark(
      `The running server is version ${version}, this is ${context.version}: restart the server.`,
    );
  }
  const local = createLocalClient({ baseUrl, key: localKey, pid, signal, random });
  const carry: Connection['carry'] = (text, { headers, signal }, take) =>
    carryMessage(text, greet(baseUrl, { pid, signal, random }), { key: localKey, headers, signal }, take);
  return { local, carry, baseUrl, demo: settings.demo };
}
