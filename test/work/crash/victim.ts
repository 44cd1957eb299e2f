/** The real program as a process that may die at any moment. Whoever needs the program next starts it again. */
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import type { Desk, Running } from '../../support/program.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import { API_KEY, connectAccount, ENCRYPTION_KEY, fullDetail } from '../../support/world.ts';
import { extrasClient } from '../extras.ts';

/** The running program, and how to kill, start and call it. */
export interface Victim {
  /** SIGKILL, at once. */
  kill(): void;
  readonly isAlive: boolean;
  /** Starts it if it is dead. */
  revive(): Promise<void>;
  /** Calls a tool; null when the program died meanwhile. */
  call(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown> | null>;
}

export function victimEnvironment(provider: Simulator): Record<string, string> {
  return {
    RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    MCP_API_KEY: API_KEY,
    PROVIDER_CLIENT_ID: provider.clientId,
    PROVIDER_API_URL: provider.apiUrl,
    PROVIDER_ACCOUNTS_URL: provider.accountsUrl,
    LOG_LEVEL: 'error',
  };
}

/** How often to try a login. On a fast clock and a busy machine, a login may run out of the few seconds that it has. */
const LOGINS = 5;

async function login(baseUrl: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connectAccount(baseUrl);
    } catch (error) {
      if (attempt === LOGINS) throw error;
    }
  }
}

/** Starts the program and connects the account through the real login. */
export async function startVictim(desk: Desk, env: Record<string, string> = {}): Promise<Victim> {
  let running: Running | null = null;
  let client: Promise<Client> | null = null;
  let isAlive = false;
  let starting: Promise<void> | null = null;
  let baseUrl = '';

  async function start(): Promise<void> {
    await running?.ended;
    await client?.then((one) => one.close()).catch(() => {});
    const { server, ready } = await desk.serve([], env);
    running = server;
    client = null;
    baseUrl = ready.baseUrl;
    isAlive = true;
    void server.ended.then(() => {
      if (running === server) isAlive = false;
    });
  }

  function revive(): Promise<void> {
    if (isAlive) return Promise.resolve();
    starting ??= start().finally(() => {
      starting = null;
    });
    return starting;
  }

  async function ask(name: string, args: Record<string, unknown>) {
    if (!isAlive) return null;
    const mine = running;
    try {
      client ??= extrasClient(`${baseUrl}/mcp`);
      return await (await client).callTool({ name, arguments: { ...fullDetail(name), ...args } });
    } catch (error) {
      // This process notices the cut connection before it hears that the program died.
      await Promise.race([mine?.ended, setTimeout(1_000)]);
      if (isAlive && running === mine) throw error;
      return null;
    }
  }

  await revive();
  await login(baseUrl);

  return {
    kill() {
      isAlive = false;
      void running?.stop('SIGKILL');
    },
    get isAlive() {
      return isAlive;
    },
    revive,
    async call(name, args) {
      const answer = await ask(name, args);
      if (answer === null) return null;
      const { structuredContent, isError, content } = answer;
      if (structuredContent === undefined)
        throw new Error(`${name} ${isError ? 'failed' : 'answered'}: ${JSON.stringify(content)}`);
      return structuredContent as Record<string, unknown>;
    },
  };
}
