/**
 * Finds the server to which `relay stdio` carries messages: the running server of the home, or else a server in this process.
 * When the server goes away, the next message looks for a server again.
 */
import { interruptible } from '../../base/abort.ts';
import type { Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import { type LocalApi, STAY_HEADER, STAY_SECONDS } from '../../domain/localApi.ts';
import { carryMessage } from '../../local/carryMessage.ts';
import { createLocalClient, type Greeting, greet } from '../../local/localClient.ts';
import type { RunningServer } from '../../server/start.ts';
import { lockPath, readHolder } from '../../store/home/lockFile.ts';
import { readServerFile } from '../../store/home/serverFile.ts';
import type { Context } from '../context.ts';
import { serverKey } from '../serverKey.ts';
import type { ToolOptions } from '../usage/toolFlags.ts';
import { CutOff, type Link } from './carrier.ts';
import type { ClientMessage } from './message.ts';
import { hostSettings, startedWith } from './startedWith.ts';

/** How long a server may take to appear or come back, in milliseconds. Clients give up after 60 s at the latest. */
const PATIENCE_MS = 30_000;
/**
 * How long to wait for a server that went away, in milliseconds, before this process replaces it. The server may be restarting.
 */
const RESTART_MS = 3_000;
const LOOK_AGAIN_MS = 50;
/**
 * How often to tell the server that this program still needs it, in milliseconds. The server forgets this after `STAY_SECONDS`.
 */
const STAY_AGAIN_MS = 20_000;
const STAY_AFTER_MS = 300;
const LEAVE_MS = 500;
/** How long to keep a greeted connection for a first message, in milliseconds. The server keeps the connection open longer. */
const GREETING_MS = 2_000;

const STDIO = 'relay stdio';

export interface ServerLink extends Link {
  /**
   * Starts looking for the server before the first message comes. If that fails, messages that came meanwhile get the error, and
   * a later message looks again.
   */
  begin(): void;
  /** The server in this process; null if there is none. */
  readonly hosted: RunningServer | null;
  /** Tells the server that this program no longer needs it, or stops the server in this process. */
  close(): Promise<void>;
}

interface Server {
  baseUrl: string;
  /** The headers that limit the client to the tools that this process was started for. */
  headers: Record<string, string>;
  localKey: string;
  local: LocalApi;
  /** Greeting for the first message, begun before the key was loaded; null once used, and for the server in this process. */
  greeting: { made: Greeting; at: number } | null;
  /** True if somebody may restart the server. Nobody restarts a server that another `relay stdio` started. */
  mayRestart: boolean;
}

export interface LinkOptions {
  /** The flags that limit this client's tools. */
  tools: ToolOptions;
  /** Starts the server in this process. */
  host(settings: Settings): Promise<RunningServer>;
}

export function createServerLink(context: Context, options: LinkOptions): ServerLink {
  const { clock, random, version } = context;
  const id = random.uuid();
  const ended = new AbortController();
  let current: Server | null = null;
  let finding: Promise<Server> | null = null;
  let hosted: RunningServer | null = null;
  /** When the last server went away, by the monotonic clock; null if none has, or if nobody may restart that server. */
  let lostAt: number | null = null;
  /** True if a server has been told that this program needs it. */
  let stays = false;

  function server(): Promise<Server> {
    if (current) return Promise.resolve(current);
    finding ??= find().finally(() => {
      finding = null;
    });
    return finding;
  }

  async function find(): Promise<Server> {
    const giveUpAt = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      try {
        current = (await running()) ?? (await becomeOne());
      } catch (error) {
        if (!isPassing(error) || clock.monotonic() > giveUpAt) throw error;
      }
      if (current) {
        if (!hosted) void stay(current);
        return current;
      }
      await clock.sleep(LOOK_AGAIN_MS, ended.signal);
    }
  }

  async function running(): Promise<Server | null> {
    const { settings, headers } = startedWith(context, options.tools);
    const file = await readServerFile(settings.home);
    if (!file) return null;
    const greeting = { made: greet(file.baseUrl, { signal: ended.signal, random }), at: clock.monotonic() };
    try {
      const found = await connectTo(settings, file.baseUrl);
      const holder = await readHolder(lockPath(settings.home)).catch(() => null);
      return { ...found, headers, greeting, mayRestart: holder?.purpose !== STDIO };
    } catch (error) {
      greeting.made.connection.close();
      throw error;
    }
  }

  async function connectTo(settings: Settings, baseUrl: string): Promise<Omit<Server, 'headers'>> {
    const localKey = await serverKey(settings, baseUrl, clock);
    const local = createLocalClient({ baseUrl, key: localKey, signal: ended.signal, random });
    return { baseUrl, localKey, local, greeting: null, mayRestart: false };
  }

  /** Starts the server in this process; null if a server has just gone away and may come back. */
  async function becomeOne(): Promise<Server | null> {
    if (lostAt !== null && clock.monotonic() - lostAt < RESTART_MS) return null;
    ended.signal.throwIfAborted();
    const own = startedWith(context, options.tools);
    const settings = hostSettings(context, own);
    const started = await options.host(settings);
    hosted = started;
    const found = await connectTo(settings, started.localUrl);
    return { ...found, headers: own.headers, local: started.local };
  }

  /** Tells the server that this client needs it. Without that, a server that another `relay stdio` started might end. */
  async function stay(found: Server): Promise<void> {
    // The client's first message also tells the server, so give that message time to go first.
    await clock.sleep(STAY_AFTER_MS, ended.signal).catch(() => {});
    while (!ended.signal.aborted && current === found) {
      stays = true;
      await found.local.stay({ id, seconds: STAY_SECONDS }).catch(() => {});
      await clock.sleep(STAY_AGAIN_MS, ended.signal).catch(() => {});
    }
  }

  function lose(found: Server): void {
    if (current !== found || hosted) return;
    current = null;
    lostAt = found.mayRestart ? clock.monotonic() : null;
  }

  /** The greeting that was begun when the server was found, or a new one if that greeting was used or is too old. */
  function greetingOf(found: Server): Greeting {
    const { greeting, baseUrl } = found;
    found.greeting = null;
    if (greeting && clock.monotonic() - greeting.at < GREETING_MS) return greeting.made;
    greeting?.made.connection.close();
    return greet(baseUrl, { random });
  }

  async function attempt(
    found: Server,
    text: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    take: (json: string) => Promise<void>,
  ): Promise<number> {
    stays ||= !hosted;
    const sent = {
      ...(hosted ? {} : { [STAY_HEADER]: id }),
      ...found.headers,
      ...headers,
      accept: 'application/json, text/event-stream',
      'user-agent': `relay-stdio/${version}`,
    };
    try {
      return await carryMessage(
        text,
        greetingOf(found),
        { key: found.localKey, signal, headers: sent },
        take,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RelayError) throw error;
      lose(found);
      throw new CutOff('the server went away', { cause: error });
    }
  }

  async function send(
    text: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    take: (json: string) => Promise<void>,
  ): Promise<number> {
    const giveUpAt = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const found = await interruptible(signal, server());
      try {
        const status = await attempt(found, text, headers, signal, take);
        if (status !== 401) return status;
        if (clock.monotonic() > giveUpAt)
          throw new RelayError('INTERNAL', 'The server refuses its own credential.');
      } catch (error) {
        if (!isPassing(error) || clock.monotonic() > giveUpAt) throw error;
        lose(found);
      }
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }

  return {
    begin: () => void server().catch(() => {}),
    carry: ({ text, headers }, more, signal, take) => send(text, { ...more, ...headers }, signal, take),
    async isHarmless(message, signal) {
      if (message.method !== 'tools/call') return message.method !== null && REPEATABLE.test(message.method);
      return isReading(message, (text, take) => send(text, {}, signal, take));
    },
    get hosted() {
      return hosted;
    },
    async close() {
      const left = current;
      left?.greeting?.made.connection.close();
      const isHost = hosted !== null || finding !== null;
      ended.abort();
      if (isHost) {
        await finding?.catch(() => {});
        await hosted?.close();
        return;
      }
      if (!left || !stays) return;
      const { baseUrl, localKey: key } = left;
      const local = createLocalClient({ baseUrl, key, random, timeoutMs: LEAVE_MS });
      await local.stay({ id, seconds: 0 }).catch(() => {});
    },
  };
}

/** Methods that may safely be sent twice: requests that change nothing, and notifications. */
const REPEATABLE =
  /^(?:initialize|ping|server\/discover|completion\/complete|notifications\/.*|(?:tools|prompts|resources)\/(?!call).*)$/;

/** True if the tool only reads, by the server's list of tools. */
async function isReading(
  { tool }: ClientMessage,
  ask: (text: string, take: (json: string) => Promise<void>) => Promise<number>,
): Promise<boolean> {
  let found = false;
  const text = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list' });
  await ask(text, async (json) => {
    const { result } = JSON.parse(json) as { result?: { tools?: ListedTool[] } };
    found = result?.tools?.find(({ name }) => name === tool)?.annotations?.readOnlyHint === true;
  }).catch(() => {});
  return found;
}

interface ListedTool {
  name: string;
  annotations?: { readOnlyHint?: boolean };
}

/** True for failures that pass: another program holds the home briefly, or a server is starting or stopping. */
function isPassing(error: unknown): boolean {
  return error instanceof RelayError && (error.code === 'ALREADY_RUNNING' || error.code === 'NO_SERVER');
}
