/** Starts the server: the core, the MCP endpoint, the routes and the listener. Stops them in reverse order. */

import type { IncomingHttpHeaders } from 'node:http';
import { later } from '../base/abort.ts';
import { lazy } from '../base/memoised.ts';
import { inspectSettings, localBaseUrl, redirectUriFor, type Settings } from '../config/settings.ts';
import { type LocalApi, type ServerFile, STAY_HEADER, STAY_SECONDS } from '../domain/localApi.ts';
import { commandStyleOf } from '../domain/remedy.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import { removeServerFile, writeServerFile } from '../store/home/serverFile.ts';
import { forgetActivity } from '../store/tables/accountData.ts';
import type { Services } from '../tools/tool.ts';
import { COMMAND_LINE, createCredentials } from './access/credentials.ts';
import { createFormTokens } from './access/formToken.ts';
import { createOwner } from './access/owner.ts';
import { createWaitingClients } from './access/waitingClients.ts';
import { type Core, type HomeOptions, openCore } from './core.ts';
import type { ConnectionLimits } from './http/connections.ts';
import { type Listener, listen } from './http/listener.ts';
import { requirePort } from './http/ports.ts';
import { createLocalApi } from './localApi.ts';
import { createLastPlaying } from './owner/lastPlaying.ts';
import { NOT_FOUND_PAGE } from './pages/homePages.ts';
import { sendPage } from './pages/page.ts';
import { createPresence } from './presence.ts';
import { authorizeRoutes } from './routes/authorize.ts';
import { healthRoutes } from './routes/health.ts';
import { assetRoutes, homeRoutes } from './routes/home.ts';
import { localRoutes } from './routes/local.ts';
import { LOGIN_PATH, loginRoutes } from './routes/login.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { ownerRoutes } from './routes/owner.ts';
import { ownerPageRoutes } from './routes/ownerPage.ts';
import { wellKnownRoutes } from './routes/wellKnown.ts';
import { createServices } from './services.ts';

/** How long tool calls may go on when the server stops. After that, they are aborted. */
const DRAIN_MS = 5_000;
/** How long connections may stay open after that, so that aborted calls can answer. */
const STOP_MS = 3_000;

export interface StartOptions extends HomeOptions {
  /** The command that holds the home, as the errors of other commands name it; `relay serve` by default. */
  purpose?: 'relay serve' | 'relay stdio' | 'relay login';
  /** The environment, which says where MCP clients keep their files; empty by default. */
  env?: NodeJS.ProcessEnv;
  /** Returns the command line that starts relay, for clients that start programs; `relay` by default. */
  program?: () => Promise<readonly string[]>;
  /** Connection limits for tests that cannot wait for the usual ones. */
  limits?: Partial<ConnectionLimits>;
}

export interface RunningServer {
  baseUrl: string;
  mcpUrl: string;
  /** Base URL for programs on this machine, since `baseUrl` may be out of their reach. */
  localUrl: string;
  local: LocalApi;
  /** The owner code for the approval page. It must be shown on a terminal only. */
  ownerCode: string | null;
  /**
   * The API key if this is the demo, whose data is invented, so that the key may be shown. null for a real server, and if no keys
   * are accepted.
   */
  demoKey: string | null;
  /** True if an MCP client uses the server. A client that `relay stdio` serves from this process does not count. */
  isUsed(): boolean;
  close(): Promise<void>;
}

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

async function serve(core: Core, options: StartOptions): Promise<RunningServer> {
  const { settings, clock, random, log } = options;
  // The demo's account is new at each start, so nothing may mention the last account's playlists.
  if (settings.demo) forgetActivity(core.store);
  if (core.key.warning) log.warn({}, core.key.warning);
  core.oauth.clients.assertDistinct();
  const services = createServices(core);
  const { provider, jobs, keeps, library } = services;
  const presence = createPresence(clock);
  let loaded: McpEndpoint | null = null;
  const endpoint = lazy(async () => {
    loaded = await loadEndpoint(core, services, options);
    return loaded;
  });
  const credentials = createCredentials(core);
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
  const sideFor = (baseUrl: string, redirectUri: string) => ({
    ...{ facts: factsFor(baseUrl), credentials, owner, redirectUri, services, presence },
    ...{ pageLogin, waitingClients, lastPlaying, env, program },
  });

  // A message that `relay stdio` carries counts only if this header says that the client is there; a `relay call` does not count.
  const notice = (principal: string, headers: IncomingHttpHeaders) => {
    const id = headers[STAY_HEADER];
    if (principal !== COMMAND_LINE) presence.request();
    else if (typeof id === 'string') presence.stay(id, STAY_SECONDS);
  };

  const listener = await listen({
    host: settings.host,
    port: settings.port,
    publicBaseUrl: settings.publicBaseUrl,
    trustedProxies: settings.trustedProxy ?? [],
    ...(options.limits ? { limits: options.limits } : {}),
    demo: settings.demo,
    showMissing: (context) => sendPage(context, 404, NOT_FOUND_PAGE),
    routes(port) {
      const redirectUri = redirectUriFor(settings, port);
      const sideAt = (baseUrl: string) => sideFor(baseUrl, redirectUri);
      const forms = createFormTokens(core);
      return [
        ...homeRoutes(core),
        ...assetRoutes(),
        ...wellKnownRoutes(settings.dynamicRegistration),
        ...healthRoutes(core),
        ...loginRoutes(core, redirectUri, options.purpose !== 'relay login'),
        ...localRoutes((baseUrl) => createLocalApi(core, sideAt(baseUrl)), core.localKey, credentials),
        ...mcpRoutes(endpoint, credentials, notice, core.quietLog),
        ...authorizeRoutes(core, owner, forms, waitingClients),
        ...ownerRoutes(owner, forms),
        ...ownerPageRoutes(core, sideAt),
        ...oauthRoutes(core),
      ];
    },
    random,
    clock,
    log,
  });
  const ownUrl = localBaseUrl(settings.host, listener.port);
  const baseUrl = settings.publicBaseUrl ?? ownUrl;
  const file: ServerFile = { pid: process.pid, startedAt, version: options.version, baseUrl: ownUrl };
  try {
    await writeServerFile(settings.home, file);
  } catch (error) {
    await listener.close(0);
    throw error;
  }
  jobs.start();
  library.start();
  keeps.start();
  return {
    baseUrl,
    mcpUrl: `${baseUrl}/mcp`,
    localUrl: ownUrl,
    local: createLocalApi(core, sideFor(baseUrl, redirectUriFor(settings, listener.port))),
    ownerCode: owner.code,
    demoKey: settings.demo && credentials.acceptsKey ? core.apiKey.current() : null,
    isUsed: presence.isUsed,
    close: lazy(() => stop(core, () => loaded, listener, services)),
  };
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
    choice: settings,
    services,
    clock,
    log,
    version,
    commands: commandStyleOf(settings),
    loginUrl,
  });
}

async function stop(
  core: Core,
  endpoint: () => McpEndpoint | null,
  listener: Listener,
  { jobs, keeps }: Services,
): Promise<void> {
  const jobsStopped = Promise.all([jobs.stop(), keeps.stop()]);
  const timer = new AbortController();
  later(core.clock, DRAIN_MS, timer.signal, () => endpoint()?.stopCalls());
  await listener.close(DRAIN_MS + STOP_MS);
  timer.abort();
  await endpoint()?.close();
  await jobsStopped;
  await removeServerFile(core.settings.home);
  await core.close();
}

/**
 * Returns a function that reads the client ID: from the settings, or from `config.json`, which may have been given one since
 * the start. The function returns null if neither has a client ID.
 */
function clientIdReader(settings: Settings): () => string | null {
  return () => {
    if (settings.providerClientId !== null) return settings.providerClientId;
    // If flags or the environment set a client ID, the settings would have it, so only the file of this home is read.
    return inspectSettings({ env: {}, flags: { home: settings.home } }).settings.providerClientId;
  };
}
