/** Measures how startup time, memory, alias lookups, saves and the longest event loop turn grow with the size of the state. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { aliasKey } from '../../src/music/trackQuery.ts';
import { getAlias } from '../../src/store/tables/aliases.ts';
import { mcpClient } from '../../test/support/world.ts';
import { fillHome, knownSong, NO_PAST, openHome, type Past } from './homes.ts';
import { median, startBare, startRelay } from './program.ts';

export interface GrowthRow {
  tracks: number;
  /** Size of the state in MB. */
  state: number;
  /** Milliseconds from the start until the program is ready. */
  ready: number;
  /** Ratio of `ready` to that of an empty home. */
  toEmpty: number;
  /** Resident memory when ready, in MB. */
  memory: number;
  memoryToEmpty: number;
  /** Time of one alias lookup, in microseconds. */
  alias: number;
  /** Time until one change is on disk, in milliseconds. */
  save: number;
  saveToEmpty: number;
  /** Longest turn, in milliseconds of processor time, while a job of 10,000 songs is created and its songs are looked up. */
  longest: number;
  /** The longest turn in milliseconds of real time. `idleWall`: the same for a bare Node.js server that does nothing meanwhile. */
  longestWall: number;
  idleWall: number;
}

const JOBS = 1_000;
const DAYS = 90;
const TRACKS = [1_000, 10_000, 100_000];
const STARTS = 3;
const SONGS = 10_000;
const LOOKUPS = 2_000;
const SAVES = 9;

/** Takes about a minute. */
export async function growth(): Promise<GrowthRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  try {
    const rows: GrowthRow[] = [];
    for (const tracks of [0, ...TRACKS]) {
      const past = tracks === 0 ? NO_PAST : { tracks, jobs: JOBS, days: DAYS };
      const row = await measured(join(folder, String(tracks)), past);
      const empty = rows[0] ?? row;
      rows.push({
        ...row,
        toEmpty: row.ready / empty.ready,
        memoryToEmpty: row.memory / empty.memory,
        saveToEmpty: row.save / empty.save,
      });
      rmSync(join(folder, String(tracks)), { recursive: true, force: true });
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(folder: string, past: Past): Promise<GrowthRow> {
  const home = join(folder, 'home');
  mkdirSync(folder);
  await fillHome(home, past);
  const state = statSync(join(home, 'relay.db')).size / 1e6;
  const statements = await timedStatements(home, past.tracks);
  const starts = await timedStarts(folder, home);
  const turns = await longestTurns(folder, home);
  const own = { toEmpty: 1, memoryToEmpty: 1, saveToEmpty: 1 };
  return { tracks: past.tracks, state, ...starts, ...statements, ...turns, ...own };
}

async function timedStatements(home: string, tracks: number): Promise<{ alias: number; save: number }> {
  const store = await openHome(home);
  const saves: number[] = [];
  try {
    for (let save = 0; save < SAVES; save++) {
      const begin = performance.now();
      await store.durable(() =>
        store.run("insert or replace into meta (name, value) values ('bench', ?)", [save]),
      );
      saves.push(performance.now() - begin);
    }
    const keys = Array.from({ length: LOOKUPS }, (_, index) =>
      aliasKey(knownSong((index * 7) % (tracks || 1))),
    );
    for (const key of keys) getAlias(store, key);
    const begin = performance.now();
    for (const key of keys) getAlias(store, key);
    const alias = ((performance.now() - begin) / LOOKUPS) * 1_000;
    await store.durable(() => store.run("delete from meta where name = 'bench'"));
    return { alias, save: median(saves) };
  } finally {
    await store.close();
  }
}

async function timedStarts(folder: string, home: string): Promise<{ ready: number; memory: number }> {
  const ready: number[] = [];
  const memory: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    const copy = join(folder, `start ${turn}`);
    cpSync(home, copy, { recursive: true });
    const program = await startRelay(copy);
    ready.push(program.readyMs);
    memory.push(program.memory());
    await program.end();
  }
  return { ready: median(ready), memory: median(memory) };
}

async function longestTurns(
  folder: string,
  home: string,
): Promise<{ longest: number; longestWall: number; idleWall: number }> {
  const program = await startRelay(home, {}, join(folder, 'turn'));
  const idle = await startBare(join(folder, 'idle turn'));
  const client = await mcpClient(`${program.baseUrl}/mcp`);
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;
  try {
    const items = Array.from({ length: SONGS }, (_, index) => knownSong(index));
    // First calls are slower, since the program has just started.
    const work = { type: 'save_tracks', payload: { dry_run: true } };
    await call('create_bulk_job', { ...work, items: items.slice(0, 500) });
    await call('list_jobs', { limit: 100 });
    await setTimeout(1_000);
    for (const one of [program, idle]) one.watch();
    await call('create_bulk_job', { ...work, items });
    for (let index = 0; index < 10; index++) {
      await call('list_jobs', { limit: 100 });
      await call('list_changes', {});
      await call('get_state_diagnostics', {});
      await setTimeout(200);
    }
    await setTimeout(600);
    const { cpu, wall } = program.longestTurn();
    return { longest: cpu, longestWall: wall, idleWall: idle.longestTurn().wall };
  } finally {
    await client.close();
    await Promise.all([program.end(), idle.end()]);
  }
}
