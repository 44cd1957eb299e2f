import { homedir } from 'node:os';
import { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import type { Settings } from '../../config/settings.ts';
import { CLIENTS, type Client, type Connection, findClient } from '../../connect/clientTable.ts';
import { pathsOf, type System } from '../../connect/configPlaces.ts';
import type { Plan } from '../../connect/connectClient.ts';
import { RelayError } from '../../domain/errors.ts';
import { HELP_GROUPS } from '../commandGroups.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note, printBlock, printJson } from '../terminal/output.ts';
import { toolChoice } from '../toolFlags.ts';

interface ConnectOptions {
  write?: boolean;
  key?: boolean;
  toolsets?: string;
  readOnly?: boolean;
}

/** Which server the client is to connect to: the running one, or the one that the settings describe. */
interface Server {
  name: string;
  url: string;
  authMode: Settings['mcpAuthMode'];
}

const IDS = CLIENTS.map(({ id }) => id);

const HELP = `
Clients: ${IDS.slice(0, 4).join(', ')},
         ${IDS.slice(4).join(', ')}

Examples:
  $ relay connect
  $ relay connect cursor
  $ relay connect codex --write
  $ relay connect claude-code --key --write
  $ relay connect cursor --toolsets catalog,playlists --read-only`;

export function connectCommand(context: Context): Command {
  return new Command('connect')
    .helpGroup(HELP_GROUPS.clients)
    .description('Show how to connect an AI client, or write its configuration')
    .argument('[client]', 'One of the clients below; without it, all are listed')
    .option('--write', "Add it to the client's configuration file, after a backup")
    .option('--key', 'Use the API key instead of approval in the browser')
    .option('--toolsets <list>', 'Give the client only these of the toolsets that the server offers')
    .option('--read-only', 'Give the client only tools that change nothing')
    .addHelpText('after', HELP)
    .action((name: string | undefined, options: ConnectOptions) => runConnect(context, name, options));
}

async function runConnect(
  context: Context,
  name: string | undefined,
  options: ConnectOptions,
): Promise<void> {
  const client = name === undefined ? undefined : await requireClient(name);
  if (!client && options.write) throw missingClient('--write');
  if (!client && options.key) throw missingClient('--key');
  if (!client && options.toolsets !== undefined) throw missingClient('--toolsets');
  if (!client && options.readOnly) throw missingClient('--read-only');
  const choice = toolChoice(options);
  const server = await serverToConnect(context);
  if (!client) return listClients(context, server);
  if (options.key && server.authMode === 'oauth') {
    throw new RelayError(
      'USAGE',
      'The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.',
      {
        remedy: `Leave out --key: ${client.name} asks for your approval in the browser.`,
      },
    );
  }
  const key = options.key ? (await context.withLocal((local) => local.showKey())).key : null;
  const { planFor } = await import('../../connect/connectClient.ts');
  const plan = (value: string | null): Plan =>
    planFor(
      client,
      { ...connectionTo(server, value), choice },
      systemOf(context),
      commandLine(context, 'key'),
    );
  if (options.write) return writePlan(context, plan, key);
  return showPlan(context, plan(key));
}

async function showPlan(context: Context, plan: Plan): Promise<void> {
  const { io } = context;
  if (context.json) return printJson(io, { ...shown(plan), written: false, backup: null, changed: false });
  const { planText } = await import('./connectText.ts');
  noteIfAbsent(context, plan);
  await noteIfThere(context, plan);
  printBlock(io, planText(plan, commandLine(context), io.columns));
}

/** The key is in the file then, and nothing needs it on the screen. */
async function writePlan(
  context: Context,
  planWith: (key: string | null) => Plan,
  key: string | null,
): Promise<void> {
  const { io, clock, platform } = context;
  const { KEY_PLACEHOLDER, write } = await import('../../connect/connectClient.ts');
  const plan = planWith(key);
  const safe = planWith(key === null ? null : KEY_PLACEHOLDER);
  const written = await write(plan, { now: clock.now(), platform });
  noteIfAbsent(context, plan);
  if (written.closed) note(io, `Other users could read ${plan.file}. It now holds the key, so only you can.`);
  const { backup, changed } = written;
  if (context.json) return printJson(io, { ...shown(safe), written: true, backup, changed });
  const { writtenText } = await import('./connectText.ts');
  printBlock(io, writtenText(safe, written, commandLine(context), io.columns));
}

async function listClients(context: Context, server: Server): Promise<void> {
  const { io, json } = context;
  const { planFor, stateOf } = await import('../../connect/connectClient.ts');
  const system = systemOf(context);
  const rows = await Promise.all(
    CLIENTS.map(async (client) => {
      const plan = planFor(client, connectionTo(server, null), system, '');
      const { file, missing } = plan;
      const { id, name, format } = client;
      return { id, name, file, format, installed: missing === null, state: await stateOf(plan) };
    }),
  );
  if (json) return printJson(io, { name: server.name, url: server.url, clients: rows });
  const { clientsText } = await import('./connectText.ts');
  const short = rows.map((row) => ({ ...row, file: shortened(row.file, system) }));
  printBlock(io, clientsText(short, server.name, commandLine(context), io.columns));
}

/** What `--json` prints of a plan. */
function shown({ client, file, addition, snippet, command, next, connection, missing }: Plan) {
  const { id, name, format } = client;
  const { name: server, url } = connection;
  return {
    client: id,
    name,
    server,
    url,
    file,
    format,
    installed: missing === null,
    entry: addition.entry,
    snippet,
    command,
    next,
  };
}

function noteIfAbsent({ io }: Context, { client, missing }: Plan): void {
  if (missing !== null)
    note(io, `${client.name} does not seem to have run here yet: there is no ${missing}.`);
}

/** `--write` says the same by what it does. */
async function noteIfThere({ io }: Context, plan: Plan): Promise<void> {
  const { stateOf } = await import('../../connect/connectClient.ts');
  const state = await stateOf(plan);
  if (state !== 'no') note(io, `${plan.file} ${THERE[state](plan.connection.name)}.`);
}

const THERE = {
  yes: (server: string) => `has ${server} already`,
  other: (server: string) => `has ${server} with another address`,
  unreadable: () => 'cannot be read; --write says why',
};

function connectionTo({ name, url }: Server, key: string | null): Connection {
  return { name, url, key };
}

function systemOf({ platform, env }: Context): System {
  const name = platform === 'win32' ? 'USERPROFILE' : 'HOME';
  const home = env[name] || homedir();
  if (pathsOf({ platform }).isAbsolute(home)) return { platform, env, home };
  throw new RelayError(
    'HOME_UNUSABLE',
    `Your home directory is unknown: ${name} is "${home}", which is not an absolute path.`,
    { remedy: 'Set it in the environment to your home directory, then run this again.' },
  );
}

function shortened(file: string, { home, platform }: System): string {
  return platform !== 'win32' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

async function requireClient(name: string): Promise<Client> {
  const client = findClient(name);
  if (client) return client;
  const { didYouMean } = await import('../../config/nearest.ts');
  throw new RelayError('USAGE', `Unknown client "${name}".`, {
    remedy: [didYouMean(name, IDS), `It is one of ${IDS.join(', ')}.`].filter(Boolean).join(' '),
  });
}

function missingClient(flag: string): RelayError {
  return new RelayError('USAGE', `${flag} needs the name of a client.`, {
    remedy: `It is one of ${IDS.join(', ')}.`,
  });
}

/** The demo gets a name of its own, so that it never takes the place of the real server in a client. */
async function serverToConnect(context: Context): Promise<Server> {
  const running = await interruptible(context.signal, context.running());
  if (running) {
    const { server, mcp } = await interruptible(context.signal, running.local.status());
    const url = server?.mcpUrl ?? `${running.baseUrl}/mcp`;
    return { name: running.demo ? 'relay-demo' : 'relay', url, authMode: mcp.authMode };
  }
  const settings = await context.settings();
  const url = await urlFromSettings(settings);
  note(context.io, 'No server is running. The address is the one in the settings.');
  return { name: 'relay', url, authMode: settings.mcpAuthMode };
}

async function urlFromSettings(settings: Settings): Promise<string> {
  const { publicBaseUrl, host, port } = settings;
  if (publicBaseUrl !== null) return `${publicBaseUrl}/mcp`;
  if (port === 0) {
    throw new RelayError('NO_SERVER', 'With port 0, the address is known only while the server runs.', {
      remedy: { text: 'Start it with {command}, or set a port.', command: ['serve'] },
    });
  }
  const { localBaseUrl } = await import('../../config/settings.ts');
  return `${localBaseUrl(host, port)}/mcp`;
}
