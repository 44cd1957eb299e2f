import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { LEVEL_WORDS } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';
import type { BrowserSummary, ClientSummary } from '../../domain/localApi.ts';
import { answering, groupCommand, type Result, type Text } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { askSecret } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';
import { ACCESS_HELP, levelOf } from './level.ts';

interface AddOptions {
  redirectUri: string[];
  confidential?: boolean;
}

const EXAMPLES = `
Examples:
  $ relay clients
  $ relay clients access Cursor everything
  $ relay clients revoke Cursor --forget
  $ relay clients add "My script" --redirect-uri http://127.0.0.1/callback`;

export function clientsCommand(context: Context): Command {
  const list = answering(context, () => listClients(context));
  return groupCommand('clients', 'List, add or revoke clients, and browsers that approve', list)
    .addHelpText('after', EXAMPLES)
    .addCommand(new Command('list').description('List clients and browsers').action(list))
    .addCommand(
      new Command('add')
        .description('Add a client that cannot register itself')
        .argument('<name>', 'Name to show on the approval page')
        .requiredOption('--redirect-uri <uri...>', 'Where the browser returns after approval')
        .option('--confidential', 'The client has a secret; it is read from stdin')
        .action(answering(context, (name: string, options: AddOptions) => addClient(context, name, options))),
    )
    .addCommand(
      new Command('access')
        .description('Change what a client may do, from its next request on')
        .argument('<id>', 'ID or name of the client')
        .argument('<level>', ACCESS_HELP)
        .action(answering(context, (id: string, level: string) => setAccess(context, id, level))),
    )
    .addCommand(
      new Command('revoke')
        .description('End the access of a client, or make a browser need the code, at once')
        .argument('<id>', 'ID or name of the client, or ID of the browser')
        .option('--forget', "Also remove the client's registration")
        .action(
          answering(context, (id: string, { forget = false }: { forget?: boolean }) =>
            revoke(context, id, forget),
          ),
        ),
    );
}

async function listClients(context: Context): Promise<Result> {
  const { clients, registrationOff, browsers } = await context.withLocal(async (local) => ({
    ...(await local.listClients()),
    ...(await local.listBrowsers()),
  }));
  const now = context.clock.now();
  const noClients = registrationOff
    ? closedRegistration(commandLine(context), null)
    : 'Most clients register themselves when they first connect, and then ask for approval.';
  const clientText: Text =
    clients.length === 0
      ? [`There are no clients. ${noClients}`]
      : [
          {
            heads: ['CLIENT', 'ID', 'FROM', 'APPROVED', 'LAST USED'],
            rows: clients.map((client) => clientRow(client, now)),
          },
        ];
  const browserText: Text =
    browsers.length === 0
      ? ['No browser approves without the owner code.']
      : [
          {
            heads: ['BROWSER', 'ID', 'ADDRESS', 'LAST USED', 'UNTIL'],
            rows: browsers.map((browser) => browserRow(browser, now)),
          },
        ];
  return { value: { clients, browsers }, text: [...clientText, '', ...browserText] };
}

function clientRow({ name, clientId, source, approvals, lastUsedAt }: ClientSummary, now: number): string[] {
  const approved = approvals
    .map(({ approvedAt, access }) => `${timeText(approvedAt, now)} (${access})`)
    .join(', ');
  const used = lastUsedAt === null ? 'never' : timeText(lastUsedAt, now);
  return [visibleText(name ?? '-', 40), clientId, source, approved || 'no', used];
}

function browserRow({ id, label, origin, lastUsedAt, expiresAt }: BrowserSummary, now: number): string[] {
  return [label, id, origin, timeText(lastUsedAt, now), timeText(expiresAt, now)];
}

async function addClient(context: Context, name: string, options: AddOptions): Promise<Result> {
  const secret = options.confidential ? await readSecret(context) : null;
  const client = await context.withLocal((local) =>
    local.addClient({ name, redirectUris: options.redirectUri, secret }),
  );
  return {
    value: { client },
    text: [client.clientId],
    notes: [
      `Added ${visibleText(name)} and printed its client ID. The client has no access until you approve it.`,
    ],
  };
}

/** A secret is never printed. It is not accepted as an argument, since arguments end up in the shell's history. */
async function readSecret({ io, signal }: Context): Promise<string> {
  const secret = await askSecret(io, 'Client secret (at least 32 characters): ', signal);
  if (secret) return secret;
  throw new RelayError('USAGE', 'No secret was given.', {
    remedy: 'Make one with `openssl rand -hex 32`, then type it or pipe it in.',
  });
}

async function setAccess(context: Context, id: string, text: string): Promise<Result> {
  const level = levelOf(text);
  const client = await context.withLocal((local) => local.setClientAccess({ client: id, level }));
  const name = visibleText(client.name ?? client.clientId);
  const { may } = LEVEL_WORDS[level];
  const isKept = client.approvals.some(({ access }) => access !== level);
  return {
    value: { client },
    text: [`${name} has the access "${level}" now: ${may}.`],
    notes: isKept ? ['An approval that was asked for reading alone stays so.'] : [],
  };
}

async function revoke(context: Context, id: string, forget: boolean): Promise<Result> {
  return context.withLocal(async (local) => {
    const { browsers } = await local.listBrowsers();
    if (browsers.some((browser) => browser.id === id)) {
      const { forgotten } = await local.forgetBrowsers({ id });
      const [{ label, origin } = { label: id, origin: '' }] = forgotten;
      const text = `Forgot ${label} (${origin}). Next time, the approval page asks for the owner code.`;
      return { value: { browsers: forgotten }, text: [text] };
    }
    const { client, approvals, forgotten } = await local.revokeClient({ client: id, forget });
    const name = visibleText(client.name ?? client.clientId);
    const ended = approvals === 0 ? 'it had no access' : 'its access has ended';
    const inSettings = client.source === 'environment' || client.source === 'file';
    const again = inSettings
      ? 'It is in the settings and can ask again. Remove it there to prevent that.'
      : 'It can ask again. To remove its registration as well, add --forget.';
    return {
      value: { client, approvals, forgotten },
      text: [forgotten ? `Forgot ${name}: ${ended}.` : `Revoked ${name}: ${ended}.`],
      notes: forgotten ? [] : [again],
    };
  });
}
