/** A relay with a small library, and a folder for exports beside its home. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../support/cli.ts';
import { type Relay, type RelayOptions, withRelay } from '../../support/world.ts';
import { resize } from '../accounts.ts';
import type { Cell } from '../queries.ts';

type Write = (name: string, content: string | Uint8Array) => Promise<string>;

/** @param work gets a function that writes a file and returns its path */
export async function withExports(
  options: RelayOptions,
  work: (relay: Relay, at: Write) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-exports-'));
  try {
    await withRelay({ client: false, ...options }, (relay) => {
      // A question about plays first reads the whole library, so a small one keeps these tests fast.
      resize(relay, 20, 1);
      return work(relay, async (name, content) => {
        const path = join(folder, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
        return path;
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The plays in the library, oldest first; at most 500. */
export async function allPlays(relay: Relay): Promise<Cell[][]> {
  const sql = 'select * from plays order by played_at, uri, ms_played';
  const { out, err, code } = await run(relay, ['library', 'query', sql, '--json', '--limit', '500']);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out).rows as Cell[][];
}

/** Names of the files in the home. A save that is under way replaces its unfinished file at any moment. */
export async function filesIn({ home }: Relay): Promise<string[]> {
  return (await readdir(home)).filter((name) => !/\.(?:sock|tmp)$/.test(name));
}
