/**
 * How soon relay answers and how much memory it takes: beside Playwright's MCP server, which many people have, and beside bare Node.
 * The two of a row run in turns, since machines are shared, and the row has the median of their ratios.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { rememberTracks } from '../../test/support/homes.ts';
import { settingsFor, startSimulator } from '../../test/support/simulator/simulator.ts';
import { root } from '../bundle.ts';
import {
  ended,
  environment,
  median,
  type Program,
  RELAY,
  residentMb,
  startBare,
  startRelay,
} from './program.ts';

const PEER = join(root, 'node_modules', '@playwright', 'mcp', 'cli.js');
const TURNS = 7;
/** Memory is read once a program has come to rest. */
const REST_MS = 500;

interface Sample {
  ms: number;
  mb: number;
}

interface Reference {
  name: string;
  run(): Promise<Sample>;
}

const bareServer: Reference = { name: 'a bare HTTP server', run: () => served(startBare()) };
const bareNode: Reference = { name: 'a bare Node', run: () => command([process.execPath, '-e', '0']) };
const waiting: Reference = {
  name: 'a Node that waits',
  run: () => talk([process.execPath, '-e', `process.stdin.on('data', () => console.log('{"id":2}'))`]),
};
const peer: Reference = { name: "Playwright's server", run: () => talk([process.execPath, PEER]) };

/** Measures and prints each row. `folder` gets the homes. */
export async function start(
  folder: string,
  print: (what: string, value?: string, compared?: string) => void,
): Promise<void> {
  const provider = await startSimulator();
  const env = settingsFor(provider);
  const fresh = () => mkdtempSync(join(folder, 'home-'));
  const [used, known, running] = [fresh(), fresh(), fresh()];
  const serve = (home: string) => served(startRelay(home, env));
  const pipe = (home: string) => talk([...RELAY, 'stdio'], { RELAY_HOME: home, ...env });
  const pipeAndServer = async (home: string) => {
    const sample = await pipe(home);
    await command([...RELAY, 'stop'], { RELAY_HOME: home });
    return sample;
  };
  const ask = (name: string) => command([...RELAY, name], { RELAY_HOME: running });
  await serve(used);
  await rememberTracks(known, 10_000);
  const server = await startRelay(running, env);

  const rows: Array<[what: string, of: keyof Sample, run: () => Promise<Sample>, reference: Reference]> = [
    ['first answers over stdio, an empty home', 'ms', () => pipeAndServer(fresh()), peer],
    ['first answers over stdio, a used home', 'ms', () => pipeAndServer(used), peer],
    ['first answers over stdio, server running', 'ms', () => pipe(running), peer],
    ['memory of the server', 'mb', () => serve(fresh()), peer],
    ['memory of the server', 'mb', () => serve(fresh()), bareServer],
    ['memory of the server, 10,000 known tracks', 'mb', () => serve(known), bareServer],
    ['memory of `relay stdio`', 'mb', () => pipe(running), waiting],
    ['ready, an empty home', 'ms', () => serve(fresh()), bareServer],
    ['ready, 10,000 known tracks', 'ms', () => serve(known), bareServer],
    ['`relay --version`', 'ms', () => ask('--version'), bareNode],
    ['`relay status`, server running', 'ms', () => ask('status'), bareNode],
  ];
  try {
    for (const [what, of, run, reference] of rows) {
      if (reference === peer && !existsSync(PEER)) continue;
      const turns: Array<[own: number, other: number]> = [];
      for (let turn = 0; turn < TURNS; turn++) turns.push([(await run())[of], (await reference.run())[of]]);
      const ratio = median(turns.map(([own, other]) => own / other));
      const value = median(turns.map(([own]) => own)).toFixed(0);
      print(what, `${value} ${of === 'ms' ? 'ms' : 'MB'}`, `${ratio.toFixed(2)} times ${reference.name}`);
    }
    if (!existsSync(PEER)) print("Not compared with Playwright's: npm install --no-save @playwright/mcp");
  } finally {
    await server.end();
    await provider.close();
  }
}

async function served(starting: Promise<Program>): Promise<Sample> {
  const program = await starting;
  await sleep(REST_MS);
  const sample = { ms: program.readyMs, mb: program.memoryMb };
  await program.end();
  return sample;
}

/** Runs a command to its end. `relay status` ends with 3 where no account is connected. */
async function command([file = '', ...args]: readonly string[], env = {}): Promise<Sample> {
  const begin = performance.now();
  const child = spawn(file, args, { env: environment(env), stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0 && code !== 3) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { ms: performance.now() - begin, mb: 0 };
}

/** Initializes an MCP server over stdio, and waits for its list of tools. */
async function talk([file = '', ...args]: readonly string[], env = {}): Promise<Sample> {
  const begin = performance.now();
  const child = spawn(file, args, { env: environment(env), stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line) as { id?: number };
    if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    }
    if (id === 2) break;
  }
  const ms = performance.now() - begin;
  await sleep(REST_MS);
  const mb = residentMb(child.pid ?? 0);
  await ended(child);
  return { ms, mb };
}
