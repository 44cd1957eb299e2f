/** Another user of this machine: a child process under a user ID that nobody has. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

// One per test process: strangers of tests at the same time must not see each other's environment.
export const STRANGER_UID = 61_000 + (process.pid % 4_000);

/** Why tests that need a second user are skipped; false when they run. CI runs as root, so there they do. */
export const withoutSecondUser =
  process.getuid?.() !== 0 && process.env.CI !== 'true' ? 'only root can act as another user' : false;

export interface StrangerTask {
  baseUrl: string;
  /** Where to go as a browser does, wherever it leads. */
  addresses: string[];
  /** What to send, without going where it leads. */
  requests: Array<{ path: string; method?: string; headers?: Record<string, string>; body?: string }>;
  /** An approval page, and the owner codes to try on it. */
  approval?: { path: string; codes: string[] };
  /** Files and folders to read. */
  paths: string[];
  /** How long to look at the processes of the machine, in milliseconds. */
  watchMs: number;
}

export interface StrangerReport {
  uid: number;
  /** The status of the page on which each address ended. */
  tried: Record<string, number>;
  sent: Array<{ path: string; status: number; text: string }>;
  /** For each owner code: whether the page had a form, and what came of sending it. */
  approvals: Array<{ token: boolean; status: number; location: string | null }>;
  /** How the answer to a login began whose sender had closed its end at once. */
  closing: string;
  /** What could be read. */
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
    timeout: 30_000,
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
