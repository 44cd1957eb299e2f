import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { LOOK_AGAIN_MS } from '../../store/home/lockFile.ts';
import { answering, type Result } from '../command.ts';
import type { Context } from '../context.ts';

/** How long a server may take to end, in milliseconds: longer than its calls may go on (`server/start.ts`). */
const PATIENCE_MS = 30_000;

const HELP = `
The server first answers what it was asked. An open \`relay stdio\` starts a
server again with its next message.

Examples:
  $ relay stop
  $ relay stop --demo`;

export function stopCommand(context: Context): Command {
  return new Command('stop')
    .description('Stop the running server, also one that an AI client started')
    .addHelpText('after', HELP)
    .action(answering(context, () => runStop(context)));
}

async function runStop(context: Context): Promise<Result> {
  const { clock, signal } = context;
  const { local, baseUrl } = await context.server();
  const { pid, clients } = await local.stop();
  const { startingServer } = await import('../findServer.ts');
  const { home } = await context.settings({ demo: context.demo });
  const giveUpAt = clock.monotonic() + PATIENCE_MS;
  // A server that a client started ends its process. Another one may be part of a program that goes on.
  while ((await startingServer(home)) === pid) {
    if (clock.monotonic() > giveUpAt) {
      const message = `The server (pid ${pid}) has not ended within ${PATIENCE_MS / 1_000} seconds.`;
      throw new RelayError('INTERNAL', message, {
        remedy: { text: 'Look at its log with {command}, or end its process.', command: ['logs'] },
      });
    }
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
  const again = `These clients were connected, and start a server again with their next message: ${clients.join(', ')}`;
  return {
    value: { stopped: { pid, baseUrl }, clients },
    text: [`Stopped the server (pid ${pid}, ${baseUrl}).`],
    notes: clients.length > 0 ? [again] : [],
  };
}
