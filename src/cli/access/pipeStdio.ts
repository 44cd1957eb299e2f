/**
 * `relay stdio`: carries lines between an MCP client and the server, which speaks MCP itself. Without a server it starts one. If
 * the server goes away, the next line finds or starts another; the server needs no handshake again.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { aborted } from '../../base/abort.ts';
import { isObject, readJson } from '../../base/parsing.ts';
import { linesOf } from '../../base/textLines.ts';
import { loadSettings, type Settings } from '../../config/settings.ts';
import { ACCESS_HEADER } from '../../domain/access.ts';
import { asRelayError, RelayError, toldError } from '../../domain/errors.ts';
import { type McpStream, openMcp } from '../../door/client.ts';
import { LOOK_AGAIN_MS } from '../../store/home/lockFile.ts';
import { readServerFile } from '../../store/home/serverFile.ts';
import type { Context } from '../context.ts';
import { remarkOtherVersion, startingServer } from '../findServer.ts';
import { note } from '../terminal/output.ts';

export interface StdioOptions {
  /** What this client may do; by default what the environment or the setting says. */
  access?: string;
}

/** How long a server may take to appear, in milliseconds. Clients give up after 60 s at the latest. */
const PATIENCE_MS = 30_000;
/** Maximum length of a line, in characters: more than a call with the longest list needs. */
const MAX_LINE = 16 * 1024 * 1024;
/** Maximum number of requests under way; then reading pauses. */
const MANY = 256;

export async function pipeStdio(context: Context, options: StdioOptions): Promise<void> {
  const { clock, io, signal } = context;
  // This comes first, since modules that are loaded later may print, and stdout must carry only messages.
  const pipe = context.pipe();
  if (pipe.terminal) note(io, 'Waiting for messages of an MCP client. Ctrl-C ends it.');
  const over = AbortSignal.any([signal, pipe.closed]);
  const open = new Set<unknown>();
  let server: Promise<McpStream> | null = null;
  const pause = () => clock.sleep(LOOK_AGAIN_MS, over).catch(() => {});

  function fail(id: unknown, error: unknown): void {
    open.delete(id);
    const { code, message, remedy } = asRelayError(error);
    const told = {
      code: -32603,
      message: [message, remedy].filter(Boolean).join(' '),
      data: { code, remedy },
    };
    void pipe.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: told })}\n`);
  }

  async function connect(): Promise<McpStream> {
    const { settings, headers } = startedWith(context, options);
    let starting: Starting | null = null;
    for (const giveUpAt = clock.monotonic() + PATIENCE_MS; ; await pause()) {
      const file = await readServerFile(settings.home);
      try {
        const found = await openMcp(file ?? { socket: '' }, headers);
        void carryAnswers(found);
        if (file) remarkOtherVersion(context, file);
        return found;
      } catch (error) {
        if (starting?.failed) throw starting.failed;
        if (clock.monotonic() > giveUpAt || over.aborted) throw error;
      }
      const isAlone = starting === null && (await startingServer(settings.home)) === null;
      if (isAlone) starting = await startForClients(context);
    }
  }

  async function carryAnswers({ lines }: McpStream): Promise<void> {
    try {
      for await (const line of lines) {
        open.delete(idOf(readJson(line ?? ''), 'undefined'));
        await pipe.write(`${line}\n`);
      }
    } catch {
      // The server is gone, as when the stream ends.
    }
    server = null;
    for (const id of open) fail(id, cutOff());
  }

  async function carry(line: string): Promise<void> {
    const message = readJson(line);
    const id = idOf(message, 'string');
    if (id !== null) open.add(id);
    // A request that is cancelled gets no answer.
    if (isObject(message) && message.method === 'notifications/cancelled' && isObject(message.params))
      open.delete(message.params.requestId);
    try {
      server ??= connect();
      const { stream } = await server;
      if (!stream.write(`${line}\n`)) await once(stream, 'drain', { signal: over });
    } catch (error) {
      server = null;
      if (open.has(id)) fail(id, error);
    }
  }

  aborted(over).then(() => pipe.input.destroy());
  // Begun before the first message comes. If this fails, the first message tells why.
  server = connect();
  server.catch(() => {});
  try {
    for await (const line of linesOf(pipe.input, MAX_LINE)) {
      if (line === null) fail(null, tooLong());
      else if (line.trim() !== '') await carry(line);
      while (open.size >= MANY && !over.aborted) await pause();
    }
  } catch {
    // `over` has closed stdin.
  }
  // The server ends calls whose client has left, so their answers come first.
  while (open.size > 0 && !over.aborted) await pause();
  if (server) (await server.catch(() => null))?.stream.destroy();
  await pipe.flushed();
}

/** The ID of a message whose method is of this type: `string` for a request, `undefined` for an answer. null if it has none. */
function idOf(message: unknown, method: 'string' | 'undefined'): unknown {
  return isObject(message) && typeof message.method === method ? (message.id ?? null) : null;
}

function tooLong(): RelayError {
  return new RelayError('INVALID_ARGUMENT', 'A message is longer than 16 MiB.', {
    remedy: 'Send a long list in several calls.',
  });
}

function cutOff(): RelayError {
  return new RelayError('NO_SERVER', 'The relay server stopped before it had answered.', {
    remedy:
      'The call may have taken effect. Before calling again, read what it was to change, or call list_changes if that is offered.',
  });
}

/**
 * Returns the settings of the home, and the headers that say what this client may do: what its flag or its environment says.
 * Reads the files of the home each time. @throws RelayError `SETTINGS_INVALID`
 */
function startedWith(
  context: Context,
  { access: given }: StdioOptions,
): { settings: Settings; headers: Record<string, string> } {
  const settings = loadSettings(context.loadOptions({ flags: given === undefined ? {} : { access: given } }));
  const { access, origins } = settings;
  const isOwn = origins.access === 'flag' || origins.access === 'environment';
  return { settings, headers: isOwn ? { [ACCESS_HEADER]: access } : {} };
}

interface Starting {
  /** Why the server could not start; null while it may still answer. Another server that holds the home is no reason. */
  failed: RelayError | null;
}

async function startForClients(context: Context): Promise<Starting> {
  const { program } = await context.machine();
  const [command = '', ...words] = program;
  const { home, demo } = context;
  // Other clients use that server too, so what this client may do is not theirs.
  const { RELAY_ACCESS: _, ...env } = context.env;
  const named = [...(home === undefined ? [] : ['--home', home]), ...(demo ? ['--demo'] : [])];
  const starting: Starting = { failed: null };
  const child = spawn(command, [...words, ...named, 'serve', '--until-unused', '--json'], {
    ...{ env, detached: true, windowsHide: true },
    // The reason of a failed start is one line of JSON. Later messages are in the log of the home.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-100_000);
  });
  child.once('error', (error) => {
    starting.failed = new RelayError('NO_SERVER', `No server could be started: ${error.message}.`);
  });
  child.once('close', () => {
    starting.failed ??= reasonIn(told);
  });
  child.unref();
  (child.stderr as { unref?: () => void }).unref?.();
  return starting;
}

function reasonIn(told: string): RelayError | null {
  const last = readJson(told.trim().split('\n').at(-1) ?? '') as { error?: { code?: unknown } } | undefined;
  if (last?.error) return last.error.code === 'ALREADY_RUNNING' ? null : toldError(last.error);
  return new RelayError('NO_SERVER', 'The server ended while it started.');
}
