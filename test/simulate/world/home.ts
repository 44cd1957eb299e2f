/**
 * A home to which an account is connected. Most histories begin with a copy of it, since a first start and a login would take a
 * tenth of their time.
 */
import { lazy } from '../../../src/base/memoised.ts';
import type { FileContent } from '../../../src/store/disk.ts';
import { Computer } from './computer.ts';
import { MemoryDisk } from './disk.ts';
import { guarded } from './guard.ts';
import { Network } from './network.ts';
import { Spotify } from './spotify.ts';
import { VirtualTime } from './time.ts';

/** How long before a history the login is, in milliseconds. */
const EARLIER_MS = 10 * 60_000;
/** How long the first start and the login may take, in milliseconds. */
const LIMIT = 60_000;

/** Makes the home once in a process. It is the same in every process. */
export const connectedHome = lazy(async () => {
  const time = new VirtualTime(-EARLIER_MS);
  const spotify = new Spotify(time, 0);
  let granted = { access_token: '', refresh_token: '', scope: '' };
  const { handle } = spotify.rules;
  spotify.rules.handle = (request) => {
    const answer = handle(request);
    if (request.path === '/api/token') granted = answer.json as typeof granted;
    return answer;
  };
  const disk = new MemoryDisk(time);
  const network = new Network({ time, spotify, seed: 0, latency: [20, 20], say() {} });
  const computer = new Computer({ time, disk, network, spotify, seed: 0 });
  let isOver = false;
  await guarded(time, async () => {
    const work = async () => {
      await computer.start();
      await computer.login();
      await computer.stop();
      isOver = true;
    };
    await Promise.all([work(), time.pass(() => isOver, LIMIT)]);
  });
  return {
    state: disk.content('/relay.db') as FileContent,
    /** Makes the login valid at a Spotify. */
    knownTo({ rules, account }: Spotify) {
      rules.logins.issueAccess(account, granted.scope, granted.access_token);
      rules.logins.issueRefresh(account, granted.scope, granted.refresh_token);
    },
  };
});
