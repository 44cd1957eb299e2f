/** The real program as a process that may die at any moment, and is started again by whoever needs it next. */
import type { Client } from '@modelcontextprotocol/client';
import type { Desk, Running } from '../../support/program.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import { API_KEY, connectAccount, ENCRYPTION_KEY, mcpClient } from '../../support/world.ts';

export interface Victim {
  /** SIGKILL, at once. */
  kill(): void;
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>;
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

/** Starts the program and connects the account through the real login. */
export async function startVictim(desk: Desk): Promise<Victim> {
  let process_: Running | null = null;
  let client: Client | null = null;
  let isAlive = false;

  async function revive(): Promise<string> {
    await client?.close().catch(() => {});
    client = null;
    const { server, ready } = await desk.serve();
    process_ = server;
    isAlive = true;
    void server.ended.then(() => {
      if (process_ === server) isAlive = false;
    });
    return ready.baseUrl;
  }

  async function connect(baseUrl: string): Promise<void> {
    client = await mcpClient(`${baseUrl}/mcp`);
  }

  let baseUrl = await revive();
  await connectAccount(baseUrl);
  await connect(baseUrl);

  return {
    kill() {
      isAlive = false;
      void process_?.stop('SIGKILL');
    },
    async stop() {
      const stopping = process_?.stop('SIGTERM');
      isAlive = false;
      await stopping;
    },
    get isAlive() {
      return isAlive;
    },
    async revive() {
      if (isAlive) return;
      await process_?.ended;
      baseUrl = await revive();
    },
    async call(tool, args) {
      const mine = process_;
      try {
        if (!client) await connect(baseUrl);
        const result = await client?.callTool({ name: tool, arguments: args });
        return (result?.structuredContent as Record<string, unknown> | undefined) ?? null;
      } catch (error) {
        if (isAlive && process_ === mine) throw error;
        return null;
      }
    },
  };
}
