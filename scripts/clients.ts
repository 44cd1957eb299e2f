/**
 * `npm run test:clients [-- NAME…]`: fetches real MCP clients from npm into a temporary directory and goes with each through
 * what a person does: `relay connect` writes its file, its own command lists the server, its own sign-in ends on the approval
 * page in Chromium, and its own call of a tool comes back. No account is needed: where a model has to ask for the call, a
 * stand-in on this machine does. By hand: it takes more than 3 GiB of disk. `RELAY_CLIENTS_CACHE` keeps the downloads. Linux.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { root } from './bundle.ts';
import { approveAll, launchBrowser, makeOpeners } from './clients/browser.ts';
import { standIn } from './clients/model.ts';
import { endAllOf, run } from './clients/process.ts';
import { type Ask, type Desk, type Question, REAL_CLIENTS, type RealClient } from './clients/realClients.ts';

const SERVER = 'relay-demo';
const OWNER_CODE = 'owner-code-of-a-test';
const RELAY = [process.execPath, join(root, 'bin', 'relay.mjs')];
const CALL = { tool: 'search_tracks', arguments: { query: 'carousel', limit: 1 } };
/** Some clients need a newer Node.js than relay does. */
const NODE_VERSION = '26.10.0';
const FETCH_MS = 600_000;
const ASK_MS = 90_000;

/** Columns of what is printed. */
const WIDTHS = { client: 16, version: 10, list: 26, login: 26, again: 20, call: 14 };

interface Cell {
  isGood: boolean;
  /** What the table shows. */
  text: string;
  /** What the client wrote, where it did not say what it should. */
  wrote?: string;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !REAL_CLIENTS.some(({ id }) => id === name));
if (unknown.length > 0) {
  throw new Error(
    `Unknown: ${unknown.join(', ')}. There are ${REAL_CLIENTS.map(({ id }) => id).join(', ')}.`,
  );
}
const chosen = REAL_CLIENTS.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
const cache = process.env.RELAY_CLIENTS_CACHE ?? (await mkdtemp(join(tmpdir(), 'relay-clients-')));
const desktop = await mkdtemp(join(tmpdir(), 'relay-desktop-'));
const server = await serve();
const model = await standIn({ ...CALL, answer: server.answer });
const browser = await launchBrowser();
try {
  const node = join(await fetchPackage(nodePackage(), NODE_VERSION), 'node_modules', nodePackage(), 'bin');
  printRow({
    client: 'CLIENT',
    version: 'VERSION',
    list: 'LIST',
    login: 'SIGN-IN',
    again: 'LIST AGAIN',
    call: 'CALL',
  });
  for (const client of chosen) printRow(await goThrough(client, node));
} finally {
  await browser.close();
  model.close();
  server.child.kill('SIGTERM');
  await once(server.child, 'close');
  await rm(desktop, { recursive: true, force: true });
  if (process.env.RELAY_CLIENTS_CACHE === undefined) await rm(cache, { recursive: true, force: true });
}

function printRow(row: Record<string, string>): void {
  const cells = Object.entries(WIDTHS).map(([name, width]) => (row[name] ?? '').padEnd(width));
  console.log(cells.join('').trimEnd());
}

async function goThrough(client: RealClient, node: string): Promise<Record<string, string>> {
  const folder = await fetchPackage(client.package, client.version, client.install);
  const program = join(folder, 'node_modules', '.bin', client.bin);
  const cells: Record<string, Cell> = {};
  await withHome(client, ['--key'], async (desk, env) => {
    cells.list = await ask(client.list, { program, node, desk, env });
  });
  await withHome(client, [], async (desk, env) => {
    cells.login = await ask(client.login, { program, node, desk, env, browser });
    if (typeof client.login !== 'string' && typeof client.list !== 'string')
      cells.again = await ask(client.list, { program, node, desk, env });
    cells.call = await ask(client.call, { program, node, desk, env });
  });
  for (const [name, { isGood, wrote }] of Object.entries(cells)) {
    if (isGood) continue;
    process.exitCode = 1;
    console.error(`${client.id}, ${name}:\n${wrote}\n`);
  }
  const texts = Object.entries(cells).map(([name, { text }]) => [name, text] as const);
  return { client: client.id, version: client.version, ...Object.fromEntries(texts) };
}

interface Asking {
  program: string;
  node: string;
  desk: Desk;
  env: NodeJS.ProcessEnv;
  /** Approves, where the client opens an address. */
  browser?: Browser;
}

async function ask(question: Question, { program, node, desk, env, browser }: Asking): Promise<Cell> {
  if (typeof question === 'string') return { isGood: true, text: question };
  const { first, args, says, env: more, keys, input, staysOpen, connects }: Ask = question(desk);
  const noted = join(desk.home, 'opened');
  const over = new AbortController();
  const approved = browser
    ? approveAll(browser, { noted, ownerCode: OWNER_CODE, signal: over.signal })
    : null;
  const began = performance.now();
  const own = { ...env, ...more, PATH: [join(desk.home, 'openers'), node, env.PATH].join(':') };
  const way = { cwd: desk.home, env: own, patienceMs: ASK_MS };
  if (first) await run({ words: [program, ...first], ...way });
  const { text } = await run({
    words: [program, ...args],
    ...way,
    ...(keys ? { keys } : {}),
    ...(input ? { input } : {}),
    ...(staysOpen ? { until: says } : {}),
  });
  over.abort();
  const pages = await approved;
  const isGood = says.test(text) && pages?.length !== 0;
  const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  return isGood
    ? { isGood, text: `${connects ? 'connected' : 'ok'}, ${seconds}` }
    : { isGood, text: 'FAILED', wrote: [text, ...(pages ?? [])].join('\n') };
}

/** None of the person's own files, accounts or settings; `relay connect` has written the client's file there. */
async function withHome(
  client: RealClient,
  flags: readonly string[],
  work: (desk: Desk, env: NodeJS.ProcessEnv) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(desktop, 'home-'));
  const { PATH = '' } = process.env;
  const openers = join(home, 'openers');
  await makeOpeners(openers, join(home, 'opened'));
  const env = {
    ...server.env,
    PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    BROWSER: join(openers, 'xdg-open'),
  };
  const desk: Desk = {
    home,
    server: SERVER,
    mcpUrl: server.mcpUrl,
    modelUrl: model.url,
    call: { ...CALL, answer: server.answer },
  };
  try {
    if (client.connect !== null) {
      const key = client.connect === 'claude-desktop' ? [] : flags;
      const words = [...RELAY, 'connect', client.connect, ...key, '--write'];
      const { code, text } = await run({ words, cwd: home, env, patienceMs: ASK_MS });
      if (code !== 0) throw new Error(`relay connect ${client.connect}: ${text}`);
    }
    await client.prepare?.(desk);
    await work(desk, env);
  } finally {
    endAllOf(home);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The demo in a home of its own, and what its tool answers. */
async function serve(): Promise<{
  child: ChildProcess;
  mcpUrl: string;
  env: NodeJS.ProcessEnv;
  answer: string;
}> {
  const env = { RELAY_HOME: join(desktop, 'relay'), RELAY_KEYCHAIN: 'file', NO_COLOR: '1' };
  const [command = '', ...args] = [...RELAY, 'serve', '--demo', '--json', '--port', '0'];
  const { PATH = '' } = process.env;
  const child = spawn(command, args, {
    env: { ...env, PATH, HOME: desktop, MCP_OAUTH_OWNER_SECRET: OWNER_CODE },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  const { mcpUrl } = JSON.parse(String(line)) as { mcpUrl: string };
  const {
    tool,
    arguments: { query, limit },
  } = CALL;
  const words = [...RELAY, 'call', tool, `query=${query}`, `limit=${limit}`, '--json'];
  const { text } = await run({
    words,
    cwd: desktop,
    env: { ...env, PATH, HOME: desktop },
    patienceMs: ASK_MS,
  });
  const answer = /"name":"([^"]+)"/.exec(text)?.[1];
  if (answer === undefined) throw new Error(`relay call: ${text}`);
  return { child, mcpUrl, env, answer };
}

/** Node.js itself as a package, of which npm has one for each platform. */
function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}

/** Installs a package without running its scripts, into a directory of its own, once. */
async function fetchPackage(name: string, version: string, install?: string): Promise<string> {
  const folder = join(cache, `${name.replace(/\W/g, '_')}-${version}`);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).includes('done')) return folder;
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const words = [
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${name}@${version}`,
  ];
  const env = { ...process.env, npm_config_cache: join(cache, 'npm') };
  const { code, text } = await run({ words, cwd: folder, env, patienceMs: FETCH_MS });
  if (code !== 0) throw new Error(`${name}@${version} cannot be fetched: ${text}`);
  if (install !== undefined) {
    const own = join(folder, 'node_modules', name);
    await run({ words: [process.execPath, install], cwd: own, env, patienceMs: FETCH_MS });
  }
  await writeFile(join(folder, 'done'), '');
  return folder;
}
