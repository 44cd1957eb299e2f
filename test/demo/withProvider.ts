/** A provider on a clock that stands still, and an HTTP client for it. */
import type { Clock } from '../../src/base/clock.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../support/simulator/simulator.ts';
import { logIn, USUAL_SCOPES } from './login.ts';
import { type Reply, send } from './web.ts';

/** The time at which the clock begins. */
export const START = Date.UTC(2026, 10, 20, 12);

/** A clock that stands still until a test moves it. */
interface StillClock extends Clock {
  move(ms: number): void;
  readonly sleeps: number[];
}

function stillClock(now = START): StillClock {
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    monotonic: () => now - START,
    move: (ms) => {
      now += ms;
    },
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
  };
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Reply>;

export interface DemoWorld {
  provider: Simulator;
  clock: StillClock;
  /** Calls the API with an access token of the default account; `path` is below `/v1`. */
  call: Call;
  /** Returns a function like `call` whose token has these scopes, for the account with the given index. */
  callerWith(scope: string, accountIndex?: number): Promise<Call>;
}

/** Starts a provider on a still clock for `run`, and closes it afterwards. */
export async function withProvider(
  run: (world: DemoWorld) => Promise<void>,
  options: SimulatorOptions = {},
): Promise<void> {
  const clock = stillClock();
  const provider = await startSimulator({ clock, ...options });
  const callerWith = async (scope: string, accountIndex = 0): Promise<Call> => {
    provider.loginAs(accountIndex);
    const { access_token } = await logIn(provider, scope);
    provider.loginAs(0);
    return (method, path, body) => send(`${provider.apiUrl}${path}`, method, access_token, body);
  };
  let mine: Call | undefined;
  try {
    const call: Call = async (...request) => {
      mine ??= await callerWith(USUAL_SCOPES);
      return mine(...request);
    };
    await run({ provider, clock, call, callerWith });
  } finally {
    await provider.close();
  }
}
