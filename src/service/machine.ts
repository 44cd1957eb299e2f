/** The machine that this process runs on. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { childEnv } from '../base/childProcess.ts';
import { changeableByOthers } from '../base/foreignPaths.ts';
import { homeDirectory } from '../base/userDirectories.ts';
import { systemCodeOf } from '../domain/errors.ts';
import type { Machine, Ran } from './manager.ts';
import { lastingNames } from './serveCommand.ts';

const RUN_MS = 10_000;

export function systemMachine(): Machine {
  const homeDir = homeDirectory(process);
  return { program: ownProgram(homeDir), homeDir, uid: process.getuid?.() ?? null, run };
}

function ownProgram(homeDir: string): string[] {
  const program = lastingName(process.execPath, homeDir);
  return isSea() ? [program] : [program, ownScript(dirname(fileURLToPath(import.meta.url)))];
}

/**
 * Returns a path to the program that survives upgrades, or else the program's own path. A path that another user could redirect
 * is used only if other users can change the program's own directory too.
 */
export function lastingName(path: string, homeDir: string): string {
  if (process.platform === 'win32') return path;
  return lastingNames(path, homeDir).find((name) => leadsTo(name, path)) ?? path;
}

function leadsTo(name: string, path: string): boolean {
  try {
    const program = realpathSync(path);
    if (realpathSync(name) !== program) return false;
    return (
      changeableByOthers(realpathSync(dirname(name))) === null ||
      changeableByOthers(dirname(program)) !== null
    );
  } catch {
    return false;
  }
}

/** Finds relay's script from the bundle and from source, whatever name the program was started by. */
function ownScript(folder: string): string {
  const script = join(folder, 'bin', 'relay.mjs');
  return existsSync(script) || dirname(folder) === folder ? script : ownScript(dirname(folder));
}

function run(command: string, args: readonly string[], timeoutMs = RUN_MS): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: sessionEnv(), windowsHide: true };
    const child = execFile(command, [...args], options, (error, out, err) => {
      clearTimeout(timer);
      const missing = systemCodeOf(error) === 'ENOENT' ? `${command} was not found` : error?.message;
      resolve({ ok: error === null, out, err: err.trim() || (missing ?? '') });
    });
    // A child of the program may keep the streams open, so do not wait for them to close.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      resolve({ ok: false, out: '', err: `${command} did not answer within ${timeoutMs / 1_000} s` });
    }, timeoutMs);
  });
}

/** A login with `su` or plain ssh may lack XDG_RUNTIME_DIR, which systemctl needs to reach the user's systemd. */
function sessionEnv(): NodeJS.ProcessEnv {
  const folder = `/run/user/${process.getuid?.() ?? ''}`;
  const env = childEnv();
  if (process.platform !== 'linux' || env.XDG_RUNTIME_DIR || !existsSync(folder)) return env;
  return { ...env, XDG_RUNTIME_DIR: folder };
}
