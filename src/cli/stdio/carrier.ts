/**
 * Carries the messages of one MCP client to the server, each separately, and carries the answers back. The carrier itself
 * answers only if no server can.
 */
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { type ClientMessage, errorLine, type RequestId, readAnswer, readMessage } from './message.ts';

/** JSON-RPC 2.0, 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;

/** The connection to the server. */
export interface Link {
  /**
   * Sends the message to a server and passes each answer to `take`. Returns the HTTP status.
   * @param headers in addition to those of the message itself
   * @throws CutOff, RelayError if the message did not reach a server, or the reason of `signal`
   */
  carry(
    message: ClientMessage,
    headers: Record<string, string>,
    signal: AbortSignal,
    take: (json: string) => Promise<void>,
  ): Promise<number>;
  /** Returns true if the message can safely be sent a second time. */
  isHarmless(message: ClientMessage, signal: AbortSignal): Promise<boolean>;
}

/** The server took the message and stopped before it had answered completely. */
export class CutOff extends Error {}

export interface Carrier {
  /** Takes one line of the client; never throws. */
  take(line: string): void;
  /** Number of messages that are still under way. */
  readonly open: number;
  /** Resolves once no message is under way. */
  idle(): Promise<void>;
  /** Cancels all requests that are under way. */
  stop(): void;
}

export function createCarrier(link: Link, write: (text: string) => Promise<void>): Carrier {
  const underWay = new Map<Promise<void>, { ids: readonly RequestId[]; controller: AbortController }>();
  /** The revision that `initialize` agreed on; null before that. Clients of 2026-07-28 name the revision in each message. */
  let version: string | null = null;

  function cancel(id: RequestId): void {
    for (const { ids, controller } of underWay.values()) {
      if (ids.length === 1 && ids[0] === id) controller.abort();
    }
  }

  async function deliver(message: ClientMessage, signal: AbortSignal): Promise<void> {
    const left = new Set(message.ids);
    const fail = async (error: object) => {
      for (const id of left) await write(`${errorLine(id, error)}\n`);
      left.clear();
    };
    try {
      await forward(message, signal, left, fail);
      // A notification has no ID, so nothing is written here if the server refuses it.
      if (!signal.aborted) await fail(failureOf(new RelayError('INTERNAL', 'The server gave no answer.')));
    } catch (error) {
      if (!signal.aborted) await fail(failureOf(error));
    }
  }

  async function forward(
    message: ClientMessage,
    signal: AbortSignal,
    left: Set<RequestId>,
    fail: (error: object) => Promise<void>,
  ): Promise<void> {
    const headers: Record<string, string> = version === null ? {} : { 'mcp-protocol-version': version };
    const take = async (json: string) => {
      const answer = readAnswer(json);
      if (!answer || signal.aborted) return;
      // A message without a usable ID gets an answer only if it is not valid JSON-RPC. A refused notification gets none.
      const isInvalid = message.ids.length === 0 && answer.failure?.code === INVALID_REQUEST;
      if (answer.failure && isInvalid) return write(`${errorLine(null, answer.failure)}\n`);
      if (answer.failure) return fail(answer.failure);
      if (message.method === 'initialize') version = answer.version ?? version;
      for (const id of answer.answers) left.delete(id);
      await write(`${answer.line}\n`);
    };
    try {
      await link.carry(message, headers, signal, take);
    } catch (error) {
      const isWhole = left.size === message.ids.length;
      if (!(error instanceof CutOff) || !isWhole || !(await link.isHarmless(message, signal))) throw error;
      await link.carry(message, headers, signal, take);
    }
  }

  return {
    take(line) {
      if (line.trim() === '') return;
      const message = readMessage(line);
      if (message === null) {
        void write(`${errorLine(null, { code: PARSE_ERROR, message: 'This line is not JSON.' })}\n`);
        return;
      }
      // In all revisions, the server learns of the cancellation when the request's connection ends.
      if (message.cancels !== null) return cancel(message.cancels);
      const controller = new AbortController();
      const work = deliver(message, controller.signal).finally(() => underWay.delete(work));
      underWay.set(work, { ids: message.ids, controller });
    },
    get open() {
      return underWay.size;
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay.keys());
    },
    stop() {
      for (const { controller } of underWay.values()) controller.abort();
    },
  };
}

function failureOf(error: unknown): object {
  const { code, message, remedy } = error instanceof CutOff ? cutOff() : asRelayError(error);
  return {
    code: INTERNAL_ERROR,
    message: [message, remedy].filter(Boolean).join(' '),
    data: { code, ...(remedy === undefined ? {} : { remedy }) },
  };
}

function cutOff(): RelayError {
  return new RelayError('NO_SERVER', 'The relay server stopped before it had answered.', {
    remedy:
      'The call may have taken effect. Before calling again, read what it was to change, or call list_changes if that is offered.',
  });
}
