/**
 * `node scripts/run.mjs clients [NAME…]`: fetches real MCP clients from npm into a temporary directory, and has each list the
 * demo's tools: by URL with the entry that `relay connect` writes, and through `relay stdio`. Run it by hand, on Linux or macOS; all
 * clients take 3 GiB of disk. `RELAY_CLIENTS_CACHE` names a directory that keeps the downloads.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { TOOLS } from '../src/tools/index.ts';
import { root } from './bundle.ts';
import { CLIENTS, type Desk, type Question, type RealClient } from './clients/table.ts';
import { nodeOf } from './package/executable.ts';
import { HOST } from './package/targets.ts';

const RELAY = [process.execPath, join(root, 'bin', 'relay.mjs')] as const;
const FETCH_MS = 600_000;
const ASK_MS = 90_000;

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !CLIENTS.some(({ id }) => id === name));
if (unknown !== undefined || HOST === undefined) {
  throw new Error(`Unknown client or system. Clients: ${CLIENTS.map(({ id }) => id).join(', ')}.`);
}
const cache = process.env.RELAY_CLIENTS_CACHE ?? (await mkdtemp(join(tmpdir(), 'relay-clients-')));
const desktop = await mkdtemp(join(tmpdir(), 'relay-desktop-'));
// Some clients need a newer Node than relay does.
const node = dirname(await nodeOf(HOST, join(cache, 'node')));
const relayEnv = { RELAY_HOME: join(desktop, 'relay'), RELAY_KEYCHAIN: 'file', NO_COLOR: '1' };
const server = await serve();
try {
  for (const client of CLIENTS) {
    if (wanted.length > 0 && !wanted.includes(client.id)) continue;
    const program = await fetchClient(client);
    for (const way of ['url', 'stdio'] as const) {
      const answer = await withHome((desk) => listTools(client, program, way, desk));
      console.log(`${client.id.padEnd(16)}${client.package.padEnd(40)}${way.padEnd(7)}${answer}`);
    }
  }
} finally {
  server.child.kill('SIGTERM');
  await once(server.child, 'close');
  await rm(desktop, { recursive: true, force: true });
  if (process.env.RELAY_CLIENTS_CACHE === undefined) await rm(cache, { recursive: true, force: true });
}

async function listTools(
  client: RealClient,
  program: string,
  way: 'url' | 'stdio',
  desk: Desk,
): Promise<string> {
  const question: Question | null = client[way];
  if (question === null) return 'not this way';
  if (way === 'stdio') await question.write?.(desk);
  else if (client.connect !== null) {
    const key = client.connect === 'claude-desktop' ? [] : ['--key'];
    const { code, output } = await run([...RELAY, 'connect', client.connect, ...key, '--write'], desk.home);
    if (code !== 0) throw new Error(output);
  }
  await client.prepare?.(desk);
  const { output } = await run([program, ...question.args(desk)], desk.home, question);
  const says = typeof question.says === 'function' ? question.says(desk) : question.says;
  if (says.test(output)) return 'ok';
  process.exitCode = 1;
  return `FAILED:\n${output}\n`;
}

/** Runs `work` in a new home, with none of the person's own files, accounts or settings. */
async function withHome<T>(work: (desk: Desk) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(desktop, 'home-'));
  const [command, script] = RELAY;
  const program = [command, script, '--home', relayEnv.RELAY_HOME, 'stdio', '--demo'] as const;
  try {
    return await work({ ...server, home, program, server: 'relay-demo', tools: TOOLS.length });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs a command to its end, or until its output is as expected or its time is over, and ends what it has started. */
async function run(
  [program = '', ...args]: readonly string[],
  home: string,
  { input = '', until, env = {}, ms = ASK_MS }: Partial<Question> & { ms?: number } = {},
): Promise<{ code: number | null; output: string }> {
  const PATH = [node, process.env.PATH].join(':');
  const child = spawn(program, args, {
    cwd: home,
    env: { ...relayEnv, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', PATH, ...env },
    detached: true,
    stdio: 'pipe',
  });
  const endAll = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  const timer = setTimeout(endAll, ms);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      if (until?.test(output)) endAll();
    });
  }
  child.stdin.on('error', () => {});
  if (until === undefined) child.stdin.end(input);
  else child.stdin.write(input);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  endAll();
  return { code: code as number | null, output: stripVTControlCharacters(output).trim() };
}

/** Starts the demo in its own home. */
async function serve() {
  // Programs that a client starts do not get the environment.
  await mkdir(join(relayEnv.RELAY_HOME, 'demo'), { recursive: true, mode: 0o700 });
  await writeFile(join(relayEnv.RELAY_HOME, 'demo', 'config.json'), '{"keychain":"file"}');
  const env = { ...relayEnv, PATH: process.env.PATH, HOME: desktop };
  const [command, script] = RELAY;
  const child = spawn(command, [script, 'serve', '--demo', '--json', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  const { mcpUrl } = JSON.parse(String(line)) as { mcpUrl: string };
  const asking = spawn(command, [script, 'key', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { key } = JSON.parse(await text(asking.stdout)) as { key: string };
  return { child, mcpUrl, key };
}

/** Installs a client once, in a directory of its own, and returns its program. Of its scripts, only `install` runs. */
async function fetchClient({ package: spec, bin, install }: RealClient): Promise<string> {
  const folder = join(cache, spec.replace(/[^\w.-]/g, '_'));
  const program = join(folder, 'node_modules', '.bin', bin);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).includes('done')) return program;
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { env: { ...process.env, npm_config_cache: join(cache, 'npm') }, ms: FETCH_MS };
  const { code, output } = await run(['npm', 'install', ...flags, spec], folder, options);
  if (code !== 0) throw new Error(`${spec} cannot be fetched: ${output}`);
  const own = join(folder, 'node_modules', spec.replace(/@[^@]+$/, ''));
  if (install !== undefined) await run([process.execPath, install], own, options);
  await writeFile(join(folder, 'done'), '');
  return program;
}
