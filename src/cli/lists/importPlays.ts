/** Asks the server to import a listening history, and shows the result. */
import { resolve } from 'node:path';
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { type PlaysProgress, playsText } from '../../domain/plays.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { createProgress } from '../terminal/progress.ts';
import type { Dialogue } from '../terminal/prompt.ts';

interface Choices {
  /** Accepts the history of another account too. */
  anyAccount: boolean;
  /** The dialogue with the person; null if nobody can be asked. */
  talk: Dialogue | null;
}

/**
 * Imports the plays. If the server asks whether to accept another account's history, passes the question to the person.
 * Ctrl-C does not stop the server.
 * @throws RelayError `INVALID_ARGUMENT` if `file` is not an export, `USAGE` if nobody can be asked, `INTERRUPTED` after a no
 *   or Ctrl-C
 */
export async function importPlays(
  context: Context,
  local: LocalApi,
  file: string,
  { anyAccount, talk }: Choices,
): Promise<void> {
  const end = await follow(context, local, resolve(file), anyAccount);
  if (end.state === 'done') return tell(context, end);
  if (talk === null) {
    throw new RelayError('USAGE', end.question, {
      remedy: 'Nothing was written. To add its plays to yours, use --yes.',
    });
  }
  await talk.requireYes(`${end.question} Add its plays anyway?`);
  await importPlays(context, local, file, { anyAccount: true, talk: null });
}

type End = Extract<PlaysProgress, { state: 'done' | 'asking' }>;

async function follow(
  { io, signal }: Context,
  local: LocalApi,
  path: string,
  anyAccount: boolean,
): Promise<End> {
  const bar = createProgress(io);
  try {
    const { id } = await local.importPlays({ path, anyAccount });
    for (;;) {
      const now = await local.playsProgress({ id });
      if (now.state === 'done' || now.state === 'asking') return now;
      bar.draw(drawn(now));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new RelayError('INTERRUPTED', 'Interrupted. The server continues the import.', {
      remedy: 'Run the same command again to wait for its end. No play is added twice.',
    });
  } finally {
    bar.clear();
  }
}

function drawn({ state, done, total }: Extract<PlaysProgress, { done: number }>) {
  if (state === 'writing') return { progress: done, total, message: 'Adding plays' };
  const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
  if (total === 0) return { progress: 0, message: 'Checking the export' };
  return { progress: megabytes(done), total: megabytes(total), message: 'Reading (MB)' };
}

function tell({ io, json }: Context, { plays, note: more }: Extract<End, { state: 'done' }>): void {
  if (more !== null) note(io, more);
  if (json) {
    printJson(io, { plays });
    return;
  }
  printLine(io, playsText(plays));
  if (plays.unreadable > 0)
    note(io, `Left out ${counted(plays.unreadable, 'row')} without a valid time or length.`);
}
