import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { LOOK_AGAIN_MS } from '../../store/home/lockFile.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';

/** How long a server may take to end, in milliseconds: longer than its calls may go on (`server/start.ts`). */
const PATIENCE_MS = 30_000;

export function stopCommand(context: Context): Command {
  return new Command('stop')
    .helpGroup(HELP_GROUPS.server)
    .description('Stop the running server, also one that an AI client started')
    .addHelpText(
      'after',
      '\nThe server first answers what it was asked. Clients that use `relay stdio`\nstart a server again with their next message.\n\nExamples:\n  $ relay stop\n  $ relay stop --demo',
    )
    .action(() => runStop(context));
}

async function runStop(context: Context): Promise<void> {
  const { clock, io, json, signal } = context;
  const { local, baseUrl } = await context.server();
  const { pid, clients } = await local.stop();
  const { startingServer } = await import('../findServer.ts');
  const { home } = await context.settings({ demo: context.demo });
  const giveUpAt = clock.monotonic() + PATIENCE_MS;
  // A server that a client started ends its process. Another one may be part of a program that goes on.
  while ((await startingServer(home)) === pid) {
    if (clock.monotonic() > giveUpAt) {
      throw new RelayError(
        'INTERNAL',
        `The server (pid ${pid}) has not ended within ${PATIENCE_MS / 1_000} seconds.`,
        {
          remedy: 'Look at its log with relay logs, or end its process.',
        },
      );
    }
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
  if (json) return printJson(io, { stopped: { pid, baseUrl }, clients });
  printLine(io, `Stopped the server (pid ${pid}, ${baseUrl}).`);
  if (clients.length > 0)
    note(
      io,
      `These clients were connected, and start a server again with their next message: ${clients.join(', ')}`,
    );
}
