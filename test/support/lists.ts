/** `relay import` and `relay export` in this process, against a server in this process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliOptions, type CliResult, relay } from './cli.ts';
import { type Relay, type RelayOptions, withRelay } from './world.ts';

export interface ListScene {
  world: Relay;
  /** Runs `relay …args` against the server of `world`. */
  run(args: string[], options?: CliOptions): Promise<CliResult>;
  /** A directory for the files of the test. */
  dir: string;
  /** Writes a file into `dir` and returns its path. */
  file(name: string, content: string | Uint8Array): string;
}

export async function withLists(
  work: (scene: ListScene) => Promise<void>,
  options: RelayOptions = {},
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'lists-'));
  try {
    await withRelay({ client: false, ...options }, (world) =>
      work({
        world,
        dir,
        run: (args, more = {}) => relay(args, { columns: 100, ...more, env: world.env }),
        file(name, content) {
          const path = join(dir, name);
          writeFileSync(path, content);
          return path;
        },
      }),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Options for a person at a terminal. */
export const TERMINAL: CliOptions = { terminal: { stdin: true, stdout: true, stderr: true } };
