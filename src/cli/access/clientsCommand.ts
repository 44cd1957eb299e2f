import { createInterface } from 'node:readline';
import { Argument, type Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { LEVEL_WORDS, LEVELS, type Level } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ClientSummary } from '../../domain/localApi.ts';
import { groupOf, leaf, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { requireYes } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';

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
  const commands = [
    leaf(context, 'list', 'List clients and browsers', listClients),
    leaf(context, 'add', 'Add a client that cannot register itself', addClient)
      .argument('<name>', 'Name to show on the approval page')
      .requiredOption('--redirect-uri <uri...>', 'Where the browser returns after approval')
      .option('--confidential', 'The client has a secret; it is read from stdin'),
    leaf(context, 'access', 'Change what a client may do, from its next request on', setAccess)
      .argument('<id>', 'ID or name of the client')
      .addArgument(new Argument('<level>', 'What it may do').choices(LEVELS)),
    leaf(context, 'revoke', 'End the access of a client, or make a browser need the code, at once', revoke)
      .argument('<id>', 'ID or name of the client, or ID of the browser')
      .option('--forget', "Also remove the client's registration"),
  ];
  const description = 'List, add or revoke clients, and browsers that approve';
  return groupOf(context, 'clients', description, listClients, commands, EXAMPLES);
}

async function listClients(context: Context): Promise<Result> {
  const { clients, registrationOff, browsers } = await context.withLocal(async (local) => ({
    ...(await local.listClients()),
    ...(await local.listBrowsers()),
  }));
  const now = context.clock.now();
  const when = (time: string | null) => (time === null ? 'never' : timeText(time, now));
  const clientRow = ({ name, clientId, source, approvals, lastUsedAt }: ClientSummary) => {
    const approved = approvals.map(({ approvedAt, access }) => `${when(approvedAt)} (${access})`).join(', ');
    return [visibleText(name ?? '-', 40), clientId, source, approved || 'no', when(lastUsedAt)];
  };
  const noClients = registrationOff
    ? closedRegistration(commandLine(context), null)
    : 'Most clients register themselves when they first connect, and then ask for approval.';
  const heads = ['CLIENT', 'ID', 'FROM', 'APPROVED', 'LAST USED'];
  const browserRows = browsers.map(({ id, label, origin, lastUsedAt, expiresAt }) => {
    return [label, id, origin, when(lastUsedAt), when(expiresAt)];
  });
  return {
    value: { clients, browsers },
    text: [
      clients.length === 0 ? `There are no clients. ${noClients}` : { heads, rows: clients.map(clientRow) },
      '',
      browsers.length === 0
        ? 'No browser approves without the owner code.'
        : { heads: ['BROWSER', 'ID', 'ADDRESS', 'LAST USED', 'UNTIL'], rows: browserRows },
    ],
  };
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

/** A secret is neither an argument, since arguments end up in the shell's history, nor typed, where others may see it. */
async function readSecret({ io, signal }: Context): Promise<string> {
  if (!io.terminal.stdin) {
    for await (const line of createInterface({ input: io.stdin, signal }))
      if (line.trim() !== '') return line.trim();
  }
  signal.throwIfAborted();
  throw new RelayError('USAGE', 'No secret was given.', {
    remedy: 'Make one with `openssl rand -hex 32 > FILE`, then add `< FILE` to this command.',
  });
}

async function setAccess(context: Context, id: string, level: Level): Promise<Result> {
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

async function revoke(
  context: Context,
  id: string,
  { forget = false }: { forget?: boolean },
): Promise<Result> {
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
    const again =
      client.source === 'environment' || client.source === 'file'
        ? 'It is in the settings and can ask again. Remove it there to prevent that.'
        : 'It can ask again. To remove its registration as well, add --forget.';
    return {
      value: { client, approvals, forgotten },
      text: [`${forgotten ? 'Forgot' : 'Revoked'} ${name}: ${ended}.`],
      notes: forgotten ? [] : [again],
    };
  });
}

/** Tells a person that the key cannot be used, because the server accepts only OAuth tokens. */
export const KEYS_REFUSED = 'The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.';

export function keyCommand(context: Context): Command {
  const rotate = 'Generate a new key; the old one stops working at once';
  const commands = [
    leaf(context, 'show', 'Print the key', showKey),
    leaf(context, 'rotate', rotate, rotateKey).option('--yes', 'Do not ask; needed without a terminal'),
  ];
  const help = '\nExamples:\n  $ relay key\n  $ relay key rotate';
  return groupOf(context, 'key', 'Show or replace the API key', showKey, commands, help);
}

async function showKey(context: Context): Promise<Result> {
  const value = await context.withLocal((local) => local.showKey());
  return { value, text: [value.key], notes: value.accepted ? [] : [KEYS_REFUSED] };
}

async function rotateKey(context: Context, { yes = false }: { yes?: boolean }): Promise<Result> {
  const { io, signal } = context;
  if (!yes && !(io.terminal.stdin && io.terminal.stderr)) {
    throw new RelayError(
      'USAGE',
      'Clients with the current key would lose access, and without a terminal relay cannot ask you first.',
      { remedy: { text: 'To generate a new key anyway: {command}', command: ['key', 'rotate', '--yes'] } },
    );
  }
  if (!yes) {
    note(io, 'The current key stops working at once: every client that sends it needs the new one.');
    await requireYes(io, 'Generate a new key?', signal);
  }
  const { old, accepted, key } = await context.withLocal(async (local) => {
    const { key: old, accepted } = await local.showKey();
    return { old, accepted, ...(await local.rotateKey()) };
  });
  const { clientsWith } = await import('../../connect/connectClient.ts');
  const { systemOf } = await import('../../connect/configPlaces.ts');
  // The new key is printed even if the files of clients cannot be found.
  const holders = await clientsWith(old, systemOf(context)).catch(() => []);
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
