/** Finds the running server of a home. If the home has none, commands that may use the demo get the demo's server. */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { inspectSettings, type LoadOptions, localBaseUrl, type Settings } from '../config/settings.ts';
import { RelayError } from '../domain/errors.ts';
import { ASKER_HEADER, COMMAND_LINE, type ServerFile } from '../domain/localApi.ts';
import { answers, type McpStream, openCalls, openMcp } from '../door/client.ts';
import type { LocalApi } from '../server/calls.ts';
import { LOOK_AGAIN_MS, lockPath, readHolder, SERVING } from '../store/home/lockFile.ts';
import { signalReaches } from '../store/home/processes.ts';
import { readServerFile } from '../store/home/serverFile.ts';

/** How long a server may take from the lock to its door, in milliseconds. */
const STARTED_WITHIN_MS = 5_000;

/** The part of `Context` that is needed here. `context.ts` imports this file, so this file does not import `context.ts`. */
interface Asking {
  clock: Clock;
  signal: AbortSignal;
  version: string;
  remark(text: string): void;
  useDemo(): void;
  loadOptions(): LoadOptions;
  settings(request?: { demo: boolean }): Promise<Settings>;
}

export interface Connection {
  local: LocalApi;
  /** Opens a stream of MCP messages, one a line, on which every tool can be called. */
  mcp(): Promise<McpStream>;
  baseUrl: string;
  demo: boolean;
}

export interface ServerChoice {
  /** True to find only the server of the home itself, so that a command never changes the demo by mistake. */
  ownHome?: boolean;
}

/** The server of a home; null if none listens, as after `kill -9`, which leaves `server.json` behind. */
export async function runningServer(home: string): Promise<ServerFile | null> {
  const file = await readServerFile(home);
  return file && (await answers(file)) ? file : null;
}

/** The pid of the process that holds the home to serve it, and that has yet to open its door or is about to end; null if none. */
export async function startingServer(home: string): Promise<number | null> {
  const holder = await readHolder(lockPath(home)).catch(() => null);
  return holder && SERVING.includes(holder.purpose) && signalReaches(holder.pid) ? holder.pid : null;
}

/** Does the same as `runningServer`, but waits up to five seconds for a server that starts. */
async function awaitedServer(home: string, clock: Clock): Promise<ServerFile | null> {
  const giveUpAt = clock.monotonic() + STARTED_WITHIN_MS;
  for (;;) {
    const found = await runningServer(home);
    if (found || (await startingServer(home)) === null || clock.monotonic() >= giveUpAt) return found;
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** Returns the running server with a client for it, or null. */
export async function findServer(
  context: Asking,
  { ownHome = false }: ServerChoice = {},
): Promise<Connection | null> {
  const settings = await context.settings();
  const own = await awaitedServer(settings.home, context.clock);
  if (own) return connectTo(context, settings, own);
  const demo = ownHome ? null : await runningDemo(settings);
  if (!demo) return null;
  context.remark('Using the running demo.');
  context.useDemo();
  return connectTo(context, await context.settings({ demo: true }), demo);
}

/** Says that the running server is of another version, and what to do. */
export function remarkOtherVersion(
  context: Pick<Asking, 'version' | 'remark'>,
  { version }: Pick<ServerFile, 'version'>,
): void {
  if (version === context.version) return;
  context.remark(
    `The running server is version ${version}, this is ${context.version}: end it with "relay stop" and start it again.`,
  );
}

/** Finds the running demo of the home in `settings`. Returns null if no demo runs, or if that home is the demo's own. */
export async function runningDemo({ home, demo }: Settings): Promise<ServerFile | null> {
  return demo ? null : runningServer(join(home, 'demo'));
}

/** Returns `error` or, if the demo uses the port, an error that says so and how to stop the demo. */
export async function namingDemo(settings: Settings, error: unknown): Promise<unknown> {
  if (!(error instanceof RelayError) || error.code !== 'PORT_TAKEN') return error;
  const demo = await runningDemo(settings);
  if (demo?.baseUrl !== localBaseUrl(settings.host, settings.port)) return error;
  return error.with({
    message: `The demo is already using ${new URL(demo.baseUrl).host}.`,
    remedy: {
      text: 'Stop the demo with {command}, or choose another port with --port.',
      command: ['stop', '--demo'],
    },
  });
}

/** Says that a demo is running, if the command uses another home in which no server runs. */
export async function noteOtherHome(context: Asking): Promise<void> {
  // The command may be the one that corrects the settings, so unusable settings are no error here.
  const { settings } = inspectSettings(context.loadOptions());
  if ((await runningServer(settings.home)) || !(await runningDemo(settings))) return;
  context.remark(`A demo is running, but this command uses ${settings.home}. Add --demo to use the demo.`);
}

function connectTo(context: Asking, settings: Settings, file: ServerFile): Connection {
  const { baseUrl } = file;
  remarkOtherVersion(context, file);
  return {
    local: openCalls<LocalApi>(file, context.signal),
    mcp: () => openMcp(file, { [ASKER_HEADER]: COMMAND_LINE }),
    baseUrl,
    demo: settings.demo,
  };
}
