import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { poll } from '../changes/settled.ts';
import { buildChild } from '../store/children/build.ts';
import { sharedFastClock } from '../support/fastClock.ts';
import { longTest } from '../support/scale.ts';
import { startSimulator } from '../support/simulator/simulator.ts';
import { API_KEY, connectAccount, ENCRYPTION_KEY } from '../support/world.ts';
import { gatherCrew, noting, SEED } from './model/crew.ts';
import type { Reading } from './model/server.ts';

/** Seconds of real time that the clients work, in three parts. The test's clock runs eight times as fast. */
const SECONDS = Number(process.env.RELAY_TEST_SECONDS ?? 12);

/**
 * How much the heap may grow after the first third. relay keeps the rows of eight playlists in memory. A row takes some 700 bytes,
 * and a playlist here has up to 700 rows.
 */
const HEAP_BYTES = 8 * 1024 * 1024;

interface Program {
  mcpUrl: string;
  baseUrl: string;
  /** The server's memory and descriptors now. */
  probe(): Promise<Reading>;
  /** Stops the server in an orderly way. */
  stop(): Promise<{ code: number | null; err: string }>;
}

/** Runs `work` with the server as a process of its own. */
async function withProgram(
  env: Record<string, string>,
  work: (program: Program) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'relay-load-'));
  const child = fork(buildChild(new URL('./model/server.ts', import.meta.url)), {
    env: { PATH: process.env.PATH, RELAY_HOME: home, ...env },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close');
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const told = async (): Promise<unknown> => {
    const dead = ended.then(() => assert.fail(`the program ended: ${err}`));
    return (await Promise.race([once(child, 'message'), dead]))[0];
  };
  try {
    const { mcpUrl, baseUrl } = (await told()) as Program;
    await work({
      mcpUrl,
      baseUrl,
      probe() {
        child.send('probe');
        return told() as Promise<Reading>;
      },
      async stop() {
        child.send('stop');
        const [code] = await ended;
        return { code, err };
      },
    });
  } catch (error) {
    if (err !== '' && error instanceof Error) error.message += `\nthe program's log:\n${err.slice(-5_000)}`;
    throw error;
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}

longTest(
  'sixteen clients of both eras at once on bad days: nothing lost, nothing wrong, nothing grows',
  async (t) => {
    t.diagnostic(`RELAY_TEST_SEED=${SEED}`);
    const clock = sharedFastClock(8);
    const notes = noting();
    const provider = await startSimulator({ clock, around: notes.around });
    const env = {
      RELAY_PORT: '0',
      RELAY_TOOLSETS: 'all',
      RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      MCP_API_KEY: API_KEY,
      PROVIDER_CLIENT_ID: provider.clientId,
      PROVIDER_API_URL: provider.apiUrl,
      PROVIDER_ACCOUNTS_URL: provider.accountsUrl,
      LOG_LEVEL: 'error',
      FAST_TIME_FACTOR: String(clock.factor),
      FAST_TIME_BEGIN: clock.env.FAST_TIME_BEGIN ?? '',
      FAST_TIME_SINCE: clock.env.FAST_TIME_SINCE ?? '',
    };
    try {
      await withProgram(env, async (program) => {
        const { mcpUrl } = program;
        await connectAccount(program.baseUrl);
        const { descriptors } = await program.probe();
        const crew = await gatherCrew({
          provider,
          clock,
          mcpUrl,
          clients: 16,
          share: 0.05,
          seed: SEED,
          notes,
        });
        const readings: Reading[] = [];
        for (let third = 0; third < 3; third++) {
          await crew.work((SECONDS * 1000) / 3);
          readings.push(await program.probe());
        }
        const report = await crew.end();
        t.diagnostic(JSON.stringify({ ...report, readings, factor: clock.factor }));
        const [first, , last] = readings;
        assert.ok(first && last && last.heapUsed - first.heapUsed < HEAP_BYTES, JSON.stringify(readings));
        // relay keeps idle connections to the provider until the provider closes them, as it does here.
        await provider.offline(true);
        const isFree = async () => ((await program.probe()).descriptors <= descriptors ? true : null);
        assert.ok(await poll(isFree, 60_000), `more than ${descriptors} descriptors stay open`);
        assert.deepEqual(await program.stop(), { code: 0, err: '' });
      });
    } finally {
      await provider.close();
    }
  },
);
