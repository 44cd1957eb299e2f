/** An MCP client of the running server, for commands that call tools. */
import {
  Client,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  type Progress,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { interruptible } from '../../base/abort.ts';
import { isErrorCode, RelayError } from '../../domain/errors.ts';
import { FIX_META, readRemedy } from '../../domain/remedy.ts';
import type { Context } from '../context.ts';
import type { Connection } from '../findServer.ts';
import { requireServer } from '../requireServer.ts';
import type { ValueSchema } from './toolArguments.ts';

/** Longer than any tool call may take (45 s), so that the server's own answer always comes first. */
const CALL_TIMEOUT_MS = 60_000;

/** The server has checked its results against these schemas already; compiling them again costs a quarter of a second. */
const trustServer: jsonSchemaValidator = {
  getValidator<T>() {
    return (data): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: data as T,
      errorMessage: undefined,
    });
  },
};

export interface ToolSummary {
  name: string;
  inputSchema: ValueSchema;
  annotations?: { destructiveHint?: boolean | undefined } | undefined;
}

export interface ToolOutcome {
  /** What the tool answered: structured where it is, else its text. */
  value: unknown;
  /** Set when the tool failed. */
  error: RelayError | null;
}

export interface McpConnection {
  listTools(): Promise<ToolSummary[]>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    onProgress: (progress: Progress) => void,
  ): Promise<ToolOutcome>;
  close(): Promise<void>;
}

/** The running server's tools. @throws RelayError `NO_SERVER` */
export async function connectTools(context: Context): Promise<McpConnection> {
  const running = await requireServer(context);
  // Not the public URL: this machine may not reach it.
  const url = `${running.baseUrl}/mcp`;
  const { version, signal } = context;
  return interruptible(signal, connectMcp({ url, fetch: running.fetch, version, signal }));
}

/** Failures on the way, of the network or of the protocol, are `NO_SERVER`. */
async function connectMcp(options: {
  url: string;
  fetch: Connection['fetch'];
  version: string;
  signal: AbortSignal;
}): Promise<McpConnection> {
  const { url, fetch, version, signal } = options;
  const client = new Client(
    { name: 'relay-cli', version },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: trustServer },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch });
  const guard = <T>(work: Promise<T>): Promise<T> => work.catch((error) => rejectAs(url, signal, error));
  await guard(client.connect(transport, { signal }));
  return {
    listTools: async () => (await guard(client.listTools(undefined, { signal }))).tools,
    callTool: async (name, args, onprogress) => {
      const timing = { timeout: CALL_TIMEOUT_MS, resetTimeoutOnProgress: true };
      return outcomeOf(
        await guard(client.callTool({ name, arguments: args }, { signal, onprogress, ...timing })),
      );
    },
    close: () => client.close(),
  };
}

interface CallAnswer {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  _meta?: Record<string, unknown> | undefined;
  content: Array<{ type: string; text?: unknown }>;
}

function outcomeOf({ isError, structuredContent, content, _meta }: CallAnswer): ToolOutcome {
  const text = content.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n');
  if (isError !== true) return { value: structuredContent ?? text, error: null };
  const error = (structuredContent as { error?: Record<string, unknown> } | undefined)?.error ?? {};
  const { code = 'INTERNAL', message = text, details } = error;
  const remedy = readRemedy(_meta?.[FIX_META]) ?? readRemedy(error.remedy);
  return {
    value: structuredContent ?? { error: { code, message } },
    error: new RelayError(isErrorCode(code) ? code : 'INTERNAL', `${String(code)}: ${String(message)}`, {
      ...(remedy ? { remedy } : {}),
      ...(isDetails(details) ? { details } : {}),
    }),
  };
}

function isDetails(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rejectAs(url: string, signal: AbortSignal, error: unknown): never {
  signal.throwIfAborted();
  if (error instanceof RelayError) throw error;
  throw new RelayError('NO_SERVER', `The MCP endpoint ${url} does not answer correctly.`, {
    remedy: 'Look at the log of the running server. Restart it if its version differs from this one.',
    cause: error,
  });
}
