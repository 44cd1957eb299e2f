/** Runs a few clients with their models in the test's process. */
import type { Clock } from '../../../src/base/clock.ts';
import { type JumpingClock, jumpingClock } from '../../support/jumpingClock.ts';
import { type Relay, type RelayOptions, withRelay } from '../../support/world.ts';
import { type Crew, type CrewReport, gatherCrew, noting, SEED } from './crew.ts';

export interface WithCrewOptions extends Omit<RelayOptions, 'clock' | 'client' | 'provider'> {
  clients: number;
  /** Share of the provider's requests that meet a fault, from 0 to 1. */
  share: number;
  /** The program's clock, if it differs from the provider's. */
  relayClock?: (clock: JumpingClock) => Clock;
  /** Error codes that relay may answer besides those that a provider's bad day explains. */
  allowed?: readonly string[];
}

/** Runs `work` with a crew, then ends the crew, which compares everything. */
export async function withCrew(
  options: WithCrewOptions,
  work: (crew: Crew, clock: JumpingClock, relay: Relay) => Promise<void>,
): Promise<CrewReport> {
  const { clients, share, relayClock, allowed = [], ...rest } = options;
  const clock = jumpingClock();
  const notes = noting();
  const provider = { clock, around: notes.around };
  const env = { RELAY_TOOLSETS: 'all', ...rest.env };
  let report: CrewReport | null = null;
  await withRelay(
    { ...rest, env, clock: relayClock?.(clock) ?? clock, client: false, provider },
    async (relay) => {
      const crew = await gatherCrew({
        provider: relay.provider,
        clock,
        mcpUrl: relay.server.mcpUrl,
        clients,
        share,
        seed: SEED,
        notes,
        allowed,
      });
      await work(crew, clock, relay);
      report = await crew.end();
    },
  );
  if (!report) throw new Error('The crew has not ended.');
  return report;
}
