import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { columns, note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';

export function keyCommand(context: Context): Command {
  const show = () => runKeyShow(context);
  return parentCommand('key', 'Show or replace the API key', show)
    .helpGroup(HELP_GROUPS.clients)
    .addHelpText('after', '\nExamples:\n  $ relay key\n  $ relay key rotate\n  $ relay key rotate --yes')
    .addCommand(new Command('show').description('Print the key').action(show))
    .addCommand(
      new Command('rotate')
        .description('Generate a new key; the old one stops working at once')
        .option('--yes', 'Do not ask; needed without a terminal')
        .action(({ yes = false }: { yes?: boolean }) => runKeyRotate(context, yes)),
    );
}

async function runKeyShow(context: Context): Promise<void> {
  const shown = await context.withLocal((local) => local.showKey());
  if (context.json) return printJson(context.io, shown);
  printLine(context.io, shown.key);
  if (!shown.accepted) note(context.io, KEYS_REFUSED);
}

/** Tells a person that the key cannot be used, because the server accepts only OAuth tokens. */
export const KEYS_REFUSED = 'The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.';

async function confirmRotation({ io, signal }: Context): Promise<void> {
  if (!io.terminal.stdin || !io.terminal.stderr) {
    throw new RelayError(
      'USAGE',
      'Clients with the current key would lose access, and without a terminal relay cannot ask you first.',
      {
        remedy: { text: 'To generate a new key anyway: {command}', command: ['key', 'rotate', '--yes'] },
      },
    );
  }
  note(io, 'The current key stops working at once: every client that sends it needs the new one.');
  const { requireYes } = await import('../terminal/prompt.ts');
  await requireYes(io, 'Generate a new key?', signal);
}

async function runKeyRotate(context: Context, yes: boolean): Promise<void> {
  if (!yes) await confirmRotation(context);
  const { old, accepted, key } = await context.withLocal(async (local) => {
    const { key: old, accepted } = await local.showKey();
    return { old, accepted, ...(await local.rotateKey()) };
  });
  const holders = await holdersOf(context, old);
  if (context.json) {
    return printJson(context.io, {
      key,
      oldKeyIn: holders.map(({ client, file }) => ({ client: client.id, file })),
    });
  }
  printLine(context.io, key);
  note(
    context.io,
    'The line above is the new key. The old one no longer works, and browsers need the owner code again.',
  );
  if (!accepted) return note(context.io, KEYS_REFUSED);
  if (holders.length === 0) {
    return note(
      context.io,
      'Give the new key to every client that sent the old one. Clients that you approved need no key.',
    );
  }
  note(context.io, 'These files still have the old key. To put the new one in:');
  const lines = holders.map(({ client, file }) => [
    `  ${commandLine(context, 'connect', client.id, '--key', '--write')}`,
    file,
  ]);
  for (const line of columns(lines)) note(context.io, line);
  note(context.io, 'Give the new key to every other client that sent the old one.');
}

/** Returns the clients whose files still hold the key. The list is empty if the files cannot be found. */
async function holdersOf(context: Context, key: string) {
  const { clientsWith } = await import('../../connect/connectClient.ts');
  const { systemOf } = await import('../../connect/configPlaces.ts');
  try {
    return await clientsWith(key, systemOf(context));
  } catch {
    return [];
  }
}
