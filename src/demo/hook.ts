/**
 * Lets a test intervene between a request and its answer. The simulated provider itself never misbehaves: faults, lag and
 * the log of requests are hooks, which belong to the tests.
 */
import type { Answer, Incoming } from './http.ts';

/** An answer, and how it is sent. */
export interface Delivery {
  readonly answer: Answer;
  /**
   * `half`: the headers and the first half of the body, then nothing. `drop`: the connection is cut. `hang`: no answer.
   */
  readonly manner: 'whole' | 'half' | 'drop' | 'hang';
}

/** One request on its way through the provider. @internal */
export interface RequestContext {
  readonly request: Incoming;
  /**
   * Lets the request take effect and returns its answer. A hook may call `handle` at once, later (even after the hook has
   * answered), or never. `handle` is synchronous, so a hook may change an account just before the call, and restore it after.
   */
  readonly handle: () => Answer;
  /** Waits for `ms` milliseconds of the provider's clock. Rejects when the provider closes. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Takes every request, including those of the login, and decides what is sent back. The server itself refuses a body without a
 * length, or one that is too long. If the hook rejects, the answer is 500.
 */
export type Hook = (context: RequestContext) => Promise<Delivery>;

/** The answer of the provider, sent as a whole. */
export const passThrough: Hook = async ({ handle }) => ({ answer: handle(), manner: 'whole' });
