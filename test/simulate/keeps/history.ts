/** Runs one history of kept playlists from its plan: everything in one process, in virtual time. */
import { createHash } from 'node:crypto';
import { createLibrary } from '../../../src/library/library.ts';
import { Computer, prepareSimulation } from '../computer.ts';
import { MemoryDisk } from '../disk.ts';
import { guarded } from '../guard.ts';
import type { History } from '../history.ts';
import { Network } from '../network.ts';
import { VirtualTime } from '../time.ts';
import { happen, keepRule } from './actors.ts';
import { LibraryFiles } from './libraryFiles.ts';
import { judgeIdle, judgeKeep, judgeWrites } from './oracle.ts';
import { HOUR, type KeepPlan, MINUTE } from './plan.ts';
import { after, call, type KeepStage, keeps } from './stage.ts';
import { KeepSpotify, rowOf, rowUri } from './world.ts';

/** Longer than any history takes, in milliseconds of virtual time. */
const LIMIT = 30 * 24 * HOUR;

/** @param keepsLines true to return all lines, not only their hash */
export async function runKeepHistory(plan: KeepPlan, keepsLines = false): Promise<History> {
  await prepareSimulation();
  const hash = createHash('sha256');
  const lines: string[] = [];
  const time = new VirtualTime();
  const { seed } = plan;
  const say = (line: () => string) => {
    const text = `${(time.at / 1_000).toFixed(3)} ${line()}`;
    hash.update(text);
    if (keepsLines) lines.push(text);
  };
  const spotify = new KeepSpotify(time, plan);
  const disk = new MemoryDisk(time);
  const files = new LibraryFiles();
  const lists = plan.lists.map(({ name, rows }, index) => {
    const playlist = spotify.addPlaylist(name, [], index);
    playlist.rows = rows.map((row) => ({ ...rowOf(rowUri(row)), addedAt: '2026-01-05T08:00:00Z' }));
    return playlist;
  });
  const requests: KeepStage['requests'] = [];
  const network = new Network({
    ...{ time, spotify, seed, say, latency: plan.latency },
    arrived(request) {
      spotify.arrived(request);
      requests.push({ at: time.at, method: request.method, path: request.path });
    },
    done() {},
  });
  const computer = new Computer({
    ...{ time, disk, network, spotify, seed, say },
    library: (options, isAlive) =>
      createLibrary({
        ...options,
        ground: { disk: files.forProcess(time, isAlive), pool: () => files.pool() },
      }),
  });
  const stage: KeepStage = {
    ...{ plan, time, spotify, network, disk, files, computer, lists, requests, say },
    findings: [],
    texts: plan.rules.map(({ text }) => text),
    said: new Map(),
    meddled: [],
    accepted: [],
    kept: new Set(),
    isRestored: false,
    atEnd: [],
    found(rule, text) {
      say(() => `WRONG ${rule}: ${text}`);
      stage.findings.push({ rule, text, at: time.at });
    },
  };
  let isOver = false;
  try {
    await guarded(time, async () => {
      live(stage)
        .catch((error) => stage.found('the simulation failed', String((error as Error).stack ?? error)))
        .finally(() => {
          isOver = true;
        });
      const reason = await time.pass(() => isOver, LIMIT);
      if (reason) stage.found(`the history does not end: ${reason}`, `at ${time.at}`);
      computer.end();
    });
  } finally {
    computer.end();
  }
  return { findings: stage.findings, hash: hash.digest('hex'), lines };
}

async function live(stage: KeepStage): Promise<void> {
  const { plan, computer, spotify, network, time } = stage;
  await computer.start();
  if (!(await computer.login(0))) throw new Error('The login failed.');
  spotify.lags = plan.lags;
  for (const [index, rule] of plan.rules.entries()) await keepRule(stage, rule, index);
  const begun = time.at;
  await Promise.all(
    plan.events.map(async (event) => {
      await after(stage, event.at);
      await happen(stage, event);
    }),
  );
  await after(stage, Math.max(0, begun + plan.busy - time.at));
  stage.say(() => 'everything comes to rest');
  network.faults.clear();
  network.isOffline = false;
  if (!computer.isUp) await computer.start();
  for (const { id, status } of await keeps(stage))
    if (status === 'paused') await call(stage, 'update_kept_playlist', { keep_id: id, action: 'resume' });
  await after(stage, plan.quiet);
  const from = time.at;
  await after(stage, plan.every === 'day' ? 24 * HOUR : HOUR);
  const items = await keeps(stage);
  judgeIdle(stage, from, time.at - MINUTE / 2, items);
  for (const keep of items) judgeKeep(stage, keep);
  judgeWrites(stage);
  for (const judge of stage.atEnd) judge();
}
