/**
 * The server in a process of its own, on the fast clock of the test; its sockets use real time. Over IPC it sends its
 * addresses, answers `probe` with its memory and descriptors, and ends on `stop`.
 */
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, systemClock, systemRandom } from '../../../src/base/clock.ts';
import { loadSettings } from '../../../src/config/settings.ts';
import { createLog } from '../../../src/server/log/log.ts';
import { startServer } from '../../../src/server/start.ts';

export interface Reading {
  /** Bytes that are left once the garbage is collected. */
  heapUsed: number;
  /** Open descriptors. */
  descriptors: number;
}

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;
const factor = Number(process.env.FAST_TIME_FACTOR);
const begin = Number(process.env.FAST_TIME_BEGIN);
const since = Number(process.env.FAST_TIME_SINCE);
const clock: Clock = {
  now: () => Math.floor(begin + (Number(process.hrtime.bigint()) / 1e6 - since) * factor),
  monotonic: () => performance.now() * factor,
  sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
};

function reading(): Reading {
  for (let count = 0; count < 3; count++) collect();
  const descriptors = readdirSync(process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd').length;
  return { heapUsed: process.memoryUsage().heapUsed, descriptors };
}

async function main(): Promise<void> {
  const settings = loadSettings({ env: process.env });
  const log = createLog(settings);
  const rest = { clock, random: systemRandom, log, version: '0.0.0-test' };
  const server = await startServer({ settings, ...rest });
  process.on('message', (message) => {
    if (message === 'probe') process.send?.(reading());
    if (message === 'stop') void server.close().then(() => process.disconnect());
  });
  process.send?.({ mcpUrl: server.mcpUrl, baseUrl: server.baseUrl });
}

void main();
