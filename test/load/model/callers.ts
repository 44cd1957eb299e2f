/** Real MCP clients of both eras of the protocol, with one interface to call tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as OlderTransportShape } from '@modelcontextprotocol/sdk/shared/transport.js';
import { API_KEY, fullDetail } from '../../support/world.ts';

export type Answer = Record<string, unknown>;

export interface Caller {
  /**
   * Calls a tool for its full answer; a failed tool returns `{error}`.
   * @throws what the client throws, if `signal` aborts or the protocol fails
   */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Answer>;
  /** True if the program notices that the client gives up a call. Clients of the older era leave the call running. */
  readonly canLeave: boolean;
  close(): Promise<void>;
}

export const ERAS = ['2026-07-28', '2025-11-25'] as const;

export async function connectCaller(url: string, era: (typeof ERAS)[number]): Promise<Caller> {
  const requestInit = { headers: { authorization: `Bearer ${API_KEY}` } };
  const name = { name: 'load', version: '1.0.0' };
  const given = (tool: string, args: Record<string, unknown>) => ({
    name: tool,
    arguments: { ...fullDetail(tool), ...args },
  });
  if (era === '2026-07-28') {
    const client = new Client(name, { versionNegotiation: { mode: { pin: era } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return {
      canLeave: true,
      async call(tool, args, signal) {
        const result = await client.callTool(given(tool, args), signal ? { signal } : {});
        return answerIn(tool, result);
      },
      close: () => client.close(),
    };
  }
  const client = new OlderClient(name);
  await client.connect(new OlderTransport(new URL(url), { requestInit }) as OlderTransportShape);
  return {
    canLeave: false,
    async call(tool, args, signal) {
      const result = await client.callTool(given(tool, args), undefined, signal ? { signal } : {});
      return answerIn(tool, result);
    },
    close: () => client.close(),
  };
}

function answerIn(tool: string, { structuredContent, content }: Answer): Answer {
  if (typeof structuredContent !== 'object' || structuredContent === null)
    throw new Error(`${tool} answered without a value: ${JSON.stringify(content)}`);
  return structuredContent as Answer;
}
