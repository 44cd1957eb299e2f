/** Asks the server to import a listening history, and shows the result. */
import { resolve } from 'node:path';
import { RelayError } from '../../domain/errors.ts';
import { type PlaysProgress, playsNotes, playsText } from '../../domain/plays.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { createProgress } from '../terminal/progress.ts';
import { commandLine, quotedPath } from '../usage/commandLine.ts';

/**
 * Imports the plays. Ctrl-C does not stop the server.
 * @throws RelayError `INVALID_ARGUMENT` if `file` is not an export, `INTERRUPTED` after Ctrl-C
 */
export async function importPlays(context: Context, local: LocalApi, file: string): Promise<void> {
  const { io, signal } = context;
  const bar = createProgress(io);
  try {
    const { id } = await local.importPlays({ path: resolve(file) });
    let now = await local.playsProgress({ id });
    for (; now.state !== 'done'; now = await local.playsProgress({ id })) bar.draw(drawn(now));
    bar.clear();
    tell(context, file, now);
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
  if (total === 0) return { progress: 0, message: 'Reading the export' };
  return { progress: megabytes(done), total: megabytes(total), message: 'Reading (MB)' };
}

function tell(
  context: Context,
  file: string,
  { plays, note: more }: Extract<PlaysProgress, { state: 'done' }>,
): void {
  const { io, json } = context;
  if (more !== null) note(io, more);
  if (json) {
    printJson(io, { plays });
    return;
  }
  printLine(io, playsText(plays));
  const again = (option: string) =>
    commandLine(context, 'import', quotedPath(file, context.platform), option);
  for (const line of playsNotes(plays, again)) note(io, line);
}
