/** Plays another user of this machine: a child process under an unused user ID. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

// One user per test process, so that strangers of simultaneous tests do not see each other's environment.
const STRANGER_UID = 61_000 + (process.pid % 4_000);

/** Why tests that need a second user are skipped; false if they run, as always on CI, which runs as root. */
export const withoutSecondUser =
  process.getuid?.() !== 0 && process.env.CI !== 'true' ? 'only root can act as another user' : false;

export interface StrangerTask {
  baseUrl: string;
  /** Addresses to open like a browser, following redirects. */
  addresses: string[];
  /** Requests to send without following redirects. */
  requests: Array<{ path: string; method?: string; headers?: Record<string, string>; body?: string }>;
  /** Requests to send twenty times each, closing the connection at once. */
  abandoned?: Array<{ path: string; method?: string; headers?: Record<string, string>; body?: string }>;
  /** An approval page, and the owner codes to try on it. */
  approval?: { path: string; codes: string[] };
  /** The socket of the door, at which to knock fifty times. */
  socket?: string;
  /** Files and folders to read. */
  paths: string[];
  /** How long to watch the processes of the machine, in milliseconds. */
  watchMs: number;
}

export interface StrangerReport {
  uid: number;
  /** Status of the last page for each address. */
  tried: Record<string, number>;
  sent: Array<{ path: string; status: number; text: string }>;
  /** For each owner code: whether the page had a form (`token`), and the answer to that form. */
  approvals: Array<{ token: boolean; status: number; location: string | null }>;
  /** Start of the answer to a login whose sender had closed its end at once. */
  closing: string;
  /** The answers at the door, or the system's error codes, each once. */
  door: string[];
  /** Content of the files and folders that could be read. */
  read: Record<string, string | string[]>;
  /** Command lines and environments of other processes, and files that they name. */
  lines: string[];
  files: string[];
}

export function sendStranger(task: StrangerTask): Promise<StrangerReport> {
  const script = readFileSync(new URL('./stranger.mjs', import.meta.url), 'utf8');
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    uid: STRANGER_UID,
    gid: STRANGER_UID,
    cwd: '/',
    env: { PATH: process.env.PATH, STRANGER: JSON.stringify(task) },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(script);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(out));
      else reject(new Error(`the other user's program ended with ${code}: ${err}`));
    });
  });
}
