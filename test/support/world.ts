/**
 * A whole relay in the test's process: the simulated provider, the server on a free port with its own home, a connected
 * account, and real MCP clients over HTTP.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Clock, type Random, systemClock, systemRandom } from '../../src/base/clock.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { openCalls } from '../../src/door/client.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import type { ConnectionLimits } from '../../src/server/http/connections.ts';
import { type RunningServer, type StartOptions, startServer } from '../../src/server/start.ts';
import { readServerFile } from '../../src/store/home/serverFile.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { createBrowser } from './browser.ts';
import { type Simulator, type SimulatorOptions, settingsFor, startSimulator } from './simulator/simulator.ts';
import { storeLogin } from './storedLogin.ts';

export const API_KEY = 'test-key-c41f9ad27e8b5036f1d2a97c0e64b853';
/** Base64 of 32 bytes, so that no test needs a key file. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
export interface RelayOptions {
  clock?: Clock;
  random?: Random;
  log?: Log;
  env?: Record<string, string>;
  /** Environment that names the directories of MCP clients. */
  clientEnv?: Record<string, string>;
  provider?: SimulatorOptions;
  /**
   * False to connect no account; `login` to connect it with a real login. By default the account is connected before the server
   * starts.
   */
  connect?: boolean | 'login';
  /** False to connect no MCP client. */
  client?: boolean;
  /** True for a server that is the demo's. No account can be connected before it starts. */
  demo?: boolean;
  /** Called while the server starts, before anybody can find it. */
  prepare?: (local: LocalApi, home: string) => Promise<void>;
  /** The command that the server runs for; `relay serve` by default. */
  purpose?: NonNullable<StartOptions['purpose']>;
  /** Limits for the server's connections; those that are left out are the usual ones. */
  limits?: Partial<ConnectionLimits>;
}

export interface Relay {
  provider: Simulator;
  server: RunningServer;
  home: string;
  baseUrl: string;
  /** The owner's calls, as commands make them. */
  door: LocalApi;
  /** Environment with which the command line uses the home. */
  env: { RELAY_HOME: string; RELAY_ENCRYPTION_KEY: string };
  /** A client of the 2026 era. */
  client: Client;
  /** Calls a tool for its full answer unless told otherwise; a failed tool returns `{error}`. */
  call(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Stops the server, starts it again over the same home, and connects a new client. */
  restart(): Promise<void>;
}

/** The owner's calls at the door of the running server of a home. */
export async function doorOf(home: string): Promise<LocalApi> {
  const file = await readServerFile(home);
  if (!file) throw new Error(`no server runs in ${home}`);
  return openCalls<LocalApi>(file);
}

/** The argument that asks a tool for its full answer, if it has one. */
export function fullDetail(tool: string): { detail?: 'full' } {
  return ALL_TOOLS.find(({ name }) => name === tool)?.lean ? { detail: 'full' } : {};
}

/** Calls tools as this client, for their full answers unless told otherwise. */
export function callsOf(client: Client): Relay['call'] {
  return async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: { ...fullDetail(tool), ...args } });
    return result.structuredContent as Record<string, unknown>;
  };
}

export async function withRelay(options: RelayOptions, work: (relay: Relay) => Promise<void>): Promise<void>;
export async function withRelay(work: (relay: Relay) => Promise<void>): Promise<void>;
export async function withRelay(
  first: RelayOptions | ((relay: Relay) => Promise<void>),
  second?: (relay: Relay) => Promise<void>,
): Promise<void> {
  const options = typeof first === 'function' ? {} : first;
  const work = typeof first === 'function' ? first : second;
  const home = await mkdtemp(join(tmpdir(), 'relay-test-'));
  const { clock = systemClock, random = systemRandom } = options;
  const provider = await startSimulator({ clock, random, ...options.provider });
  const env = { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY };
  const relay = { provider, home, env } as Relay;
  const open = async () => {
    relay.server = await startRelay(home, provider, options);
    relay.baseUrl = relay.server.baseUrl;
    relay.door = await doorOf(options.demo ? join(home, 'demo') : home);
  };
  const connectClient = async () => {
    if (options.client === false) return;
    relay.client = await mcpClient(relay.server.mcpUrl);
  };
  relay.call = (tool, args) => callsOf(relay.client)(tool, args);
  relay.restart = async () => {
    await relay.client?.close();
    await relay.server.close();
    await open();
    await connectClient();
  };
  try {
    if (options.connect === undefined || options.connect === true)
      await storeLogin({ home, key: Buffer.from(ENCRYPTION_KEY, 'base64'), provider, clock, random });
    await open();
    if (options.connect === 'login') await connectAccount(relay.baseUrl);
    provider.clearRequests();
    await connectClient();
    await work?.(relay);
  } finally {
    await relay.client?.close().catch(() => {});
    await relay.server?.close();
    await provider.close();
    await rm(home, { recursive: true, force: true });
  }
}

function startRelay(home: string, provider: Simulator, options: RelayOptions): Promise<RunningServer> {
  const { clock = systemClock, random = systemRandom, log = silentLog } = options;
  const settings = loadSettings({
    demo: options.demo ?? false,
    env: {
      RELAY_HOME: home,
      RELAY_PORT: '0',
      RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      MCP_API_KEY: API_KEY,
      // So that tests may call every tool.
      RELAY_ACCESS: 'everything',
      ...settingsFor(provider),
      ...options.env,
    },
  });
  // The version of the tests' command line, which would remark on a different one.
  const version = '1.2.3';
  return startServer({
    settings,
    clock,
    random,
    log,
    version,
    env: options.clientEnv,
    ...(options.purpose ? { purpose: options.purpose } : {}),
    prepare: (local) => options.prepare?.(local, home) ?? Promise.resolve(),
    ...(options.limits ? { limits: options.limits } : {}),
  });
}

/** Goes through the login as a browser does. */
export async function connectAccount(baseUrl: string): Promise<void> {
  const page = await createBrowser().open(`${baseUrl}/auth/provider/login`);
  if (page.status !== 200) throw new Error(`the login ended with ${page.status}`);
}

export async function mcpClient(
  url: string,
  credential = API_KEY,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${credential}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}
