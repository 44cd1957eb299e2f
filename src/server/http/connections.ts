/**
 * How many connections there may be, and how long each may keep the server waiting. Node closes those that stay silent or send too
 * slowly (`headersTimeout`, `requestTimeout`); when there are too many, an idle one makes room.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** All times in milliseconds of real time: they are about sockets, not about what the program does. */
export const CONNECTION_LIMITS = {
  headersMs: 8_000,
  /** How long headers and body together may take to arrive. 4 MiB in this time are 140 kB a second. */
  requestMs: 30_000,
  /** How long a connection may stay idle between two requests. */
  keepAliveMs: 15_000,
  /** How long no byte may move in either direction. Calls end after 45 s, and event streams send something every 15 s. */
  quietMs: 120_000,
  /** How often Node checks this. */
  checkMs: 1_000,
  max: 512,
};

export type ConnectionLimits = typeof CONNECTION_LIMITS;
export type Connections = ReturnType<typeof createConnections>;

export function createConnections(limits: ConnectionLimits) {
  /** All connections, each with its number of requests under way; the longest idle one comes first. */
  const connections = new Map<Socket, number>();
  let isStopping = false;

  function opened(socket: Socket): void {
    if (connections.size >= limits.max) {
      const idle = [...connections].find(([, requests]) => requests === 0)?.[0];
      connections.delete(idle ?? socket);
      (idle ?? socket).destroy();
    }
    if (socket.destroyed) return;
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  }

  function count(socket: Socket, change: number): void {
    const requests = connections.get(socket);
    if (requests === undefined) return;
    connections.delete(socket);
    connections.set(socket, requests + change);
    if (isStopping && requests + change === 0) socket.destroySoon();
  }

  return {
    watch(server: Server): void {
      server.headersTimeout = limits.headersMs;
      server.requestTimeout = limits.requestMs;
      server.keepAliveTimeout = limits.keepAliveMs;
      server.setTimeout(limits.quietMs);
      server.on('connection', opened);
      server.on('request', ({ socket }, response) => {
        count(socket, 1);
        response.once('close', () => count(socket, -1));
      });
    },
    /** Closes every connection without a request under way, and from now on each one whose request ends. */
    stop(): void {
      isStopping = true;
      for (const [socket, requests] of connections) if (requests === 0) socket.destroySoon();
    },
  };
}
