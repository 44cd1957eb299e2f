/** An import that is killed leaves nothing or all, and the next import completes it. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSqlite } from '../../../src/store/sql/sqlite.ts';
import { withDesk } from '../../support/program.ts';
import { longTest, sized } from '../../support/scale.ts';
import { doorOf, ENCRYPTION_KEY } from '../../support/world.ts';
import { extended, zipped } from './exports.ts';

const PLAYS = sized(60_000, 2_000);
const KILLS = sized(8, 1);

async function playsIn(home: string): Promise<number> {
  const bytes = await readFile(join(home, 'memory.db')).catch(() => null);
  if (bytes === null) return 0;
  const SQL = await loadSqlite();
  const db = new SQL.Database(bytes);
  try {
    assert.deepEqual(db.exec('pragma integrity_check')[0]?.values, [['ok']]);
    return Number(db.exec('select count(*) from plays')[0]?.values[0]?.[0]);
  } finally {
    db.close();
  }
}

longTest('an import that is killed leaves nothing or all, and the next one completes it', (t) =>
  withDesk({ RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY }, async ({ home, serve, relay }) => {
    const path = join(home, 'export.zip');
    const start = Date.UTC(2020, 0, 1);
    const rows = Array.from({ length: PLAYS }, (_, at) =>
      extended({ at: `${new Date(start + at * 1_000).toISOString().slice(0, 19)}Z`, song: at % 500 }),
    );
    await writeFile(path, zipped({ 'endsong_0.json': rows }));
    const states: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { server } = await serve();
      const local = await doorOf(home);
      const { id } = await local.importPlays({ path, anyAccount: false });
      // The first import is killed at once. Every second one is killed once it has read the file: while it adds plays, or just
      // after.
      let state = 'begun';
      const look = async () => {
        ({ state } = await local.playsProgress({ id }));
      };
      if (kill > 0) await look();
      while (kill % 2 === 1 && state === 'reading') await look();
      states.push(state);
      await server.stop('SIGKILL');
      const left = await playsIn(home);
      assert.ok(left === 0 || left === PLAYS, `${left} plays after a kill while ${state}`);
    }
    t.diagnostic(`killed while ${states.join(', ')}`);
    const { ready } = await serve();
    assert.ok(ready.pid > 0);
    const { code, out, err } = await relay(['import', path, '--json']);
    assert.equal(code, 0, err);
    const { read, total } = JSON.parse(out).plays;
    assert.deepEqual([read, total], [PLAYS, PLAYS]);
    assert.equal(await playsIn(home), PLAYS);
  }),
);
