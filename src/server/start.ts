/**
 * Starts the server: takes the home, listens, opens the door for programs of this user, and only then begins the work in the
 * background. It stops all of them at once: nothing new begins, what is under way has some seconds to end, and the home is freed last.
 */

import type { Duplex } from 'node:stream';
import { aborted, later } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { lazy } from '../base/memoised.ts';
import { inspectSettings, localBaseUrl, redirectUriFor, type Settings } from '../config/settings.ts';
import { RelayError } from '../domain/errors.ts';
import { statusesIn } from '../domain/job.ts';
import { ASKER_HEADER, COMMAND_LINE, callsOf, type DoorSession } from '../domain/localApi.ts';
import { commandStyleOf } from '../domain/remedy.ts';
import { type Door, type DoorOptions, openDoor } from '../door/server.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import { removeServerFile, writeServerFile } from '../store/home/serverFile.ts';
import { forgetActivity } from '../store/tables/account.ts';
import { countJobs, nextRunAfter } from '../store/tables/works.ts';
import type { Services } from '../tools/tool.ts';
import { createCredentials } from './access/credentials.ts';
import { createFormTokens } from './access/formToken.ts';
import { createOwner } from './access/owner.ts';
import { carryOut, type LocalApi, type ServerParts } from './calls.ts';
import { type Core, type HomeOptions, openCore } from './core.ts';
import type { ConnectionLimits } from './http/connections.ts';
import { type Listener, listen } from './http/listener.ts';
import { requirePort } from './http/ports.ts';
import { toHttp } from './http/toHttp.ts';
import { createLastPlaying } from './owner/pageState.ts';
import { ownerPageRoutes } from './owner/routes.ts';
import { sendPage } from './pages/page.ts';
import { NOT_FOUND_PAGE } from './pages/wholePages.ts';
import { authorizeRoutes, createWaitingClients } from './routes/authorize.ts';
import { LOGIN_PATH, loginRoutes } from './routes/login.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { assetRoutes, healthRoutes, homeRoutes, wellKnownRoutes } from './routes/open.ts';
import { ownerRoutes } from './routes/owner.ts';
import { createServices } from './services.ts';

/** How long tool calls may go on when the server stops. After that, they are aborted. */
const DRAIN_MS = 5_000;
/** How long connections may stay open after that, so that aborted calls can answer. */
const STOP_MS = 3_000;
/** How long a server that an AI client started stays after its last use. */
const UNUSED_MS = 10 * 60_000;
/** How often to look whether such a server is needed. */
const LOOK_AGAIN_MS = 10_000;

export interface StartOptions extends HomeOptions {
  /** The command that holds the home, as the errors of other commands name it; `relay serve` by default. */
  purpose?: 'relay serve' | 'relay stdio' | 'relay login';
  /** The environment, which says where MCP clients keep their files; empty by default. */
  env?: NodeJS.ProcessEnv;
  /** Returns the command line that starts relay, for clients that start programs; `relay` by default. */
  program?: () => Promise<readonly string[]>;
  /** Called once the routes answer, before anybody can find the server. */
  prepare?: ((local: LocalApi) => Promise<void>) | undefined;
  /** Connection limits for tests that cannot wait for the usual ones. */
  limits?: Partial<ConnectionLimits>;
}

export type RunningServer = Awaited<ReturnType<typeof serve>>;

/** Starts a server. @throws RelayError; whatever was opened before the failure is closed */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  // The port is checked first: starting over drops secrets, and that must not happen if the server cannot listen.
  if (options.startOver) await requirePort(options.settings.port, options.settings.host);
  const core = await openCore({
    ...options,
    purpose: options.purpose ?? 'relay serve',
    readClientId: clientIdReader(options.settings),
  });
  try {
    return await serve(core, options);
  } catch (error) {
    await core.close().catch(() => {});
    throw error;
  }
}

async function serve(core: Core, options: StartOptions) {
  const { settings, clock, random, log } = options;
  // The demo's account is new at each start, so nothing may mention the last account's playlists.
  if (settings.demo) forgetActivity(core.store);
  if (core.key.warning) log.warn({}, core.key.warning);
  core.oauth.clients.assertDistinct();
  const services = createServices(core, options.purpose === 'relay stdio');
  const { provider, works, keeps, library } = services;
  /** Aborts when the server should end; the process then calls `close`. */
  const shouldEnd = new AbortController();
  const lastUse = { at: clock.monotonic() };
  const used = () => {
    lastUse.at = clock.monotonic();
  };
  /** Whether an AI client has used MCP, not only a command of the owner. */
  let hadClient = false;
  const usedByClient = () => {
    hadClient = true;
    used();
  };
  /** Opened once the routes answer. */
  let door: Door | null = null;
  const stdioClients = () => door?.sessions() ?? [];
  /** The MCP endpoint, from the first client on. */
  let loaded: McpEndpoint | null = null;
  const endpoint = lazy(async () => {
    loaded = await loadEndpoint(core, services, options);
    return loaded;
  });
  const credentials = createCredentials(settings, core.apiKey, core.oauth);
  const owner = createOwner(core);
  const startedAt = new Date(clock.now()).toISOString();
  const factsFor = (baseUrl: string) => ({
    pid: process.pid,
    version: options.version,
    baseUrl,
    mcpUrl: `${baseUrl}/mcp`,
    startedAt,
  });
  const { env = {}, program = async () => ['relay'] } = options;
  const lastPlaying = createLastPlaying(provider, core);
  const pageLogin = { attemptId: null };
  const waitingClients = createWaitingClients(clock);
  const stop = () => {
    if (options.purpose === 'relay login') throw endsItself();
    shouldEnd.abort();
    return stdioClients().flatMap(({ client }) => client ?? []);
  };
  /** What the owner's calls use of this server. @param baseUrl as the caller reaches it */
  const partsAt = (baseUrl: string, redirectUri: string): ServerParts => ({
    ...{ facts: factsFor(baseUrl), credentials, owner, redirectUri, services, used, stop },
    ...{ pageLogin, waitingClients, lastPlaying, env, program, mcpUsed: () => hadClient },
  });

  const listener = await listen({
    host: settings.host,
    port: settings.port,
    publicBaseUrl: settings.publicBaseUrl,
    ...(options.limits ? { limits: options.limits } : {}),
    demo: settings.demo,
    showMissing: (context) => sendPage(context, 404, NOT_FOUND_PAGE),
    routes(port) {
      const redirectUri = redirectUriFor(settings, port);
      return [
        ...homeRoutes(core),
        ...assetRoutes(),
        ...wellKnownRoutes(settings.dynamicRegistration),
        ...healthRoutes(core),
        ...loginRoutes(core, redirectUri, options.purpose !== 'relay login'),
        ...mcpRoutes(endpoint, credentials, usedByClient, core.quietLog),
        ...authorizeRoutes(core, owner, createFormTokens(core), waitingClients),
        ...ownerRoutes(owner),
        ...ownerPageRoutes(core, (baseUrl) => partsAt(baseUrl, redirectUri)),
        ...oauthRoutes(core),
      ];
    },
    random,
    clock,
    log,
  });
  const ownUrl = localBaseUrl(settings.host, listener.port);
  const baseUrl = settings.publicBaseUrl ?? ownUrl;
  const parts = partsAt(baseUrl, redirectUriFor(settings, listener.port));
  const call = (name: string, given: unknown) => carryOut(name, given, core, parts);
  const local = callsOf<LocalApi>(call);
  const close = lazy(async () => {
    shouldEnd.abort();
    await stopAll(core, () => loaded, [listener, ...(door ? [door] : [])], services);
  });
  try {
    await options.prepare?.(local);
    door = await openDoor({
      ...{ home: settings.home, clock, random },
      call: answering(call, log),
      serve: (stream, lines, headers) => {
        hadClient ||= headers[ASKER_HEADER] !== COMMAND_LINE;
        return sessionOn(stream, endpoint, (mcp) => mcp.serve(stream, lines, headers, ownUrl));
      },
    });
    works.start();
    library.start();
    keeps.start();
    const file = { pid: process.pid, startedAt, version: options.version, baseUrl: ownUrl };
    // Last, since whoever reads the file expects a server that answers.
    await writeServerFile(settings.home, { ...file, ...door.address });
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  if (options.purpose === 'relay stdio') {
    // An AI client started this server, so no person would stop it.
    const isNeeded = () => stdioClients().length > 0 || hasWork(core);
    void untilUnused(clock, lastUse, isNeeded, shouldEnd.signal).then(() => shouldEnd.abort());
  }
  return {
    baseUrl,
    mcpUrl: `${baseUrl}/mcp`,
    /** Base URL for programs on this machine, since `baseUrl` may be out of their reach. */
    localUrl: ownUrl,
    local,
    /** The owner code for the approval page. It must be shown on a terminal only. */
    ownerCode: owner.code,
    /** The API key if this is the demo, whose data is invented, so that it may be shown. null also if no keys are accepted. */
    demoKey: settings.demo && credentials.acceptsKey ? core.apiKey.current() : null,
    /** Resolves when the server should end: somebody asked for it, or an AI client started it and nobody has used it for a while. */
    over: aborted(shouldEnd.signal),
    close,
  };
}

/** Resolves when the last use is ten minutes ago and nobody needs the server; also when `signal` aborts. */
async function untilUnused(
  clock: Clock,
  lastUse: { at: number },
  isNeeded: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (isNeeded()) lastUse.at = clock.monotonic();
    const left = lastUse.at + UNUSED_MS - clock.monotonic();
    if (left <= 0) return;
    await clock.sleep(Math.min(left, LOOK_AGAIN_MS), signal).catch(() => {});
  }
}

/** True while a job works, or waits for a time. A job that waits for a person, or for a login, has nobody to wait for here. */
function hasWork({ store }: Core): boolean {
  const byStatus = countJobs(store);
  return statusesIn('working').some((status) => (byStatus[status] ?? 0) > 0) || nextRunAfter(store) !== null;
}

function sessionOn(
  stream: Duplex,
  endpoint: () => Promise<McpEndpoint>,
  open: (mcp: McpEndpoint) => DoorSession,
): DoorSession {
  let session: DoorSession | null = null;
  endpoint()
    .then((mcp) => {
      session = open(mcp);
    })
    .catch((error: Error) => stream.destroy(error));
  return {
    get client() {
      return session?.client ?? null;
    },
    get isBusy() {
      return session?.isBusy ?? !stream.destroyed;
    },
  };
}

/** Carries out the owner's calls at the door, and tells errors as values. */
function answering(call: (name: string, given: unknown) => Promise<unknown>, log: Log): DoorOptions['call'] {
  return async (name, given) => {
    try {
      return { result: (await call(name, given)) ?? {} };
    } catch (thrown) {
      const { error } = toHttp(thrown, '');
      if (error.code === 'INTERNAL')
        log.error({ err: thrown, call: name }, 'a call of the command line failed');
      return { error };
    }
  };
}

function endsItself(): RelayError {
  return new RelayError('CONFLICT', 'This server runs for `relay login` alone, and ends with it.', {
    remedy: 'End that command with Ctrl-C where it runs.',
  });
}

/** Loading the SDK and the schemas of the tools would take half of the time to start and a third of the memory. */
async function loadEndpoint(core: Core, services: Services, options: StartOptions): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import('../mcp/endpoint.ts');
  const { settings, clock, log, version } = options;
  // Without a client ID, the link leads to the owner's page, which explains what is missing. With a public address, the link
  // leads there too: a login then needs proof that the browser is the owner's, and that page has the proof.
  const loginUrl = (baseUrl: string) =>
    settings.publicBaseUrl === null && core.clientId() !== null ? `${baseUrl}${LOGIN_PATH}` : `${baseUrl}/`;
  return createMcpEndpoint({
    access: settings.access,
    services,
    clock,
    log,
    version,
    commands: commandStyleOf(settings),
    loginUrl,
  });
}

/**
 * Ends what works in the background while the requests under way end, then saves the state and frees the home.
 * @param endpoint the MCP endpoint; null if no client has used it
 * @param entrances what takes requests: from now on none
 */
async function stopAll(
  core: Core,
  endpoint: () => McpEndpoint | null,
  entrances: ReadonlyArray<Pick<Listener, 'close'>>,
  { works, keeps }: Services,
): Promise<void> {
  const worksStopped = Promise.all([works.stop(), keeps.stop()]);
  const timer = new AbortController();
  later(core.clock, DRAIN_MS, timer.signal, () => endpoint()?.stopCalls());
  await Promise.all(entrances.map((entrance) => entrance.close(DRAIN_MS + STOP_MS)));
  timer.abort();
  await endpoint()?.close();
  await worksStopped;
  await removeServerFile(core.settings.home);
  await core.close();
}

/** From the settings, or from `config.json`, which may have been given one since the start. */
function clientIdReader(settings: Settings): () => string | null {
  return () => {
    if (settings.providerClientId !== null) return settings.providerClientId;
    // If flags or the environment set a client ID, the settings would have it, so only the file of this home is read.
    return inspectSettings({ env: {}, flags: { home: settings.home } }).settings.providerClientId;
  };
}
