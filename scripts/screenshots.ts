/**
 * `node --import tsx scripts/screenshots.ts`: takes the pictures of the README from the demo, in the system's Chromium or the one
 * that RELAY_CHROMIUM names. All music in them is invented.
 *
 * `--states DIRECTORY`: pictures of every main state of the pages instead, in light and dark, wide and narrow, with what axe
 * finds wrong. The states are those of `test/e2e/ownerPageLooks.test.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { runProgram } from '../src/cli/program.ts';
import { systemWorld } from '../src/cli/world.ts';
import { root } from './bundle.ts';
import { launchBrowser } from './clients/browser.ts';

const FOLDER = join(root, '.github', 'images');
const OWNER_CODE = 'demo-owner-code-for-pictures';
const COLUMNS = 92;
const WIDE = { width: 960, height: 640 };
/** A song that is not in the catalog. */
const MISSING = { title: 'A Song That Nobody Recorded', artist: 'Nobody' };

const { values: asked } = parseArgs({ options: { states: { type: 'string' } } });
if (asked.states !== undefined) process.exit(await takeStates(resolve(asked.states)));

const home = await mkdtemp(join(tmpdir(), 'relay-pictures-'));
const env = { RELAY_HOME: home, RELAY_KEYCHAIN: 'file', MCP_OAUTH_OWNER_SECRET: OWNER_CODE, LANG: 'C.UTF-8' };
await mkdir(FOLDER, { recursive: true });
const server = spawn(
  process.execPath,
  [join(root, 'bin', 'relay.mjs'), 'serve', '--demo', '--json', '--port', '0'],
  {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);
try {
  const [line] = await once(server.stdout, 'data');
  const { baseUrl } = JSON.parse(String(line));
  const browser = await launchBrowser();
  try {
    await takeAll(browser, baseUrl);
  } finally {
    await browser.close();
  }
} finally {
  await stopped(server);
  await rm(home, { recursive: true, force: true });
}

async function takeAll(browser: Browser, baseUrl: string): Promise<void> {
  const page = await browser.newPage({ viewport: WIDE, deviceScaleFactor: 2 });
  await page.goto(await authorizeUrl(baseUrl));
  await page.getByLabel('Owner code').waitFor();
  await take(page, 'approval');
  // The job runs before the picture of the owner's page, which shows it.
  const text = await jobInTerminal();
  await fillPage();
  await page.goto(baseUrl);
  const code = page.getByLabel('Owner code');
  await code.fill(OWNER_CODE);
  await code.press('Enter');
  // The open page still loads the playlist's name and cover.
  await page.locator('#events img').first().waitFor();
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.setViewportSize({ width: 1100, height: 1000 });
  await take(page, 'owner');
  // Leaves the server's page, since it allows no styles but its own.
  await page.goto('about:blank');
  await page.setContent(terminalPage(text));
  await take(page, 'terminal', page.locator('main'));
}

/** Runs the tests that take the pictures. Returns their exit code. */
async function takeStates(directory: string): Promise<number> {
  const env = { ...process.env, RELAY_ARTIFACTS: directory, RELAY_TEST_FULL: '1' };
  const words = [join(root, 'scripts', 'test.mjs'), 'test/e2e/ownerPageLooks.test.ts'];
  const [code] = await once(spawn(process.execPath, words, { cwd: root, env, stdio: 'inherit' }), 'close');
  console.log(directory);
  return code ?? 1;
}

async function take(page: Page, name: string, part?: ReturnType<Page['locator']>): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await (part ?? page).screenshot({ path });
  console.log(path);
}

/** Registers a client, and returns the address at which it asks for approval. */
async function authorizeUrl(baseUrl: string): Promise<string> {
  const redirectUri = 'http://127.0.0.1:7777/callback';
  const answer = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Example client',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = (await answer.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'state',
  });
  return `${baseUrl}/oauth/authorize?${query}`;
}

/** Runs a whole job from list to playlist, and returns what a terminal shows of it. */
async function jobInTerminal(): Promise<string> {
  const found = JSON.parse(await relay(['call', 'search_tracks', 'query=carousel', 'limit=40', '--json']));
  const named = new Map<string, object>();
  for (const { name, artists } of found.items) named.set(name, { title: name, artist: artists });
  const items = [...named.values()];
  const playlist = JSON.parse(await relay(['call', 'create_playlist', 'name=Carousel', '--json']));
  const args = {
    type: 'add_to_playlist',
    payload: { playlist_id: playlist.id, strict: false },
    items: [...items, MISSING],
  };
  const { job_id: id } = JSON.parse(
    await relay(['call', 'create_bulk_job', '--args', JSON.stringify(args), '--json']),
  );
  const short = String(id).slice(0, 8);
  const shown = [['jobs', 'show', short, '--watch'], ['jobs', 'commit', short, '--watch'], ['jobs']];
  const parts = [];
  for (const words of shown) parts.push(`$ relay ${words.join(' ')}\n${await relay(words, true)}`);
  return parts.join('\n');
}

/** Fills the page as after a day with relay: a list with songs to choose, changes, a copy of the library. */
async function fillPage(): Promise<void> {
  const { items } = JSON.parse(await relay(['call', 'search_tracks', 'query=carousel', 'limit=8', '--json']));
  const list = items.map(({ name, artists }: { name: string; artists: string }) => ({
    title: name,
    artist: artists,
  }));
  const typos = list.slice(0, 3).map(({ title, artist }: { title: string; artist: string }) => ({
    title: `${title.slice(0, 3)}zq${title.slice(3)}`,
    artist,
  }));
  const job = { type: 'create_playlist', payload: { name: 'Harbour' }, items: [...list, ...typos] };
  const made = await relay(['call', 'create_bulk_job', '--args', JSON.stringify(job), '--json']);
  await relay(['jobs', 'show', JSON.parse(made).job_id, '--watch', '--json']);
  await relay(['call', 'get_my_playlists', '--json']);
  await relay(['call', 'get_playback_state', '--json']);
  const saved = items.slice(0, 4).map(({ id }: { id: string }) => id);
  await relay(['call', 'save_tracks', '--args', JSON.stringify({ track_ids: saved }), '--json']);
  await relay(['library', 'sync', '--json']);
}

/** Runs a command and returns its output; with `terminal`, both streams, as a terminal shows them at the end of the command. */
async function relay(words: string[], terminal = false): Promise<string> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const world = systemWorld(new AbortController().signal);
  const code = await runProgram(words, {
    ...world,
    env,
    io: {
      stdin: process.stdin,
      out: write,
      err: terminal ? write : () => {},
      terminal: { stdin: false, stdout: terminal, stderr: terminal },
      columns: COLUMNS,
    },
  });
  if (code !== 0) throw new Error(`relay ${words.join(' ')} ended with ${code}: ${text}`);
  // Of a line that was redrawn, keep the last state.
  return text
    .replaceAll('Using the running demo.\n', '')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replaceAll('\u001b[K', ''))
    .join('\n');
}

function terminalPage(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').trimEnd();
  const marked = escaped.replace(/^\$ .*$/gm, (line) => `<b>${line}</b>`);
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: white; }
    main { display: inline-block; padding: 20px 24px; border-radius: 10px; background: #17162b; color: #e4e0d3; }
    pre { margin: 0; font: 14px/1.5 "DejaVu Sans Mono", monospace; }
    b { color: #ffb03c; }
  </style><main><pre>${marked}</pre></main>`;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}
