import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import { answering, groupCommand, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { requireYes } from '../terminal/prompt.ts';

/** Tells a person that the key cannot be used, because the server accepts only OAuth tokens. */
export const KEYS_REFUSED = 'The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.';

export function keyCommand(context: Context): Command {
  const show = answering(context, () => showKey(context));
  return groupCommand('key', 'Show or replace the API key', show)
    .addHelpText('after', '\nExamples:\n  $ relay key\n  $ relay key rotate')
    .addCommand(new Command('show').description('Print the key').action(show))
    .addCommand(
      new Command('rotate')
        .description('Generate a new key; the old one stops working at once')
        .option('--yes', 'Do not ask; needed without a terminal')
        .action(answering(context, ({ yes = false }: { yes?: boolean }) => rotateKey(context, yes))),
    );
}

async function showKey(context: Context): Promise<Result> {
  const value = await context.withLocal((local) => local.showKey());
  return { value, text: [value.key], notes: value.accepted ? [] : [KEYS_REFUSED] };
}

async function rotateKey(context: Context, yes: boolean): Promise<Result> {
  if (!yes) await confirmRotation(context);
  const { old, accepted, key } = await context.withLocal(async (local) => {
    const { key: old, accepted } = await local.showKey();
    return { old, accepted, ...(await local.rotateKey()) };
  });
  const holders = await holdersOf(context, old);
  const renewals = holders.map(
    ({ client, file }) => `  ${commandLine(context, 'connect', client.id, '--key', '--write')}  (${file})`,
  );
  const advice = [
    ...(renewals.length > 0
      ? ['These files still have the old key. To put the new one in:', ...renewals]
      : []),
    'Give the new key to every other client that sent the old one. Clients that you approved need no key.',
  ];
  return {
    value: { key, oldKeyIn: holders.map(({ client, file }) => ({ client: client.id, file })) },
    text: [key],
    notes: [
      'The line above is the new key. The old one no longer works, and browsers need the owner code again.',
      ...(accepted ? advice : [KEYS_REFUSED]),
    ],
  };
}

async function confirmRotation({ io, signal }: Context): Promise<void> {
  if (!io.terminal.stdin || !io.terminal.stderr) {
    throw new RelayError(
      'USAGE',
      'Clients with the current key would lose access, and without a terminal relay cannot ask you first.',
      { remedy: { text: 'To generate a new key anyway: {command}', command: ['key', 'rotate', '--yes'] } },
    );
  }
  note(io, 'The current key stops working at once: every client that sends it needs the new one.');
  await requireYes(io, 'Generate a new key?', signal);
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
