import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ClientSummary } from '../../domain/localApi.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine, printTable } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';

interface AddOptions {
  redirectUri: string[];
  confidential?: boolean;
}

interface RevokeOptions {
  forget?: boolean;
}

const EXAMPLES = `
Examples:
  $ relay clients
  $ relay clients revoke Cursor
  $ relay clients revoke Cursor --forget
  $ relay clients add "My script" --redirect-uri http://127.0.0.1/callback
  $ relay clients add Bot --confidential \\
      --redirect-uri https://bot.example.org/callback < bot-secret.txt`;

export function clientsCommand(context: Context): Command {
  const list = () => runClientsList(context);
  return parentCommand('clients', 'List, add or revoke OAuth clients', list)
    .helpGroup(HELP_GROUPS.clients)
    .addHelpText('after', EXAMPLES)
    .addCommand(new Command('list').description('List the clients and their approvals').action(list))
    .addCommand(
      new Command('add')
        .description('Add a client that cannot register itself')
        .argument('<name>', 'Name to show on the approval page')
        .requiredOption('--redirect-uri <uri...>', 'Where the browser returns after approval')
        .option('--confidential', 'The client has a secret; it is read from stdin')
        .action((name: string, options: AddOptions) => runClientsAdd(context, name, options)),
    )
    .addCommand(
      new Command('revoke')
        .description('End the access of a client at once')
        .argument('<client>', 'ID or name; a shared name means the approved client')
        .option('--forget', 'Also remove its registration')
        .action((client: string, options: RevokeOptions) => runClientsRevoke(context, client, options)),
    );
}

async function runClientsList(context: Context): Promise<void> {
  const { clients, registrationOff } = await context.withLocal((local) => local.listClients());
  if (context.json) return printJson(context.io, { clients });
  if (clients.length === 0) {
    const how = registrationOff
      ? closedRegistration(commandLine(context), null)
      : 'Most clients register themselves when they first connect, and then ask for approval.';
    return note(context.io, `There are no clients. ${how}`);
  }
  printTable(context.io, {
    heads: ['NAME', 'ID', 'FROM', 'APPROVED', 'LAST USED'],
    rows: clients.map(rowOf),
    flexible: [0, 3],
  });
}

function rowOf({ name, clientId, source, approvals, lastUsedAt }: ClientSummary): string[] {
  const approved = approvals
    .map(({ approvedAt, readOnly }) => `${approvedAt.slice(0, 10)}${readOnly ? ' (read only)' : ''}`)
    .join(', ');
  return [
    visibleText(name ?? '-', 40),
    clientId,
    source,
    approved || 'no',
    lastUsedAt?.slice(0, 10) ?? 'never',
  ];
}

async function runClientsAdd(context: Context, name: string, options: AddOptions): Promise<void> {
  const { io } = context;
  const secret = options.confidential ? await readSecret(context) : null;
  const client = await context.withLocal((local) =>
    local.addClient({ name, redirectUris: options.redirectUri, secret }),
  );
  if (context.json) return printJson(io, { client });
  printLine(io, client.clientId);
  note(
    io,
    `Added ${visibleText(name)} and printed its client ID. The client has no access until you approve it.`,
  );
}

/** A secret is never printed. It is not accepted as an argument, since arguments end up in the shell's history. */
async function readSecret({ io, signal }: Context): Promise<string> {
  const { askSecret } = await import('../terminal/prompt.ts');
  const secret = await askSecret(io, 'Client secret (at least 32 characters): ', signal);
  if (secret) return secret;
  throw new RelayError('USAGE', 'No secret was given.', {
    remedy: 'Make one with `openssl rand -hex 32`, then type it or pipe it in.',
  });
}

async function runClientsRevoke(
  context: Context,
  asked: string,
  { forget = false }: RevokeOptions,
): Promise<void> {
  const { client, approvals, forgotten } = await context.withLocal((local) =>
    local.revokeClient({ client: asked, forget }),
  );
  if (context.json) return printJson(context.io, { client, approvals, forgotten });
  const name = visibleText(client.name ?? client.clientId);
  const ended = approvals === 0 ? 'it had no access' : 'its access has ended';
  printLine(context.io, forgotten ? `Forgot ${name}: ${ended}.` : `Revoked ${name}: ${ended}.`);
  if (forgotten) return;
  const inSettings = client.source === 'environment' || client.source === 'file';
  note(
    context.io,
    inSettings
      ? 'It is in the settings and can ask again. Remove it there to prevent that.'
      : 'It can ask again. To remove its registration as well, add --forget.',
  );
}
