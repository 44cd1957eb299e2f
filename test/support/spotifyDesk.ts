/** A desk whose relay talks to a simulated Spotify. The simulated Spotify keeps running when the relay server stops. */
import { type Desk, withDesk } from './program.ts';
import { type Simulator, type SimulatorOptions, settingsFor, startSimulator } from './simulator/simulator.ts';

/** Gives `work` the desk, the provider, and a set that collects every token that the provider hands out. */
export async function withSpotifyDesk(
  { env, ...options }: SimulatorOptions & { env?: Record<string, string> },
  work: (desk: Desk, provider: Simulator, tokens: Set<string>) => Promise<void>,
): Promise<void> {
  const provider = await startSimulator(options);
  const tokens = new Set<string>();
  const fn = (body: unknown) => {
    const { access_token, refresh_token } = body as Record<string, string | undefined>;
    for (const token of [access_token, refresh_token]) if (token) tokens.add(token);
    return body;
  };
  provider.faults.add({ path: /\/api\/token$/, kind: 'transform', times: Number.POSITIVE_INFINITY, fn });
  try {
    await withDesk({ ...settingsFor(provider), ...env }, (desk) => work(desk, provider, tokens));
  } finally {
    await provider.close();
  }
}
