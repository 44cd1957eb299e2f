/**
 * Knows whether anything is under way in this process: bytes between two of its sockets, a file operation or a connection of
 * libuv, the answer of a worker thread, or a turn of the event loop that somebody waits for. Pending timers and code that
 * sleeps on a test's clock are not under way.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';

/** Resources of libuv that only wait. Any other that is active is a request that will be answered. */
const PASSIVE = new Set([
  'Timeout',
  'TCPServerWrap',
  'TCPSocketWrap',
  'PipeServerWrap',
  'PipeWrap',
  'TTYWrap',
  'UDPWrap',
  'MessagePort',
  'ProcessWrap',
  'SignalWrap',
  'FSEventWrap',
  'StatWatcher',
]);

/**
 * After this number of looks that find the same, it counts as at rest: a reader may have stopped reading on purpose. On
 * loopback, bytes take much less than a millisecond. The time of day would also count when this process gets no processor.
 */
const LEFT_AFTER = 250;

/** Both ends of the connections within this process, by `client port>server port`. */
const wires = new Map<string, { client?: Socket; server?: Socket }>();
/** Ends of Unix sockets so far. Such a socket has no port, but they are accepted in the order in which they connect. */
const pipes = { client: 0, server: 0 };

for (const side of ['client', 'server'] as const) {
  subscribe(`net.${side}.socket`, (message) => {
    const { socket } = message as { socket: Socket };
    if (side === 'server') keep(socket);
    else socket.once('connect', () => keep(socket));
  });

  const keep = (socket: Socket) => {
    const { localPort, remotePort } = socket;
    const ports = side === 'client' ? `${localPort}>${remotePort}` : `${remotePort}>${localPort}`;
    const name = remotePort === undefined ? `pipe ${pipes[side]++}` : ports;
    const wire = wires.get(name) ?? {};
    wires.set(name, { ...wire, [side]: socket });
    socket.once('close', () => {
      const { client, server } = wires.get(name) ?? {};
      if ((client?.destroyed ?? true) && (server?.destroyed ?? true)) wires.delete(name);
    });
  };
}

/** Number of bytes that one side has sent and the other has not read; an end that the other has not seen is one more. */
function unread(): number {
  let sum = 0;
  for (const { client, server } of wires.values()) {
    // A connection that is not accepted yet.
    if (!server) sum += 1;
    else if (client) sum += between(client, server) + between(server, client);
  }
  return sum;
}

function between(from: Socket, to: Socket): number {
  if (to.destroyed || to.readableEnded) return 0;
  if (from.destroyed) return 1;
  return from.bytesWritten - to.bytesRead;
}

/** Worker threads of the program that have been asked something, or are starting, and have not answered. */
const askedWorkers = new Set<object>();

const workerThreads = createRequire(import.meta.url)('node:worker_threads');
workerThreads.Worker = class extends workerThreads.Worker {
  readonly #isCounted: boolean;

  constructor(program: string, options: { name?: string } = {}) {
    super(program, options);
    // Packages that only the tests use have threads too.
    this.#isCounted = options.name?.startsWith('relay ') ?? false;
    this.#ask();
    this.on('message', ({ kind }: { kind?: string }) => {
      // Such messages come before the answer.
      if (kind !== 'begun' && kind !== 'progress') askedWorkers.delete(this);
    });
    this.on('exit', () => askedWorkers.delete(this));
  }

  postMessage(...args: unknown[]) {
    this.#ask();
    super.postMessage(...args);
  }

  #ask() {
    if (this.#isCounted) askedWorkers.add(this);
  }
};
syncBuiltinESMExports();

let last = { state: '', looks: 0 };

/** True if something is under way. To be called at most once in a turn of the event loop, in an immediate of its own. */
export function isUnderWay(): boolean {
  if (askedWorkers.size > 0) return true;
  const requests = process.getActiveResourcesInfo().filter((type) => !PASSIVE.has(type));
  const bytes = unread();
  if (requests.length === 0 && bytes === 0) return false;
  const state = `${bytes} ${requests}`;
  if (state !== last.state) last = { state, looks: 0 };
  last.looks += 1;
  return last.looks < LEFT_AFTER;
}
