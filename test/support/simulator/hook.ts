/**
 * Lets a test intervene between a request and its answer. The provider itself never misbehaves: faults, lag and the log of requests
 * are hooks.
 */
import type { Answer, Incoming } from '../../../src/demo/http.ts';
import { type Responder, writeAnswer } from '../../../src/demo/server.ts';

/** An answer, and how it is sent. */
export interface Delivery {
  readonly answer: Answer;
  /** `half`: the headers and the first half of the body, then nothing. `drop`: the connection is cut. `hang`: no answer. */
  readonly manner: 'whole' | 'half' | 'drop' | 'hang';
}

/** One request on its way through the provider. */
export interface RequestContext {
  readonly request: Incoming;
  /**
   * Lets the request, or another one in its place, take effect, and returns its answer. A hook may call `handle` at once, later
   * (even after the hook has answered), or never. `handle` is synchronous.
   */
  readonly handle: (instead?: Incoming) => Answer;
  /** Waits for `ms` milliseconds of the provider's clock. Rejects when the provider closes. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Takes every request, including those of the login, and decides what is sent back. If the hook rejects, the answer is 500. */
export type Hook = (context: RequestContext) => Promise<Delivery>;

/** Answers requests as the hook says. A hanging request gets no answer; closing the server ends the request. */
export function respondWith(
  hook: Hook,
  handle: (request: Incoming) => Answer,
  wait: RequestContext['wait'],
): Responder {
  return async (request, response) => {
    const context: RequestContext = { request, handle: (instead = request) => handle(instead), wait };
    const { answer, manner } = await hook(context);
    if (manner === 'drop') response.destroy();
    if (manner === 'whole' || manner === 'half') writeAnswer(response, answer, manner === 'half' ? 0.5 : 1);
  };
}
