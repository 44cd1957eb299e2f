/**
 * Measures the start time and the memory of relay, and of a bare Node server beside it. relay's memory is measured three times:
 * when it is ready, after a day of one client, and after a job of 10,000 songs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { settingsFor, startSimulator } from '../../test/support/simulator/simulator.ts';
import { connectAccount } from '../../test/support/world.ts';
import { fillHome, knownSong } from './homes.ts';
import { median, type Program, startBare, startRelay, withClient } from './program.ts';

export interface StartRow {
  when: string;
  /** Milliseconds from the start until the program is ready. */
  ready?: number;
  bareReady?: number;
  /** Resident memory, in MB. */
  memory: number;
  bareMemory: number;
  ratio: number;
}

const STARTS = 3;
/** One call every minute of a waking day. */
const CALLS = 1_000;
const SONGS = 10_000;

/** Takes about half a minute. */
export async function startAndMemory(): Promise<StartRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  const running: Program[] = [];
  const take = async (program: Promise<Program>) => {
    const started = await program;
    running.push(started);
    return started;
  };
  const provider = await startSimulator();
  const env = settingsFor(provider);
  const home = join(folder, 'home');
  try {
    await fillHome(home, { tracks: SONGS, jobs: 0, days: 0 });
    const rows: StartRow[] = [];
    const ready: Record<'relay' | 'bare', number[]> = { relay: [], bare: [] };
    const memory: Record<'relay' | 'bare', number[]> = { relay: [], bare: [] };
    for (let turn = 0; turn < STARTS; turn++) {
      const [relay, bare] = [await take(startRelay(join(folder, `${turn}`), env)), await take(startBare())];
      ready.relay.push(relay.readyMs);
      ready.bare.push(bare.readyMs);
      memory.relay.push(relay.memory());
      memory.bare.push(bare.memory());
      await Promise.all([relay.end(), bare.end()]);
    }
    const bareMemory = median(memory.bare);
    const rowOf = (when: string, mb: number) => ({ when, memory: mb, bareMemory, ratio: mb / bareMemory });
    const [relayReady, bareReady] = [median(ready.relay), median(ready.bare)];
    rows.push({ ready: relayReady, bareReady, ...rowOf('ready, an empty home', median(memory.relay)) });

    const day = await take(startRelay(join(folder, 'day'), env));
    await connectAccount(day.baseUrl);
    await withClient(day.baseUrl, oneDay);
    rows.push(rowOf(`${CALLS} calls of one client`, day.memory()));
    await day.end();

    const known = await take(startRelay(home, env));
    rows.push({ ready: known.readyMs, bareReady, ...rowOf('ready, 10,000 known tracks', known.memory()) });
    await connectAccount(known.baseUrl);
    await withClient(known.baseUrl, oneJob);
    rows.push(rowOf('a job of 10,000 known tracks', known.memory()));
    return rows;
  } finally {
    await Promise.all(running.map((program) => program.end()));
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function oneDay(client: Client): Promise<void> {
  const asked: Array<[name: string, args: Record<string, unknown>]> = [
    ['get_playback_state', {}],
    ['get_my_playlists', { limit: 50 }],
    ['search_tracks', { query: 'love' }],
    ['get_rate_limit_status', {}],
    ['list_jobs', {}],
  ];
  await client.listTools();
  for (let call = 0; call < CALLS; call++) {
    const [name, args] = asked[call % asked.length] ?? ['list_jobs', {}];
    await client.callTool({ name, arguments: args });
  }
}

async function oneJob(client: Client): Promise<void> {
  const items = Array.from({ length: SONGS }, (_, index) => knownSong(index));
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;
  const { job_id } = await call('create_bulk_job', {
    type: 'save_tracks',
    payload: { dry_run: true },
    items,
  });
  for (let status = ''; status !== 'completed'; await setTimeout(100)) {
    const { job } = await call('get_job_status', { job_id, limit: 1 });
    status = (job as { status: string }).status;
  }
}
