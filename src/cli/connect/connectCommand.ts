import { resolve } from 'node:path';
import { Command } from 'commander';
import { temporaryWord } from '../../base/temporaryProgram.ts';
import type { Settings } from '../../config/settings.ts';
import { CLIENTS, type Connection, findClient, stdioWords } from '../../connect/clientTable.ts';
import { type System, systemOf } from '../../connect/configPlaces.ts';
import type { Plan } from '../../connect/connectClient.ts';
import { RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import { EXTRAS_QUESTION, toolsetsFor } from '../../domain/toolsets.ts';
import type { Context } from '../context.ts';
import { note, printBlock, printJson, wrap } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';
import { toolChoice } from '../usage/toolFlags.ts';

interface ConnectOptions {
  write?: boolean;
  remove?: boolean;
  key?: boolean;
  toolsets?: string;
  /** A directory, or true for the client's own. */
  skill?: string | boolean;
  readOnly?: boolean;
}

/** The server that the client is to connect to: the running one, or the one in the settings. */
interface Server {
  name: string;
  url: string;
  /** True if the server is the demo's. */
  demo: boolean;
  authMode: Settings['mcpAuthMode'];
  /** The key that is valid now; null if no server runs that could be asked. */
  currentKey(): Promise<string | null>;
}

const IDS = CLIENTS.map(({ id }) => id);

const HELP = `
Clients: ${wrap(IDS.join(', '), 70).join('\n         ')}
For any other name, relay shows the URL and the header to enter, or the program
to start.

Examples:
  $ relay connect
  $ relay connect cursor
  $ relay connect codex --write
  $ relay connect claude-code --key --write
  $ relay connect cursor --toolsets catalog,playlists --read-only
  $ relay connect cursor --remove
  $ relay connect claude-code --skill
  $ relay connect --skill .agents/skills
  $ relay connect claude-code --skill --remove`;

export function connectCommand(context: Context): Command {
  return new Command('connect')
    .helpGroup(HELP_GROUPS.clients)
    .description('Show how to connect an AI client, or write its configuration')
    .argument('[client]', 'One of the clients below, or any other name; lists all if omitted')
    .option('--write', "Add it to the client's configuration file, after a backup")
    .option('--remove', "Remove it from the client's configuration file, after a backup")
    .option('--key', 'Use the API key instead of approval in the browser')
    .option(
      '--skill [dir]',
      'Write a skill that describes the commands instead, to the directory of the client or the one given',
    )
    .option('--toolsets <list>', 'Limit the client to these toolsets')
    .option('--read-only', 'Limit the client to tools that change nothing')
    .addHelpText('after', HELP)
    .action((name: string | undefined, options: ConnectOptions) => runConnect(context, name, options));
}

async function runConnect(
  context: Context,
  name: string | undefined,
  options: ConnectOptions,
): Promise<void> {
  if (options.skill !== undefined) return runSkill(context, name, options);
  const { write, remove, key: withKey, toolsets, readOnly } = options;
  const ofOneClient = { write, remove, key: withKey, toolsets, 'read-only': readOnly };
  const [flag] = Object.entries(ofOneClient).find(([, given]) => given !== undefined) ?? [];
  if (name === undefined && flag !== undefined) throw missingClient(`--${flag}`);
  if (write && remove) {
    throw new RelayError('USAGE', '--write and --remove cannot be combined.');
  }
  const client = name === undefined ? undefined : findClient(name);
  if (name !== undefined && !client && (write || remove)) throw await unknownClient(name);
  const choice = toolChoice(options);
  const server = await serverToConnect(context);
  if (name === undefined) return listClients(context, server);
  if (withKey && client?.starts) {
    throw new RelayError('USAGE', `${client.name} starts relay itself and needs no key.`, {
      remedy: 'Leave out --key.',
    });
  }
  if (withKey && server.authMode === 'oauth') {
    throw new RelayError(
      'USAGE',
      'The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.',
      {
        remedy: `Leave out --key: ${client?.name ?? name} asks for your approval in the browser.`,
      },
    );
  }
  const key = withKey ? (await context.withLocal((local) => local.showKey())).key : null;
  const program = await programOf(context, server);
  if (!client || client.starts) refuseTemporary(context, program, client && write ? client.name : null);
  if (!client) return showOther(context, name, { ...connectionTo(server, key, program), choice });
  const { planFor } = await import('../../connect/connectClient.ts');
  const plan = (value: string | null): Plan =>
    planFor(client, { ...connectionTo(server, value, program), choice }, systemOf(context));
  if (remove) return removeEntry(context, server, plan(null));
  if (write) await writePlan(context, plan, key);
  else await showPlan(context, server, plan(key));
  if (toolsets === undefined) await offerExtras(context, server);
}

/** A skill needs no server and connects nothing; it only tells a model which commands there are. */
async function runSkill(
  context: Context,
  name: string | undefined,
  { skill, remove, key, toolsets, readOnly }: ConnectOptions,
): Promise<void> {
  if (key || toolsets !== undefined || readOnly) {
    throw new RelayError(
      'USAGE',
      'A skill needs no key and has no toolsets: it only describes the commands of relay.',
    );
  }
  const { io, json } = context;
  const folder = await skillFolder(context, name, skill);
  const { removeSkill, skillPath, writeSkill } = await import('../../connect/skillFile.ts');
  const path = skillPath(folder);
  if (remove) {
    const removed = await removeSkill(folder);
    if (json) return printJson(io, { skill: path, removed });
    return printBlock(io, removed ? `Removed ${path}.\n` : `There is no skill of relay's at ${path}.\n`);
  }
  const { skillText } = await import('./skillText.ts');
  const text = skillText(context);
  const changed = await writeSkill(folder, text);
  if (json) return printJson(io, { skill: path, written: true, changed, text });
  const again = 'Run this again after an update of relay.';
  printBlock(io, changed ? `Wrote ${path}. ${again}\n` : `${path} is up to date.\n`);
}

async function skillFolder(
  { platform, env }: Context,
  name: string | undefined,
  skill: string | boolean | undefined,
): Promise<string> {
  if (typeof skill === 'string') return resolve(skill);
  const { SKILL_CLIENTS, skillsFolder } = await import('../../connect/skillPlaces.ts');
  const client = name === undefined ? null : findClient(name);
  if (client === undefined) throw await unknownClient(name ?? '');
  const folder = skillsFolder(client?.id ?? null, systemOf({ platform, env }));
  if (folder !== null) return folder;
  throw new RelayError('USAGE', `${client?.name ?? name} reads no skills that relay knows of.`, {
    remedy: `Give a directory of skills with --skill DIR. Clients: ${SKILL_CLIENTS.join(', ')}.`,
  });
}

/** Asks once which tools to offer, and saves the answer as the setting. */
async function offerExtras(context: Context, { demo }: Server): Promise<void> {
  const { io, json, signal } = context;
  if (json || !io.terminal.stdin || !io.terminal.stderr) return;
  const { inspectSettings } = await import('../../config/settings.ts');
  const load = context.loadOptions({ demo });
  if (inspectSettings(load).settings.origins.toolsets !== 'default') return;
  const { openDialogue } = await import('../terminal/prompt.ts');
  const talk = openDialogue(io, signal);
  note(io, '');
  const extras = await talk.confirm(EXTRAS_QUESTION, true).finally(talk.close);
  const { storeSetting } = await import('../../config/edit.ts');
  const value = toolsetsFor(extras);
  storeSetting(load, 'toolsets', value);
  note(io, `Saved: toolsets is ${value}.${extras ? ' relay offers them after its next start.' : ''}`);
}

/** The command with which a client starts `relay stdio` for this home. */
async function programOf(context: Context, { demo }: Server): Promise<[string, ...string[]]> {
  const { program } = await context.machine();
  const { inspectSettings } = await import('../../config/settings.ts');
  const { home, origins } = inspectSettings(context.loadOptions()).settings;
  // The client that starts it does not have this shell's environment.
  return stdioWords(program, origins.home === 'default' ? null : home, demo);
}

/**
 * Refuses a program that a package manager fetched for one run: it disappears later, and no client could start it.
 * @param written the client whose file would name the program; null to only warn
 */
function refuseTemporary({ io }: Context, program: readonly string[], written: string | null): void {
  const word = temporaryWord(program);
  if (word === null) return;
  const remedy = 'Install relay in a permanent place, then run this again from there.';
  if (written === null) {
    note(io, `${word} is a temporary copy. ${remedy}`);
    return;
  }
  throw new RelayError(
    'HOME_UNUSABLE',
    `${word} is a temporary copy, and ${written} could not start it later. Nothing was changed.`,
    { remedy },
  );
}

async function showOther(context: Context, name: string, connection: Connection): Promise<void> {
  const { io, json } = context;
  const { didYouMean } = await import('../../base/nearest.ts');
  const hint = didYouMean(name, IDS);
  const { headersFor } = await import('../../connect/clientTable.ts');
  const { headers = {} } = headersFor(connection);
  const { name: server, url, program } = connection;
  if (json) return printJson(io, { client: name, server, url, headers, program });
  note(io, `relay does not know the client "${name}".${hint === undefined ? '' : ` ${hint}`}`);
  const { otherText } = await import('./connectText.ts');
  printBlock(io, otherText(connection, headers, commandLine(context, 'key'), io.columns));
}

async function removeEntry(context: Context, { currentKey }: Server, plan: Plan): Promise<void> {
  const { io, clock, json } = context;
  const { remove } = await import('../../connect/removeEntry.ts');
  const removed = await remove(plan, { now: clock.now(), currentKey });
  const { file, client } = plan;
  const { names, ...rest } = removed;
  if (json) return printJson(io, { client: client.id, file, removed: names, ...rest });
  const { removedText } = await import('./connectText.ts');
  printBlock(io, removedText(plan, removed));
}

async function showPlan(context: Context, server: Server, plan: Plan): Promise<void> {
  const { io } = context;
  if (context.json) return printJson(io, { ...shown(plan), written: false, backup: null, changed: false });
  const { planText } = await import('./connectText.ts');
  noteIfAbsent(context, plan);
  await noteIfThere(context, server, plan);
  printBlock(io, planText(plan, commandLine(context), io.columns));
}

/** Once the key is in the file, it need not be on the screen. */
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
  noteOthers(context, plan, written.name, written.otherNames);
  if (written.closed) note(io, `Other users could read ${plan.file}. It now holds the key, so only you can.`);
  const { backup, changed } = written;
  if (context.json) return printJson(io, { ...shown(safe), written: true, backup, changed });
  const { writtenText } = await import('./connectText.ts');
  printBlock(io, writtenText(safe, written, commandLine(context), io.columns));
}

async function listClients(context: Context, server: Server): Promise<void> {
  const { io, json } = context;
  const { planFor, lookInto } = await import('../../connect/connectClient.ts');
  const { readBackups } = await import('../../connect/backups.ts');
  const system = systemOf(context);
  const program = await programOf(context, server);
  const rows = await Promise.all(
    CLIENTS.map(async (client) => {
      const plan = planFor(client, connectionTo(server, null, program), system);
      const { file, missing } = plan;
      const { id, name, format } = client;
      const { state, otherNames } = await lookInto(plan, server.currentKey);
      const backups = await readBackups(file, plan.addition, plan.connection, []);
      const keyBackups = backups.withKey.length;
      return { id, name, file, format, installed: missing === null, state, otherNames, keyBackups };
    }),
  );
  if (json) return printJson(io, { name: server.name, url: server.url, clients: rows });
  const { clientsText } = await import('./connectText.ts');
  const short = rows.map((row) => ({ ...row, file: shortened(row.file, system) }));
  printBlock(io, clientsText(short, server.name, commandLine(context), io.columns));
}

/** A plan as `--json` prints it. */
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
    note(io, `${client.name} does not seem to have been used on this computer: ${missing} does not exist.`);
}

/** Says if the client's file has the server already. Not used with `--write`, whose result says so. */
async function noteIfThere(context: Context, server: Server, plan: Plan): Promise<void> {
  const { lookInto } = await import('../../connect/connectClient.ts');
  const { state, otherNames } = await lookInto(plan, server.currentKey);
  const { file, connection, client } = plan;
  const write = commandLine(context, 'connect', client.id, '--key', '--write');
  if (state !== 'no') note(context.io, `${file} ${THERE[state](connection.name, write)}.`);
  noteOthers(context, plan, connection.name, otherNames);
}

/** Warns about other entries for the same server, with which the client would show each tool twice. */
function noteOthers({ io }: Context, { file, client }: Plan, own: string, others: readonly string[]): void {
  for (const other of others.filter((name) => name !== own)) {
    note(
      io,
      `${file} has the same server as "${other}" too. Keep one: ${client.name} would have every tool twice.`,
    );
  }
}

const THERE = {
  yes: (server: string) => `has ${server} already`,
  other: (server: string) => `has ${server} with another address`,
  old_key: (server: string, write: string) => `has ${server} with an old key; to renew it: ${write}`,
  unreadable: () => 'cannot be read; --write says why',
};

function connectionTo({ name, url }: Server, key: string | null, program: Connection['program']): Connection {
  return { name, url, key, program };
}

function shortened(file: string, { home, platform }: System): string {
  return platform !== 'win32' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

/** The error for a client that relay does not know, so that it cannot find the client's files. */
async function unknownClient(name: string): Promise<RelayError> {
  const { didYouMean } = await import('../../base/nearest.ts');
  return new RelayError('USAGE', `Unknown client "${name}".`, {
    remedy: [didYouMean(name, IDS), `It is one of ${IDS.join(', ')}.`].filter(Boolean).join(' '),
  });
}

function missingClient(flag: string): RelayError {
  return new RelayError('USAGE', `${flag} needs the name of a client.`, {
    remedy: `It is one of ${IDS.join(', ')}.`,
  });
}

async function serverToConnect(context: Context): Promise<Server> {
  const running = await context.running();
  if (running) {
    const { server, mcp } = await running.local.status();
    const url = server?.mcpUrl ?? `${running.baseUrl}/mcp`;
    const currentKey = async () => (await running.local.showKey()).key;
    const { demo } = running;
    return { name: serverName(demo), url, demo, authMode: mcp.authMode, currentKey };
  }
  const settings = await context.settings();
  const url = await urlFromSettings(settings);
  note(context.io, 'No server is running. The address is the one in the settings.');
  const { mcpAuthMode: authMode } = settings;
  return {
    name: serverName(settings.demo),
    url,
    demo: settings.demo,
    authMode,
    currentKey: async () => null,
  };
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
