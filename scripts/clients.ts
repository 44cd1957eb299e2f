/**
 * `node scripts/run.mjs clients [NAME…]`: fetches real MCP clients from npm into a temporary directory and uses each as a person
 * does. `relay connect` writes the client's file, and the client's own command lists the server. The client signs in on the
 * approval page in Chromium. The model must receive the tool's whole answer and the whole prompt, and `--remove` must leave
 * nothing of relay behind. The list and the tool call are repeated through `relay stdio`. No account is needed: a stand-in on
 * this machine plays the model. In its tool call, it also passes every argument that the client has added to the tool. Run the
 * script by hand, on Linux; it takes more than 3 GiB of disk. `RELAY_CLIENTS_CACHE` names a directory that keeps the downloads.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { TOOLS } from '../src/tools/index.ts';
import { root } from './bundle.ts';
import { approveAll, launchBrowser, makeOpeners } from './clients/browser.ts';
import { standIn } from './clients/model.ts';
import { endAllOf, run } from './clients/process.ts';
import { type Ask, type Desk, type Question, REAL_CLIENTS, type RealClient } from './clients/realClients.ts';

const SERVER = 'relay-demo';
const OWNER_CODE = 'owner-code-of-a-test';
const RELAY = [process.execPath, join(root, 'bin', 'relay.mjs')] as const;
const CALL = { tool: 'search_tracks', arguments: { query: 'carousel', limit: 1 } };
const TAKES = ['query', 'limit', 'detail'];
const PROMPT = { name: 'make_playlist', words: 'songs for a rainy sunday evening' };
/** Start of the prompt's text, which the model gets even if a client passes on only the first word that the person types. */
const PROMPT_TEXT = 'Make a new Spotify playlist for me: songs';
/** Some clients need a newer Node.js than relay does. */
const NODE_VERSION = '26.10.0';
const FETCH_MS = 600_000;
const ASK_MS = 90_000;

/** Columns of the printed table. */
const COLUMNS = {
  client: ['CLIENT', 16],
  version: ['VERSION', 10],
  list: ['LIST', 25],
  login: ['SIGN-IN', 24],
  again: ['LIST AGAIN', 19],
  call: ['CALL', 21],
  model: ['MODEL GETS', 33],
  prompt: ['PROMPT', 21],
  gone: ['REMOVED', 12],
  stdioList: ['STDIO LIST', 20],
  stdioCall: ['STDIO CALL', 20],
} as const;

interface Cell {
  isGood: boolean;
  /** The text in the table. */
  text: string;
  /** The client's output, printed if it was not as expected. */
  wrote?: string;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !REAL_CLIENTS.some(({ id }) => id === name));
if (unknown.length > 0) {
  throw new Error(
    `Unknown client: ${unknown.join(', ')}. Choose from ${REAL_CLIENTS.map(({ id }) => id).join(', ')}.`,
  );
}
const chosen = REAL_CLIENTS.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
const cache = process.env.RELAY_CLIENTS_CACHE ?? (await mkdtemp(join(tmpdir(), 'relay-clients-')));
const desktop = await mkdtemp(join(tmpdir(), 'relay-desktop-'));
const server = await serve();
const model = await standIn({
  ...CALL,
  takes: TAKES,
  answer: server.values,
  prompt: { text: PROMPT_TEXT, words: PROMPT.words },
  tools: TOOLS.map(({ name }) => name),
});
const remarks: string[] = [];
const browser = await launchBrowser();
try {
  const node = join(await fetchPackage(nodePackage(), NODE_VERSION), 'node_modules', nodePackage(), 'bin');
  printRow(Object.fromEntries(Object.entries(COLUMNS).map(([name, [title]]) => [name, title])));
  for (const client of chosen) printRow(await goThrough(client, node));
  for (const remark of remarks) console.log(remark);
} finally {
  await browser.close();
  model.close();
  server.child.kill('SIGTERM');
  await once(server.child, 'close');
  await rm(desktop, { recursive: true, force: true });
  if (process.env.RELAY_CLIENTS_CACHE === undefined) await rm(cache, { recursive: true, force: true });
}

function printRow(row: Record<string, string>): void {
  const cells = Object.entries(COLUMNS).map(([name, [, width]]) => (row[name] ?? '').padEnd(width));
  console.log(cells.join('').trimEnd());
}

async function goThrough(client: RealClient, node: string): Promise<Record<string, string>> {
  const folder = await fetchPackage(client.package, client.version, client.install);
  const program = join(folder, 'node_modules', '.bin', client.bin);
  const cells: Record<string, Cell> = {};
  const asking = { program, node };
  await withHome(async (desk, env) => {
    await connect(client, desk, env, ['--key']);
    cells.list = await ask(client.list, { ...asking, desk, env });
    if (client.connect !== null) cells.gone = await leave(client, { ...asking, desk, env });
  });
  await withHome(async (desk, env) => {
    await connect(client, desk, env, []);
    cells.login = await ask(client.login, { ...asking, desk, env, browser });
    const after = async (name: string, question: Question) => {
      cells[name] = await askTwice(client, name, question, { ...asking, desk, env });
    };
    if (typeof client.login !== 'string' && typeof client.list !== 'string')
      await after('again', client.list);
    model.received();
    await after('call', client.call);
    const { tools, added } = model.received();
    if (tools > 0) cells.model = good([`${tools} tools`, ...added.map((name) => `its ${name}`)].join(', '));
    await after('prompt', client.prompt);
  });
  const { stdio } = client;
  if (stdio !== null) {
    await withHome(async (desk, env) => {
      await stdio.enter?.(desk);
      await client.prepare?.(desk);
      cells.stdioList = await ask(stdio.list ?? client.list, { ...asking, desk, env });
      cells.stdioCall = await ask(stdio.call ?? client.call, { ...asking, desk, env });
    });
  }
  for (const [name, { isGood, wrote }] of Object.entries(cells)) {
    if (isGood) continue;
    process.exitCode = 1;
    console.error(`${client.id}, ${name}:\n${wrote}\n`);
  }
  const texts = Object.entries(cells).map(([name, { text }]) => [name, text] as const);
  return { client: client.id, version: client.version, ...Object.fromEntries(texts) };
}

function good(text: string): Cell {
  return { isGood: true, text };
}

/** Writes the client's file with `relay connect`, after checking that `--remove` reverses it. */
async function connect(
  client: RealClient,
  desk: Desk,
  env: NodeJS.ProcessEnv,
  flags: readonly string[],
): Promise<void> {
  if (client.connect !== null) {
    const key = client.connect === 'claude-desktop' ? [] : flags;
    const before = await filesIn(desk.home);
    await relay(desk, env, ['connect', client.connect, ...key, '--write']);
    await relay(desk, env, ['connect', client.connect, '--remove']);
    const after = await filesIn(desk.home);
    if (after !== before) throw new Error(`relay connect ${client.connect} --remove leaves:\n${after}`);
    await relay(desk, env, ['connect', client.connect, ...key, '--write']);
  }
  await client.prepare?.(desk);
}

/** Removes relay from the client's file. The client's own list must then no longer name it. */
async function leave(client: RealClient, asking: Asking): Promise<Cell> {
  const { desk, env } = asking;
  await relay(desk, env, ['connect', client.connect ?? '', '--remove']);
  const listed = jsonIn(await relay(desk, env, ['connect', '--json'])) as {
    clients: Array<{ id: string; state: string; keyBackups: number }>;
  };
  const row = listed.clients.find(({ id }) => id === client.connect);
  if (row?.state !== 'no' || row.keyBackups > 0) {
    return { isGood: false, text: 'FAILED', wrote: JSON.stringify(row) };
  }
  if (typeof client.list === 'string') return good('ok');
  const { says, without, connects: _, ...question } = client.list(desk);
  const now = await ask(() => ({ ...question, says: without ?? /^/ }), asking);
  return says.test(now.wrote ?? '') ? { ...now, isGood: false, text: 'FAILED' } : now;
}

async function relay(desk: Desk, env: NodeJS.ProcessEnv, words: readonly string[]): Promise<string> {
  const { code, text } = await run({ words: [...RELAY, ...words], cwd: desk.home, env, patienceMs: ASK_MS });
  if (code !== 0) throw new Error(`relay ${words.join(' ')}: ${text}`);
  return text;
}

/** Returns the JSON in the output of a command, without the remarks on stderr. */
function jsonIn(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

/** Returns every file of a home with its content, except the openers that the test has put there. */
async function filesIn(home: string): Promise<string> {
  const all = await readdir(home, { recursive: true, withFileTypes: true });
  const own = all.filter((one) => one.isFile() && !one.parentPath.startsWith(join(home, 'openers')));
  const texts = own.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return `${path}: ${await readFile(path, 'utf8')}`;
  });
  return (await Promise.all(texts)).sort().join('\n');
}

/** Asks a client. A client with a known race gets a second try, which the run reports at the end. */
async function askTwice(client: RealClient, name: string, question: Question, asking: Asking): Promise<Cell> {
  const first = await ask(question, asking);
  if (first.isGood || client.race === undefined) return first;
  remarks.push(
    `${client.id}, ${name}: failed once and was asked again. ${client.race}. It wrote:\n${first.wrote}`,
  );
  const second = await ask(question, asking);
  return second.isGood ? { ...second, text: `${second.text}, 2nd try` } : second;
}

interface Asking {
  program: string;
  node: string;
  desk: Desk;
  env: NodeJS.ProcessEnv;
  /** The browser for approval pages that the client opens; without a browser, nobody approves. */
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
  const wrote = [text, ...(pages ?? [])].join('\n');
  return { isGood, text: isGood ? `${connects ? 'connected' : 'ok'}, ${seconds}` : 'FAILED', wrote };
}

/** Runs `work` in a new home, with none of the person's own files, accounts or settings. */
async function withHome(work: (desk: Desk, env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
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
    prompt: PROMPT,
    program: [...RELAY, '--home', server.home, 'stdio', '--demo'],
  };
  try {
    await work(desk, env);
  } finally {
    endAllOf(home);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts the demo in its own home, and calls the tool once to learn its answer. */
async function serve(): Promise<{
  child: ChildProcess;
  mcpUrl: string;
  env: NodeJS.ProcessEnv;
  home: string;
  answer: string;
  /** The values in the tool's answer. */
  values: string[];
}> {
  const home = join(desktop, 'relay');
  // The setting is in a file, since programs that a client starts do not get the environment below.
  await mkdir(join(home, 'demo'), { recursive: true, mode: 0o700 });
  await writeFile(join(home, 'demo', 'config.json'), '{"keychain":"file"}');
  const env = { RELAY_HOME: home, RELAY_KEYCHAIN: 'file', NO_COLOR: '1' };
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
  const { items = [] } = jsonIn(text) as { items?: Array<Record<string, unknown>> };
  const { name, id, artists, duration } = items[0] ?? {};
  const values = [name, id, artists, duration].filter((value) => typeof value === 'string');
  const [answer] = values;
  if (answer === undefined || values.length < 4) throw new Error(`relay call: ${text}`);
  return { child, mcpUrl, env, home, answer, values };
}

/** Name of the npm package that holds Node.js for this platform. */
function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}

/** Installs a package once, in its own directory. Of its scripts, only `install` runs. */
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
