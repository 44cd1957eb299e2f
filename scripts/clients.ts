/**
 * `npm run test:clients [NAME…]`: fetches real MCP clients from npm into a temporary directory, has `relay connect` write
 * their files over a home of their own, and asks each client's own command what it makes of them. By hand: it downloads
 * several hundred MiB, and what it says depends on today's versions. `RELAY_CLIENTS_CACHE` keeps the downloads.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './bundle.ts';

interface RealClient {
  id: string;
  package: string;
  bin: string;
  /** For `relay connect`; null: it is pointed at the server by its arguments. */
  connect: string | null;
  /** What its own command is asked. */
  args(desk: Desk): string[];
  /** What it then prints; null: it has no such command, and only the file is written. */
  says: RegExp | null;
  /** Whether it has talked to the server for that. */
  connects: boolean;
}

interface Desk {
  home: string;
  env: NodeJS.ProcessEnv;
  /** The words of `relay`. */
  relay: string[];
}

const NAME = 'relay-demo';
const MCP_LIST = () => ['mcp', 'list'];

const CLIENTS: RealClient[] = [
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code',
    bin: 'claude',
    connect: 'claude-code',
    args: MCP_LIST,
    says: /relay-demo: .*Connected/,
    connects: true,
  },
  {
    id: 'codex',
    package: '@openai/codex',
    bin: 'codex',
    connect: 'codex',
    args: MCP_LIST,
    says: /relay-demo .*enabled +Bearer token/,
    connects: false,
  },
  {
    id: 'gemini',
    package: '@google/gemini-cli',
    bin: 'gemini',
    connect: 'gemini',
    args: MCP_LIST,
    says: /relay-demo: .*Connected/,
    connects: true,
  },
  {
    id: 'copilot',
    package: '@github/copilot',
    bin: 'copilot',
    connect: 'copilot',
    args: MCP_LIST,
    says: /relay-demo \(http\)/,
    connects: false,
  },
  {
    id: 'opencode',
    package: 'opencode-ai',
    bin: 'opencode',
    connect: 'opencode',
    args: MCP_LIST,
    says: /relay-demo.*connected/,
    connects: true,
  },
  {
    id: 'qwen',
    package: '@qwen-code/qwen-code',
    bin: 'qwen',
    connect: 'qwen',
    args: MCP_LIST,
    says: /relay-demo: .*Connected/,
    connects: true,
  },
  {
    id: 'cline',
    package: 'cline',
    bin: 'cline',
    connect: 'cline',
    args: () => [],
    says: null,
    connects: false,
  },
  {
    id: 'mcporter, by the file of Claude Desktop',
    package: 'mcporter',
    bin: 'mcporter',
    connect: 'claude-desktop',
    args: ({ home }) => [
      '--config',
      join(home, '.config', 'Claude', 'claude_desktop_config.json'),
      'list',
      NAME,
    ],
    says: /\d tools|create_playlist/,
    connects: true,
  },
];

const wanted = process.argv.slice(2);
const cache = process.env.RELAY_CLIENTS_CACHE ?? (await mkdtemp(join(tmpdir(), 'relay-clients-')));
const home = await mkdtemp(join(tmpdir(), 'relay-client-home-'));
const desk = makeDesk();
const server = await serve();
try {
  let failed = 0;
  for (const client of CLIENTS.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
    const { isGood, line } = await check(client);
    if (!isGood) failed++;
    console.log(line);
  }
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  server.kill('SIGTERM');
  await once(server, 'close');
  await rm(home, { recursive: true, force: true });
  if (process.env.RELAY_CLIENTS_CACHE === undefined) await rm(cache, { recursive: true, force: true });
}

/** None of the person's own files, accounts or settings. */
function makeDesk(): Desk {
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    HOME: home,
    RELAY_HOME: join(home, 'relay'),
    RELAY_KEYCHAIN: 'file',
    NO_COLOR: '1',
    CI: '1',
  };
  return { home, env, relay: [process.execPath, join(root, 'bin', 'relay.mjs')] };
}

async function serve(): Promise<ChildProcess> {
  const [command = '', ...args] = [...desk.relay, 'serve', '--demo', '--json', '--port', '0'];
  const child = spawn(command, args, { env: desk.env, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

async function check(client: RealClient): Promise<{ isGood: boolean; line: string }> {
  const { id, says, connects, args } = client;
  const folder = join(cache, client.package.replace(/\W/g, '_'));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const installed = await run(['npm', 'install', '--no-audit', '--no-fund', client.package], {
    cwd: folder,
    env: process.env,
    ms: 600_000,
  });
  if (!installed.ok) return { isGood: false, line: `FAILED ${id}: cannot be installed` };
  const version = await versionOf(folder, client.package);
  const connect = [
    'connect',
    client.connect ?? '',
    ...(client.connect === 'claude-desktop' ? [] : ['--key']),
    '--write',
  ];
  const written = await run([...desk.relay, ...connect], { cwd: home, env: desk.env, ms: 60_000 });
  if (!written.ok) return { isGood: false, line: `FAILED ${id} ${version}: ${written.text}` };
  if (says === null)
    return { isGood: true, line: `file   ${id} ${version}: it has no command that lists servers` };
  await trustHome();
  const asked = await run([join(folder, 'node_modules', '.bin', client.bin), ...args(desk)], {
    cwd: home,
    env: desk.env,
    ms: 120_000,
  });
  const isGood = says.test(asked.text);
  const how = connects ? 'connected' : 'listed, without connecting';
  return {
    isGood,
    line: isGood ? `ok     ${id} ${version}: ${how}` : `FAILED ${id} ${version}:\n${asked.text}`,
  };
}

/** Gemini CLI starts no server in a directory that it does not trust. */
async function trustHome(): Promise<void> {
  await mkdir(join(home, '.gemini'), { recursive: true });
  await writeFile(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }));
}

async function versionOf(folder: string, name: string): Promise<string> {
  const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}

function run(
  [command = '', ...args]: string[],
  { cwd, env, ms }: { cwd: string; env: NodeJS.ProcessEnv; ms: number },
): Promise<{ ok: boolean; text: string }> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: ms, killSignal: 'SIGKILL' as const, maxBuffer: 16 * 1024 * 1024 };
    const child = execFile(command, args, options, (error, out, err) => {
      resolve({ ok: error === null, text: `${out}${err}`.trim() });
    });
    child.stdin?.end();
  });
}
