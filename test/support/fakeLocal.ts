/**
 * A real door (`src/door`) behind which the test answers the owner's calls, and the SDK's own server speaks MCP. Its home has a
 * `server.json`, so that the command line finds it.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { systemClock, systemRandom } from '../../src/base/clock.ts';
import type { Lines } from '../../src/base/textLines.ts';
import { RelayError } from '../../src/domain/errors.ts';
import { openDoor } from '../../src/door/server.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { toHttp } from '../../src/server/http/toHttp.ts';
import { writeServerFile } from '../../src/store/home/serverFile.ts';
import { temporaryHome } from './cli.ts';

export interface FakeLocal {
  home: string;
  /** Environment with which a command finds this server. */
  env: NodeJS.ProcessEnv;
  /** The address that `server.json` names. Nothing listens there. */
  baseUrl: string;
  /** Every call, in order. */
  calls: Array<{ call: string; body: Record<string, unknown> }>;
  /** Cuts all streams, as the end of the server does. */
  cut(): void;
}

export interface FakeLocalOptions {
  answers?: Partial<LocalApi>;
  mcp?: () => McpServer;
  /** True to put `server.json` where the demo has it. */
  demo?: boolean;
  version?: string;
}

export async function startFakeLocal(
  context: TestContext,
  { answers = {}, mcp, demo = false, version = '1.2.3' }: FakeLocalOptions = {},
): Promise<FakeLocal> {
  const home = temporaryHome(context);
  const calls: FakeLocal['calls'] = [];
  const streams = new Set<{ destroy(): void }>();
  const serverHome = demo ? join(home, 'demo') : home;
  mkdirSync(serverHome, { recursive: true });
  const door = await openDoor({
    ...{ home: serverHome, clock: systemClock, random: systemRandom },
    async call(call, body) {
      calls.push({ call, body: body as Record<string, unknown> });
      try {
        const answer = answers[call as keyof LocalApi] as ((given: unknown) => Promise<object>) | undefined;
        if (!answer) throw new RelayError('INTERNAL', 'The test gives no answer to this call.');
        return { result: (await answer(body)) ?? {} };
      } catch (error) {
        return { error: toHttp(error, 'request-1').error };
      }
    },
    serve(stream, lines) {
      streams.add(stream);
      const input = Readable.from(withEnds(lines));
      if (mcp) serveStdio(mcp, { transport: new StdioServerTransport(input, stream) });
      else stream.end();
      return { client: null, isBusy: false };
    },
  });
  context.after(() => door.close(0));
  const baseUrl = 'http://127.0.0.1:4980';
  const startedAt = '2026-11-01T00:00:00.000Z';
  await writeServerFile(serverHome, { pid: process.pid, startedAt, version, baseUrl, ...door.address });
  const cut = () => {
    for (const stream of streams) stream.destroy();
  };
  return { home, env: { RELAY_HOME: home }, baseUrl, calls, cut };
}

async function* withEnds(lines: Lines): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}
