import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { openStore } from '../../src/store/file/open.ts';
import { sized } from '../support/scale.ts';
import { buildChild } from './children/build.ts';
import { manualClock, temporaryHome } from './testStore.ts';

const KILLS = sized(25, 6);
const hasSqlite3 = spawnSync('sqlite3', ['--version']).status === 0;

/** Kills the writer `delayMs` after it has acknowledged `count` rows. Returns the number of the last acknowledged row. */
async function writeAndKill(program: string, home: string, count: number, delayMs: number): Promise<number> {
  const child = spawn(process.execPath, [program, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  let acknowledged = 0;
  let seen = 0;
  createInterface(child.stdout).on('line', (line) => {
    acknowledged = Number(line);
    if (++seen === count) setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  return acknowledged;
}

async function numbersIn(home: string): Promise<number[]> {
  const store = await openStore({ home, clock: manualClock(), log: silentLog });
  const rows = store.all<{ number: number }>('select number from written order by number');
  await store.close();
  return rows.map(({ number }) => number);
}

function assertSoundFor(path: string): void {
  if (!hasSqlite3) return;
  const { stdout } = spawnSync('sqlite3', [path, 'pragma integrity_check'], { encoding: 'utf8' });
  assert.equal(stdout, 'ok\n');
}

test(`after each of ${KILLS} kills the file is sound and holds every acknowledged row`, async (t) => {
  if (!hasSqlite3) {
    assert.notEqual(process.env.CI, 'true', 'sqlite3 must be installed here');
    t.diagnostic('sqlite3 is not installed: sql.js alone checks the file');
  }
  const home = temporaryHome(t);
  const program = buildChild('writer');
  let acknowledged = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const count = 1 + Math.floor(Math.random() * 6);
    const delayMs = Math.random() * 12;
    acknowledged = await writeAndKill(program, home, count, delayMs);
    assertSoundFor(join(home, 'relay.db'));
    const found = await numbersIn(home);
    const context = `kill ${kill}, after ${count} rows and ${delayMs.toFixed(1)} ms`;
    // If the kill came between a save and its acknowledgement, one more row is on disk than was acknowledged.
    assert.ok(found.length === acknowledged || found.length === acknowledged + 1, context);
    assert.deepEqual(
      found,
      Array.from({ length: found.length }, (_, index) => index + 1),
      context,
    );
  }
  assert.ok(acknowledged > KILLS);
  assert.deepEqual((await readdir(home)).sort(), ['relay.db', 'relay.lock']);
});
