/** Clients of both eras at work in one relay, each with its model, while the provider has a bad day. */
import assert from 'node:assert/strict';
import type { Clock } from '../../../src/base/clock.ts';
import type { Hook } from '../../../src/demo/hook.ts';
import { chanceOf } from '../../changes/crash/chance.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import { type Caller, connectCaller, ERAS } from './callers.ts';
import { beginFaults, LATEST_MS } from './faults.ts';
import { memberOf } from './member.ts';
import { type Stage, stageOf } from './stage.ts';
import { assertHolds } from './target.ts';
import { doSomething, learn, type Person, personOf, targetsOf, undoAll } from './tasks.ts';

/** A new seed on each run, unless `RELAY_TEST_SEED` names one. */
export const SEED = Number(process.env.RELAY_TEST_SEED ?? Date.now() % 2 ** 31);

export interface CrewOptions {
  provider: Simulator;
  clock: Clock;
  mcpUrl: string;
  clients: number;
  /** Share of the provider's requests that meet a fault, from 0 to 1. */
  share: number;
  seed: number;
  /** Error codes that relay may answer besides those that a provider's bad day explains. */
  allowed?: readonly string[];
}

interface CrewReport {
  calls: number;
  /** How often each fault came up. */
  faults: Record<string, number>;
  /** How often each tool ended with each result. */
  ends: Record<string, Record<string, number>>;
}

export interface Crew {
  readonly stage: Stage;
  /** Lets the clients work for `realMs`, waits until all is at rest, and compares everything. May be called again. */
  work(realMs: number): Promise<void>;
  /** Ends the faults, undoes what can be undone, compares again, and disconnects. */
  end(): Promise<CrewReport>;
}

/**
 * A hook that notes every state of the provider. The provider starts before the crew's stage, so the stage sets later how to
 * note.
 */
export function noting(): { around: (next: Hook) => Hook; note: (work: () => void) => void } {
  let note = () => {};
  return {
    around: (next) => (context) => {
      if (context.request.method === 'GET') return next(context);
      const handle = () => {
        note();
        const answer = context.handle();
        note();
        return answer;
      };
      return next({ ...context, handle });
    },
    note(work) {
      note = work;
    },
  };
}

export async function gatherCrew(options: CrewOptions & { notes: ReturnType<typeof noting> }): Promise<Crew> {
  const { provider, clock, mcpUrl, clients, share, seed, notes, allowed = [] } = options;
  let isOn = true;
  const stage = stageOf(provider, clock);
  notes.note(stage.note);
  const callers: Caller[] = [];
  const people: Person[] = [];
  for (let index = 0; index < clients; index++) {
    const caller = await connectCaller(mcpUrl, ERAS[index % ERAS.length] ?? ERAS[0]);
    callers.push(caller);
    const name = `client ${index}`;
    people.push(personOf(memberOf(stage, caller, name, chanceOf(seed + index * 7_919), allowed), index));
  }
  const first = people[0];
  assert.ok(first);
  const lister = first.member;
  stage.note();
  await learn(first);
  const weather = beginFaults(provider, chanceOf(seed + 104_729), share);

  /** If `work` fails, adds to the error what the client did, what was sent for it, and the seed. */
  async function told(person: Person, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      isOn = false;
      const sent = provider.requests
        .filter(({ path }) => path.includes(person.playlist.id) || path.includes(stage.shared.id))
        .slice(-60)
        .map(({ method, path, query, status, at, body }) => {
          const { uris, items = uris, ...rest } = (body ?? {}) as { uris?: unknown[]; items?: unknown[] };
          const what = items ? `${items.length} URIs ` : '';
          return `${at} ${method} ${path} ${JSON.stringify(query)} ${what}${JSON.stringify(rest)}: ${status}`;
        });
      const { name, lines } = person.member;
      const what = `RELAY_TEST_SEED=${seed}: ${name}: ${(error as Error).message}`;
      const recorded = await recordedFor(person).catch((thrown: unknown) => [`not known: ${thrown}`]);
      const told = [what, ...lines, 'sent:', ...sent, 'recorded:', ...recorded];
      throw new Error(told.join('\n'), { cause: error });
    }
  }

  /** The last changes and jobs of a client's playlists, as relay lists them. */
  async function recordedFor(person: Person): Promise<string[]> {
    const lists = await Promise.all(['list_changes', 'list_jobs'].map((tool) => person.member.ask(tool, {})));
    const rows = lists.flatMap(({ items }) => items as Array<{ playlist_id: string | null }>);
    const own = rows.filter(({ playlist_id }) => playlist_id !== stage.shared.id);
    const told = own.filter(({ playlist_id }) => playlist_id === null || playlist_id === person.playlist.id);
    return told.slice(0, 40).map((row) => JSON.stringify(row));
  }

  const each = (work: (person: Person) => Promise<void>) =>
    all(people.map((person) => told(person, () => work(person))));

  async function rest(): Promise<void> {
    await clock.sleep(LATEST_MS + 2_000);
    await each(async (person) => {
      for (const target of targetsOf(person)) assertHolds(target, 'everything');
    });
  }

  async function assertNothingOpen(): Promise<void> {
    const { allOf } = lister;
    const jobs = await allOf<{ status: string; review_required: boolean }>('list_jobs');
    const changes = await allOf<{ state: string }>('list_changes');
    // A job that failed counts as over: its caller may have left, and then nobody resumes it.
    const isOver = ({ status, review_required }: (typeof jobs)[number]) =>
      ['completed', 'cancelled', 'failed'].includes(status) && !review_required;
    const open = [
      ...jobs.filter((job) => !isOver(job)),
      ...changes.filter(({ state }) => !['done', 'partial', 'rolled_back', 'unchanged'].includes(state)),
    ];
    assert.deepEqual(open, [], `RELAY_TEST_SEED=${seed}`);
  }

  return {
    stage,
    async work(realMs) {
      isOn = true;
      const end = performance.now() + realMs;
      await each(async (person) => {
        while (isOn && performance.now() < end) {
          await doSomething(person);
          await clock.sleep(person.member.chance.whole(0, 400));
        }
      });
      await rest();
      await assertNothingOpen();
    },
    async end() {
      weather.clear();
      await clock.sleep(LATEST_MS);
      await each(undoAll);
      await rest();
      await assertNothingOpen();
      for (const caller of callers) await caller.close();
      const ends = Object.values(stage.ends);
      const calls = ends.reduce((sum, one) => sum + Object.values(one).reduce((a, b) => a + b, 0), 0);
      return { calls, faults: weather.met, ends: stage.ends };
    },
  };
}

/** Waits until all works have ended, and then fails if one has failed. */
async function all(works: ReadonlyArray<Promise<void>>): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
