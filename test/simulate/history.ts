/** Plays one history from its plan: everything in one process, in virtual time. */
import { createHash } from 'node:crypto';
import { Client, later, type Stage } from './client.ts';
import { type Finding, shown } from './oracle.ts';
import type { Mishap, Plan } from './plan.ts';
import { Computer, prepareSimulation } from './world/computer.ts';
import { MemoryDisk } from './world/disk.ts';
import { guarded } from './world/guard.ts';
import { Network } from './world/network.ts';
import { Spotify, uriOf, urisOf } from './world/spotify.ts';
import { VirtualTime } from './world/time.ts';

export interface History {
  findings: Finding[];
  /** Hash of all lines. */
  hash: string;
  lines: string[];
}

/** Longer than any history takes, in milliseconds of virtual time. */
const LIMIT = 40 * 86_400_000;

/** What a history says and finds. */
export interface Log {
  say(line: () => string): void;
  found(finding: Finding): void;
  end(): History;
}

/** @param keepsLines true to return all lines, not only their hash */
export function createLog(time: VirtualTime, keepsLines: boolean): Log {
  const hash = createHash('sha256');
  const lines: string[] = [];
  const findings: Finding[] = [];
  const say = (line: () => string) => {
    const text = `${(time.at / 1_000).toFixed(3)} ${line()}`;
    hash.update(text);
    if (keepsLines) lines.push(text);
  };
  return {
    say,
    found(finding) {
      say(() => `WRONG ${finding.rule}: ${finding.text}`);
      findings.push(finding);
    },
    end: () => ({ findings, hash: hash.digest('hex'), lines }),
  };
}

/** Runs `work` in virtual time to its end. */
export async function play(time: VirtualTime, { found }: Log, computer: Computer, work: () => Promise<void>) {
  let isOver = false;
  const fails = (text: string) => found({ kind: 'end', rule: 'the history does not end', text });
  try {
    await guarded(time, async () => {
      void work()
        .catch((error) => fails(String(error?.stack ?? error)))
        .finally(() => {
          isOver = true;
        });
      const reason = await time.pass(() => isOver, LIMIT);
      if (reason) fails(reason);
      computer.end();
    });
  } finally {
    computer.end();
  }
}

/** @param keepsLines true to return all lines, not only their hash */
export async function runHistory(plan: Plan, keepsLines = false): Promise<History> {
  await prepareSimulation();
  const { seed } = plan;
  const time = new VirtualTime();
  const record = createLog(time, keepsLines);
  const { say, found } = record;
  const spotify = new Spotify(time, seed);
  const disk = new MemoryDisk(time);
  const list = spotify.addPlaylist('List', plan.rows.map(uriOf));
  spotify.save(plan.saved.map(uriOf));
  const network = new Network({ time, spotify, seed, latency: plan.latency, say });
  const computer = new Computer({ time, disk, network, spotify, seed });
  const stage: Stage = { plan, time, spotify, network, disk, computer, list, say, found };
  const held = () => [...urisOf(list), list.name, ...spotify.account.saved.map(({ uri }) => uri).sort()];
  const atFirst = held();
  await play(time, record, computer, async () => {
    await computer.start();
    if (!(await computer.login())) throw new Error('The login failed.');
    spotify.lag = plan.lag;
    network.faults.add(...plan.faults);
    const client = new Client(stage);
    for (const mishap of plan.mishaps)
      time.after(mishap.at, () => void befall(stage, mishap, client), 'computer');
    await client.run();
    if (plan.subject !== 'person' && String(atFirst) !== String(held()))
      found({ kind: 'rows', rule: 'the end: not as at the beginning', text: shown(held()) });
  });
  return record.end();
}

/** How often a login is tried: enough for a network that is gone for minutes. */
const LOGINS = 60;

/** Lets something happen to the computer, the network or the disk. */
export async function befall(
  stage: Omit<Stage, 'plan' | 'spotify' | 'list' | 'found'>,
  { do: what, ms }: Pick<Mishap, 'do' | 'ms'>,
  client: Client | null,
): Promise<void> {
  const { computer, time, disk, network, say } = stage;
  say(() => `mishap: ${what} for ${ms}`);
  switch (what) {
    case 'kill':
    case 'power':
    case 'stop': {
      if (!computer.isUp) return;
      if (what === 'stop') await computer.stop();
      else computer.kill();
      if (what === 'power') disk.losePower();
      await later(stage, ms / 2);
      const acted = client?.whileDown();
      await later(stage, ms / 2);
      await computer.start();
      return acted?.();
    }
    case 'sleep':
      return time.sleepComputer(ms);
    case 'disk':
      disk.fullUntil = time.at + ms;
      return;
    case 'offline':
      network.isOffline = true;
      await later(stage, ms);
      network.isOffline = false;
      return;
    case 'logout':
      await computer.logout();
      await later(stage, ms);
      for (let login = 1; login <= LOGINS && !(await computer.login()); login++) await later(stage, 5_000);
  }
}
