/** Clients start and kill `relay stdio` as they like. Whatever they do, one process holds the home, or none. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHeld, lockPath, readHolder } from '../../src/store/home/lockFile.ts';
import { relayProcess, temporaryHome } from '../support/cli.ts';
import { longTest } from '../support/scale.ts';
import { type RawStdio, rawStdio } from '../support/stdio.ts';
import { ENCRYPTION_KEY } from '../support/world.ts';

const ROUNDS = 34;
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const;

longTest(
  'after a hundred starts and kills, three at once beside a command, the home is free and its state sound',
  async (t) => {
    const home = temporaryHome(t);
    const env = { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, RELAY_PORT: '0', PATH: '' };
    for (let round = 0; round < ROUNDS; round++) {
      const three = [0, 1, 2].map(() => rawStdio(t, { env }));
      const keys = relayProcess(['key'], { env });
      await Promise.all(three.map((stdio, place) => useAndEnd(stdio, (round + place) % 6)));
      const { code, out, err } = await keys;
      // While a server starts or stops, the command may find the home taken, and says so.
      if (code === 0) assert.match(out, /^\S{32,}\n$/);
      else
        assert.match(
          err,
          /^relay: (?:A relay server is running|Another relay command|The server at|No server)/,
        );
      assert.deepEqual([serversOf(home), await holderOf(home)], [[], null]);
    }
    const last = rawStdio(t, { env });
    assert.ok((await last.ask('tools/list')).result);
    assert.equal(await last.close(), 0);
    assert.equal(existsSync(join(home, 'server.json')), false);
    const status = await relayProcess(['status', '--json'], { env });
    const report = JSON.parse(status.out) as {
      server: unknown;
      database: { status: string };
      problem: unknown;
    };
    assert.deepEqual([report.server, report.database.status, report.problem], [null, 'ok', null]);
  },
);

/** Ends a process in the way that `kind` selects, after its answer or without waiting for one. */
async function useAndEnd(stdio: RawStdio, kind: number): Promise<void> {
  const answered = kind < 3 ? stdio.ask('ping') : stdio.ask('tools/list');
  if (kind % 2 === 0) assert.ok((await answered).result);
  else answered.catch(() => {});
  if (kind === 2) await stdio.close();
  else await stdio.kill(SIGNALS[kind % 3] ?? 'SIGKILL');
}

/** The process that `server.json` names, if it runs. */
function serversOf(home: string): number[] {
  try {
    const { pid } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { pid: number };
    process.kill(pid, 0);
    return [pid];
  } catch {
    return [];
  }
}

/** The process that holds the home, if it runs. */
async function holderOf(home: string): Promise<number | null> {
  const holder = await readHolder(lockPath(home));
  return holder && (await isHeld(holder)) ? holder.pid : null;
}
