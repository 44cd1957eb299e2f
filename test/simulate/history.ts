/** Runs one history from its plan: everything in one process, in virtual time. */
import { createHash } from 'node:crypto';
import type { Incoming } from '../../src/demo/http.ts';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { FaultMatch, FaultRule } from '../support/simulator/faults.ts';
import { Client } from './client.ts';
import { Computer, prepareSimulation } from './computer.ts';
import { MemoryDisk } from './disk.ts';
import { guarded } from './guard.ts';
import { connectedHome } from './home.ts';
import { Network } from './network.ts';
import { createPerson, scheduleMishaps } from './person.ts';
import type { Plan, PlannedFault } from './plan.ts';
import { Spotify, uriOf, urisOf } from './spotify.ts';
import { type Finding, later, type Stage } from './stage.ts';
import { VirtualTime } from './time.ts';

export interface History {
  findings: Finding[];
  /** Hash of all lines. */
  hash: string;
  lines: string[];
}

/** Longer than any history takes, in milliseconds of virtual time. */
const LIMIT = 4 * 86_400_000;

/** @param keepsLines true to return all lines, not only their hash */
export async function runHistory(plan: Plan, keepsLines = false): Promise<History> {
  await prepareSimulation();
  const home = await connectedHome();
  const hash = createHash('sha256');
  const lines: string[] = [];
  const time = new VirtualTime();
  const findings: Finding[] = [];
  const say = (line: () => string) => {
    const text = `${(time.at / 1_000).toFixed(3)} ${line()}`;
    hash.update(text);
    if (keepsLines) lines.push(text);
  };
  const spotify = new Spotify(time, plan.seed, plan.maxRows);
  spotify.fullStatus = plan.fullStatus ?? null;
  home.knownTo(spotify);
  const disk = new MemoryDisk(time);
  disk.put(home.state);
  const lists = plan.lists.map(({ name, rows }, index) => spotify.addPlaylist(name, rows, index));
  spotify.account.saved = plan.saved.map((track) => ({ uri: uriOf(track), addedAt: '2026-01-05T08:00:00Z' }));
  let person: ReturnType<typeof createPerson> | null = null;
  const network = new Network({
    time,
    spotify,
    seed: plan.seed,
    latency: plan.latency,
    say,
    arrived(request) {
      spotify.arrived(request);
      checkAccount(stage, request);
      person?.request(request.method, request.path, true);
    },
    done: ({ method, path }) => person?.request(method, path, false),
  });
  const computer = new Computer({ time, disk, network, spotify, seed: plan.seed, say });
  const stage: Stage = {
    ...{ plan, time, spotify, network, disk, computer, lists, findings, say },
    ...{
      isRestored: false,
      isSwitched: false,
      claimed: new Set(),
      meddled: new Map(),
      replacing: new Map(),
      misnamed: new Set(),
      names: new Map(),
      listed: new Map(),
    },
    found(rule, text) {
      say(() => `WRONG ${rule}: ${text}`);
      findings.push({ rule, text, at: time.at });
    },
  };
  let isOver = false;
  let failure: unknown = null;
  try {
    await guarded(time, async () => {
      const work = live(stage, () => {
        person = createPerson(stage);
      });
      work.then(
        () => {
          isOver = true;
        },
        (error) => {
          failure = error;
          isOver = true;
        },
      );
      const reason = await time.pass(() => isOver, LIMIT);
      if (reason) stage.found(`the history does not end: ${reason}`, `at ${time.at}`);
      if (failure) stage.found('the simulation failed', String(failure));
      computer.end();
    });
  } finally {
    computer.end();
  }
  return { findings, hash: hash.digest('hex'), lines };
}

async function live(stage: Stage, beginPerson: () => void): Promise<void> {
  const { plan, computer, network, spotify, disk } = stage;
  await computer.start();
  spotify.lags = plan.lags;
  for (const track of plan.relinked) spotify.relinked.add(uriOf(track));
  for (const track of plan.vanished) spotify.vanished.add(uriOf(track));
  network.faults.add(...plan.faults.map(ruleOf));
  disk.stepMs = () => 1;
  beginPerson();
  scheduleMishaps(stage);
  const clients = plan.clients.map(({ name, acts }) => new Client(stage, name, acts));
  await Promise.all(clients.map((client) => client.run()));
  stage.say(() => 'the day is over');
  network.faults.clear();
  await later(stage, 50_000);
  if (plan.undoesAll) for (const client of clients) await client.undoAll();
  await later(stage, 25_000);
  judgeEnd(stage);
}

/** Reports a write for another account if relay has no record of a change for that account. */
function checkAccount({ spotify, computer, found }: Stage, request: Incoming): void {
  const account = spotify.accountOf(request);
  if (!request.isApi || request.method === 'GET' || account === null || account === spotify.account) return;
  const known = computer.services?.store.get<{ count: number }>(
    'select count(*) as count from changes where account = ?',
    [account.id],
  );
  if (known?.count === 0) found('a change of one account is sent for another', request.path);
}

/** Checks that what answers said is still true once everything has come to rest. */
function judgeEnd(stage: Stage): void {
  const { spotify, found, names, listed, meddled, isSwitched } = stage;
  const isRenamed = (playlist: DemoPlaylist, from: number) =>
    spotify.effects
      .slice(from)
      .some(({ by, what, playlist: on }) => by === 'person' && on === playlist && what.startsWith('renames'));
  const hasLeft = (playlist: DemoPlaylist, from: number) => (spotify.leftAfter.get(playlist) ?? -1) >= from;
  for (const [playlist, { name, from }] of names)
    if (playlist.name !== name && !isRenamed(playlist, from))
      found('the end: a name changed after it was told', `"${playlist.name}" in place of "${name}"`);
  for (const [playlist, { isListed, from }] of listed)
    if (spotify.account.playlists.includes(playlist) !== isListed && !hasLeft(playlist, from))
      found(
        `the end: a playlist is ${isListed ? 'gone' : 'there'} after it was told otherwise`,
        playlist.name,
      );
  for (const [playlist, uris] of meddled) {
    if (uris === null || spotify.persons.has(playlist)) continue;
    const present = urisOf(playlist);
    const isWhole = present.length === uris.length && present.every((uri, index) => uri === uris[index]);
    const last = spotify.effects.filter((effect) => effect.playlist === playlist).at(-1);
    if (!isWhole && last?.by === 'relay')
      found(
        'create: another tool wrote to the new playlist meanwhile',
        `${present.length} rows in place of ${uris.length}`,
      );
  }
  const guest = spotify.world.accounts[1];
  if (guest && !isSwitched && guest.playlists.length + guest.saved.length > 0)
    found("the end: something is in another's account", '');
}

const WHERE: Readonly<Record<PlannedFault['of'], FaultMatch>> = {
  rows: { path: /\/items$/, where: ({ method }) => method !== 'GET' },
  library: { path: '/me/library', where: ({ method }) => method !== 'GET' },
  details: { method: 'PUT', path: /^\/playlists\/[^/]+$/ },
  create: { method: 'POST', path: '/me/playlists' },
  read: { method: 'GET', path: /^\/(playlists|me)\// },
  any: { path: /^\/(playlists|me)\// },
};

function ruleOf({ of, action, skip = 0, times = 1 }: PlannedFault): FaultRule {
  return { ...WHERE[of], skip, times, ...action };
}
