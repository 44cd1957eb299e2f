/** Runs `relay connect`: shows what a client needs to connect, or changes the client's own file. */
import { resolve } from 'node:path';
import { temporaryWord } from '../../base/childProcess.ts';
import { didYouMean } from '../../base/nearest.ts';
import { homeToName, inspectSettings, localBaseUrl, type Settings } from '../../config/settings.ts';
import { KEY_PLACEHOLDER } from '../../connect/clientFile.ts';
import {
  CLIENTS,
  type Client,
  type Connection,
  findClient,
  headersFor,
  stdioWords,
} from '../../connect/clientTable.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { systemOf } from '../../connect/configPlaces.ts';
import { type FileState, lookInto, type Plan, planFor, remove, write } from '../../connect/connectClient.ts';
import { removeSkill, SKILL_CLIENTS, skillPath, skillsFolder, writeSkill } from '../../connect/skillFile.ts';
import type { Level } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import type { Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { KEYS_REFUSED } from './clientsCommand.ts';
import { skillText } from './skillText.ts';

export interface ConnectOptions {
  write?: boolean;
  remove?: boolean;
  key?: boolean;
  /** What the client may do; by default all that it can get. */
  access?: Level;
  skill?: string | boolean;
}

/** The server that the client is to connect to: the running server, or else the server in the settings. */
interface Server {
  /** null if there is none yet: with port 0, a server has no address until it runs. */
  url: string | null;
  demo: boolean;
  authMode: Settings['mcpAuthMode'];
  registrationOpen: boolean;
  /** The key that is valid now; null if no server is running. */
  currentKey(): Promise<string | null>;
}

/** Stands for an unknown address. No entry has this address, since no server listens on port 0. */
const NO_ADDRESS = 'http://127.0.0.1:0/mcp';

export async function runConnect(
  context: Context,
  name: string | undefined,
  options: ConnectOptions,
): Promise<Result> {
  const { write: writes, remove: removes, key: withKey, skill } = options;
  if (skill !== undefined) return runSkill(context, name, options);
  const client = name === undefined ? undefined : findClient(name);
  const flag = ['write', 'remove', 'key'].find((one) => options[one as 'write'] === true);
  if (writes && removes) throw usage('--write and --remove cannot be combined.', 'Give one of them.');
  if (name === undefined && flag) throw usage(`--${flag} needs the name of a client.`, knownClients());
  if (name !== undefined && !client && (writes || removes)) throw unknownClient(name);
  if (withKey && client?.starts)
    throw usage(`${client.name} starts relay itself and needs no key.`, 'Leave out --key.');
  // relay's entries are also found by their name, so the address is needed only to write it.
  const server = await serverToConnect(context, name !== undefined && !removes && !client?.starts);
  if (name === undefined) return listClients(context, server);
  if (withKey && server.authMode === 'oauth')
    throw usage(KEYS_REFUSED, 'Leave out --key: the client asks for your approval.');
  const key = withKey ? (await context.withLocal((local) => local.showKey())).key : null;
  const connection = { ...(await connectionTo(context, server, key)), access: options.access };
  if (!client) return showOther(context, server, name, connection);
  const planWith = (value: string | null) =>
    planFor(client, { ...connection, key: value }, systemOf(context));
  if (removes) return removeEntry(context, planWith(null));
  const { notes, ...result } = await (writes
    ? writeEntry(context, server, planWith(key), planWith(key && KEY_PLACEHOLDER))
    : showEntry(context, server, planWith(key)));
  return { ...result, notes: [...(notes ?? []), ...closedNote(context, server, client, key)] };
}

async function connectionTo(
  context: Context,
  { url, demo }: Server,
  key: string | null,
): Promise<Connection> {
  const { program } = await context.machine();
  const { settings } = inspectSettings(context.loadOptions());
  const words = stdioWords(program, homeToName(settings, context.env, context.platform), demo);
  return { name: serverName(demo), url: url ?? NO_ADDRESS, key, program: words };
}

async function listClients(context: Context, server: Server): Promise<Result> {
  const connection = await connectionTo(context, server, null);
  const system = systemOf(context);
  const clients = await Promise.all(
    CLIENTS.map(async (client) => {
      const plan = planFor(client, connection, system);
      const { id, name, format } = client;
      const found = await lookInto(plan, server.currentKey);
      return { id, name, file: plan.file, format, installed: plan.missing === null, ...found };
    }),
  );
  const { home } = system;
  const short = (file: string) =>
    context.platform !== 'win32' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
  const rows = clients.map(({ id, name, state, otherNames, file }) => {
    const others = otherNames.length === 0 ? '' : ` (${otherNames.join(', ')})`;
    return [id, name, `${state}${others}`, short(file)];
  });
  const needs = `What a client needs: ${commandLine(context, 'connect', 'CLIENT')}`;
  return {
    value: { name: connection.name, url: server.url, clients },
    text: [
      { heads: ['CLIENT', 'NAME', `${connection.name} IS`, 'FILE'], rows },
      '',
      `${needs}; to write it into its file, add --write`,
    ],
  };
}

async function showOther(
  context: Context,
  { authMode, registrationOpen }: Server,
  client: string,
  connection: Connection,
): Promise<Result> {
  const { headers = {} } = headersFor(connection);
  const { name, url, program, key } = connection;
  const hint = didYouMean(client, IDS);
  const words = program.map((word) => (/^[\w.:\\/=,+-]+$/.test(word) ? word : JSON.stringify(word)));
  const orKey = `If it cannot, also enter the header Authorization with "Bearer" and the key that \`${commandLine(context, 'key')}\` prints.`;
  const approval = [
    'The client then asks for approval in the browser.',
    ...(authMode === 'oauth' ? [] : [orKey]),
  ];
  return {
    value: { client, server: name, url, headers, program },
    text: [
      'If the client connects to a URL (Streamable HTTP), enter:',
      '',
      `  Name    ${name}`,
      `  URL     ${url}`,
      ...Object.entries(headers).map(([header, value]) => `  Header  ${header}: ${value}`),
      '',
      ...(key === null ? [...approval, ''] : []),
      'If the client starts a program instead, give it this command:',
      '',
      `  ${words.join(' ')}`,
    ],
    notes: [
      `relay does not know the client "${client}".${hint === undefined ? '' : ` ${hint}`}`,
      ...(registrationOpen || key !== null ? [] : [closedRegistration(commandLine(context), null)]),
    ],
  };
}

async function removeEntry({ clock }: Context, plan: Plan): Promise<Result> {
  const { names, ...rest } = await remove(plan, clock.now());
  const { file, connection, client } = plan;
  return {
    value: { client: client.id, file, removed: names, ...rest },
    text: [
      names.length === 0
        ? `${connection.name} is not in ${file}`
        : `Removed ${names.join(', ')} from ${file}`,
      ...(rest.otherStays
        ? [`The entry ${connection.name} in that file is for another server, so it stays.`]
        : []),
      ...backupLines(rest.backup),
    ],
  };
}

async function showEntry(context: Context, server: Server, plan: Plan): Promise<Result> {
  const { client, file, snippet, command, connection } = plan;
  const found = await lookInto(plan, server.currentKey);
  const { key, access } = connection;
  const flags = [...(key === null ? [] : ['--key']), ...(access === undefined ? [] : ['--access', access])];
  const indented = snippet
    .trimEnd()
    .replace(/^(?=.)/gm, '  ')
    .split('\n');
  return {
    value: { ...shown(plan, server), state: found.state, written: false, backup: null, changed: false },
    text: [
      `${client.name} needs this in`,
      `  ${file}`,
      '',
      ...indented,
      '',
      'To add it to the file, after a backup:',
      `  ${commandLine(context, 'connect', client.id, ...flags, '--write')}`,
      ...(command === null ? [] : ['', "Or with the client's own command:", `  ${command}`]),
      '',
      ...nextLines(context, plan),
    ],
    notes: stateNotes(plan, found),
  };
}

/** @param safe the plan with a placeholder instead of the key: the file then has the key, so the screen need not show it */
async function writeEntry(context: Context, server: Server, plan: Plan, safe: Plan): Promise<Result> {
  const { file, client } = plan;
  const temporary = client.starts ? temporaryWord(plan.connection.program) : null;
  if (temporary !== null) {
    const message = `${temporary} is a temporary copy, and ${client.name} could not start it later. Nothing was changed.`;
    throw new RelayError('HOME_UNUSABLE', message, {
      remedy: 'Install relay in a permanent place, then run this again from there.',
    });
  }
  const { clock, platform } = context;
  const { name, existed, changed, backup, closed, otherNames } = await write(plan, {
    now: clock.now(),
    platform,
  });
  const done = [
    `${existed ? 'Changed' : 'Added'} ${name} in ${file}`,
    ...backupLines(backup),
    '',
    ...nextLines(context, safe),
  ];
  return {
    value: { ...shown(safe, server), written: true, backup, changed },
    text: changed ? done : [`${name} is already in ${file}`],
    notes: [
      ...otherNotes(plan, name, otherNames),
      ...(closed ? [`Other users could read ${file}. It now holds the key, so only you can.`] : []),
    ],
  };
}

function closedNote(context: Context, server: Server, { starts, id }: Client, key: string | null): string[] {
  if (starts || server.registrationOpen || key !== null) return [];
  const byKey = commandLine(context, 'connect', id, '--key', '--write');
  return [closedRegistration(commandLine(context), server.authMode === 'oauth' ? null : byKey)];
}

function nextLines(context: Context, { next, connection, client }: Plan): string[] {
  const code = `The page that opens asks once for the owner code: see \`${commandLine(context, 'status')}\`.`;
  const asks = connection.key === null && !client.starts;
  return ['After that:', `  ${next}`, ...(asks ? [`  ${code}`] : [])];
}

function stateNotes(plan: Plan, { state, entryName, otherNames }: FileState): string[] {
  const { file, connection } = plan;
  const entry = entryName === connection.name ? entryName : `${connection.name} as "${entryName}"`;
  const said = {
    absent: [],
    present: [`${file} has ${entry} already.`],
    different: [`${file} has another entry ${entry}: --write replaces it.`],
    unreadable: [`${file} cannot be read; --write says why.`],
  };
  return [...said[state], ...otherNotes(plan, entryName, otherNames)];
}

/** Warns about other entries for the same server: with them, the client would show each tool twice. */
function otherNotes({ file, client }: Plan, own: string, others: readonly string[]): string[] {
  const twice = `Keep one: ${client.name} would have every tool twice.`;
  return others
    .filter((name) => name !== own)
    .map((name) => `${file} has the same server as "${name}" too. ${twice}`);
}

function backupLines(backup: string | null): string[] {
  return backup === null ? [] : [`Backup of the previous file: ${backup}`];
}

function shown(plan: Plan, { url }: Server) {
  const { client, file, addition, snippet, command, next, connection, missing } = plan;
  const { id, name, format } = client;
  const facts = { client: id, name, server: connection.name, url, file, format, installed: missing === null };
  return { ...facts, entry: addition.entry, snippet, command, next };
}

/** @param needsAddress false if it is no problem that the address is not known */
async function serverToConnect(context: Context, needsAddress: boolean): Promise<Server> {
  const running = await context.running();
  if (running) {
    const { server, mcp } = await running.local.status();
    return {
      url: server?.mcpUrl ?? `${running.baseUrl}/mcp`,
      demo: running.demo,
      authMode: mcp.authMode,
      registrationOpen: mcp.registrationOpen,
      currentKey: async () => (await running.local.showKey()).key,
    };
  }
  const settings = await context.settings();
  const { publicBaseUrl, host, port, demo } = settings;
  const base = publicBaseUrl ?? (port === 0 ? null : localBaseUrl(host, port));
  if (base === null && needsAddress) {
    throw new RelayError('NO_SERVER', 'With port 0, the address is known only while the server runs.', {
      remedy: { text: 'Start it with {command}, or set a port.', command: ['serve'] },
    });
  }
  if (base !== null) context.remark('No server is running. The address is the one in the settings.');
  const { mcpAuthMode: authMode, dynamicRegistration: registrationOpen } = settings;
  const url = base && `${base}/mcp`;
  return { url, demo, authMode, registrationOpen, currentKey: async () => null };
}

/** A skill needs no server and connects nothing; it only tells a model which commands there are. */
async function runSkill(
  context: Context,
  name: string | undefined,
  { skill, remove: removes, key }: ConnectOptions,
): Promise<Result> {
  if (key) throw usage('A skill needs no key: it only describes the commands of relay.', 'Leave out --key.');
  const folder = skillFolder(context, name, skill);
  const path = skillPath(folder);
  if (removes) {
    const removed = await removeSkill(folder);
    return {
      value: { skill: path, removed },
      text: [removed ? `Removed ${path}.` : `There is no skill of relay's at ${path}.`],
    };
  }
  const text = skillText(context);
  const changed = await writeSkill(folder, text);
  const wrote = `Wrote ${path}. Run this again after an update of relay.`;
  return {
    value: { skill: path, written: true, changed, text },
    text: [changed ? wrote : `${path} is up to date.`],
  };
}

function skillFolder(
  { platform, env }: Context,
  name: string | undefined,
  skill: string | boolean | undefined,
): string {
  if (typeof skill === 'string') return resolve(skill);
  const client = name === undefined ? null : findClient(name);
  if (client === undefined) throw unknownClient(name ?? '');
  const folder = skillsFolder(client?.id ?? null, systemOf({ platform, env }));
  if (folder !== null) return folder;
  throw usage(
    `relay knows no directory from which ${client?.name ?? name} reads skills.`,
    `Name the directory with --skill DIR. relay knows the directory of: ${SKILL_CLIENTS.join(', ')}.`,
  );
}

const IDS = CLIENTS.map(({ id }) => id);

function knownClients(): string {
  return `It is one of ${IDS.join(', ')}.`;
}

/** Makes the error for a client that relay does not know. relay cannot find the files of such a client. */
function unknownClient(name: string): RelayError {
  const remedy = [didYouMean(name, IDS), knownClients()].filter(Boolean).join(' ');
  return usage(`Unknown client "${name}".`, remedy);
}

function usage(message: string, remedy: string): RelayError {
  return new RelayError('USAGE', message, { remedy });
}
