/**
 * A home to which an account is connected. Most histories begin with a copy of it, since a first start and a login would take a
 * tenth of their time.
 */
import { lazy } from '../../src/base/memoised.ts';
import type { StateFile } from '../../src/store/file/stateFile.ts';
import { CLIENT_ID, Computer } from './computer.ts';
import { MemoryDisk } from './disk.ts';
import { guarded } from './guard.ts';
import { Network } from './network.ts';
import { Spotify } from './spotify.ts';
import { VirtualTime } from './time.ts';

export interface ConnectedHome {
  state: StateFile;
  /** Makes the login valid at a Spotify. */
  knownTo(spotify: Spotify): void;
}

/** How long before a history the login is, in milliseconds. */
const EARLIER_MS = 10 * 60_000;
/** How long the first start and the login may take, in milliseconds. */
const LIMIT = 60_000;

/** Makes the home once in a process. It is the same in every process. */
export const connectedHome = lazy(make);

async function make(): Promise<ConnectedHome> {
  const time = new VirtualTime();
  time.shifted = -EARLIER_MS;
  const spotify = new Spotify(time, 0, null);
  let granted = { access_token: '', refresh_token: '', scope: '' };
  const { rules } = spotify;
  const { handle } = rules;
  rules.handle = (request) => {
    const answer = handle(request);
    if (request.path === '/api/token') granted = answer.json as typeof granted;
    return answer;
  };
  const disk = new MemoryDisk(time);
  const quiet = { say() {}, arrived() {}, done() {} };
  const network = new Network({ time, spotify, seed: 0, latency: [20, 20], ...quiet });
  const computer = new Computer({ time, disk, network, spotify, seed: 0, say() {} });
  let isOver = false;
  await guarded(time, async () => {
    const work = (async () => {
      await computer.start();
      if (!(await computer.login(0))) throw new Error('The login failed.');
      await computer.stop();
    })();
    const ended = work.finally(() => {
      isOver = true;
    });
    const reason = await time.pass(() => isOver, LIMIT);
    if (reason !== null) throw new Error(`The login did not end: ${reason}.`);
    await ended;
  });
  const state = disk.content;
  if (!state) throw new Error('The login left no state.');
  return {
    state,
    knownTo({ rules, account }) {
      const tokens = { access: granted.access_token, refresh: granted.refresh_token };
      rules.grants.accept(tokens, account, granted.scope, CLIENT_ID);
    },
  };
}
