/**
 * All connections together: how many there may be, how long each may keep the server waiting, and which to close first.
 * Every connection that a stranger can open without a credential is closed in the end, even if the other side does nothing.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './address.ts';

/** All times in milliseconds of real time: they are about sockets, not about what the program does. */
export interface ConnectionLimits {
  /** How long the headers may take to arrive after the first byte, and how long a new connection may send nothing at all. */
  headersMs: number;
  /** How long headers and body together may take to arrive. 4 MiB in this time are 140 kB a second. */
  requestMs: number;
  /** How long a connection may stay idle between two requests. */
  keepAliveMs: number;
  /** How long no byte may move in either direction while the server waits for the client. */
  stallMs: number;
  /**
   * How long, after `stallMs`, no byte may move while the server works on a request. Event streams send something every 15
   * seconds.
   */
  quietMs: number;
  /** How long bytes may wait without a break for a client that reads them too slowly. */
  drainMs: number;
  /** How long a socket stays open after a refusal, so that the client can read the refusal. */
  lingerMs: number;
  /** How often all this is checked. */
  checkMs: number;
  /** Once there are this many connections, a new one replaces one for which the server is not at work. */
  max: number;
  /** A connection younger than this may have had no time to send anything, so it is replaced only at `maxWithYoung`. */
  youngMs: number;
  /** Maximum number of connections. A new one is refused if the server is at work for all of them. */
  maxWithYoung: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 8_000,
  requestMs: 30_000,
  keepAliveMs: 15_000,
  stallMs: 10_000,
  quietMs: 120_000,
  drainMs: 60_000,
  lingerMs: 1_000,
  checkMs: 1_000,
  max: 512,
  youngMs: 500,
  maxWithYoung: 1_024,
};

export interface Connections {
  /** Watches another server; all watched servers share the limits. */
  watch(server: Server): void;
  /**
   * Sends `text` and cuts the socket after `lingerMs`, even if the other side does not close its end. If an answer has begun,
   * cuts the socket at once.
   */
  refuse(socket: Socket, text: string): void;
  /** Closes every connection without a request under way, and from now on each one whose last request ends. */
  stop(): void;
}

interface Connection {
  socket: Socket;
  network: string;
  openedAt: number;
  /** True once a whole request has been answered and the answer has been sent. */
  hasAsked: boolean;
  requests: Set<{ request: IncomingMessage; response: ServerResponse }>;
  /** When a check first found the bytes that wait to be sent; null if the last check found none. */
  pendingSince: number | null;
  /** Number of bytes that have moved in either direction, and when a check last found that it had grown. */
  moved: { bytes: number; at: number };
}

export function createConnections(limits: ConnectionLimits): Connections {
  // In the order in which they were opened.
  const connections = new Map<Socket, Connection>();
  const refused = new WeakSet<Socket>();
  const now = () => performance.now();
  let isStopping = false;

  function opened(socket: Socket): void {
    makeRoom();
    if (connections.size >= limits.maxWithYoung) return void socket.destroy();
    const network = networkOf(socket.remoteAddress ?? '');
    const at = now();
    connections.set(socket, {
      socket,
      network,
      openedAt: at,
      hasAsked: false,
      requests: new Set(),
      pendingSince: null,
      moved: { bytes: 0, at },
    });
    socket.once('close', () => connections.delete(socket));
  }

  function makeRoom(): void {
    while (connections.size >= limits.max) {
      const victim = nextToGo(connections.values());
      const isYoung = victim !== undefined && now() - victim.openedAt < limits.youngMs;
      if (!victim || (isYoung && connections.size < limits.maxWithYoung)) return;
      cut(victim);
    }
  }

  function cut(connection: Connection): void {
    // The `close` event comes later, but the place is free now.
    connections.delete(connection.socket);
    connection.socket.destroy();
  }

  function asked(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket);
    if (!connection) return;
    const served = { request, response };
    connection.requests.add(served);
    response.once('close', () => {
      connection.hasAsked ||= request.complete;
      connection.requests.delete(served);
      if (isStopping) endIdle(connection);
    });
  }

  /** Node calls this when no byte has moved for `stallMs`. */
  function stalled(socket: Socket): void {
    const connection = connections.get(socket);
    if (!connection || !isAtWork(connection) || socket.writableLength > 0) return void socket.destroy();
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (bytes !== connection.moved.bytes) connection.moved = { bytes, at: now() };
    if (now() - connection.moved.at >= limits.quietMs) socket.destroy();
    else socket.setTimeout(limits.stallMs);
  }

  /**
   * Cuts connections whose reader takes a byte only now and then. Such a reader never stalls, and could hold its answer
   * forever.
   */
  function cutSlowReaders(): void {
    for (const connection of connections.values()) {
      if (connection.socket.writableLength === 0) connection.pendingSince = null;
      else connection.pendingSince ??= now();
      if (connection.pendingSince !== null && now() - connection.pendingSince >= limits.drainMs) {
        cut(connection);
      }
    }
  }

  function endIdle(connection: Connection): void {
    if (connection.requests.size === 0) connection.socket.destroySoon();
  }

  return {
    watch(server) {
      server.headersTimeout = limits.headersMs;
      server.requestTimeout = limits.requestMs;
      server.keepAliveTimeout = limits.keepAliveMs;
      server.setTimeout(limits.stallMs, stalled);
      server.on('connection', opened);
      server.on('request', asked);
      server.once('listening', () => {
        const timer = setInterval(cutSlowReaders, limits.checkMs).unref();
        server.once('close', () => clearInterval(timer));
      });
    },
    refuse(socket, text) {
      // After a refused request, Node reports everything else that arrives as an error too.
      if (refused.has(socket)) return;
      refused.add(socket);
      const answering = [...(connections.get(socket)?.requests ?? [])].some(
        ({ response }) => response.headersSent,
      );
      // Once an answer has begun, another one would be read as part of it.
      if (answering || !socket.writable) return void socket.destroy();
      socket.end(text);
      // Closing a socket with unread bytes would take the answer away from the client.
      socket.resume();
      const end = setTimeout(() => socket.destroy(), limits.lingerMs).unref();
      socket.once('close', () => clearTimeout(end));
    },
    stop() {
      isStopping = true;
      for (const connection of connections.values()) endIdle(connection);
    },
  };
}

/**
 * Chooses the connection to close for a new one; never one for which the server is at work. Prefers those that have had no
 * request answered. Among several, chooses the oldest from the network that has the most of them.
 */
function nextToGo(connections: Iterable<Connection>): Connection | undefined {
  const idle = [...connections].filter((connection) => !isAtWork(connection));
  const silent = idle.filter(({ hasAsked }) => !hasAsked);
  const candidates = silent.length > 0 ? silent : idle;
  const counts = new Map<string, number>();
  for (const { network } of candidates) counts.set(network, (counts.get(network) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return candidates.find(({ network }) => counts.get(network) === most);
}

/** True while the server works on a complete request. Once it has written the answer, it only waits for the client to read. */
function isAtWork({ requests }: Connection): boolean {
  return [...requests].some(({ request, response }) => request.complete && !response.writableEnded);
}
