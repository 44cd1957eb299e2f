/** Runs `relay connect`: shows what a client needs to connect, or changes the client's own file. */
import { resolve } from 'node:path';
import { temporaryWord } from '../../base/childProcess.ts';
import { didYouMean } from '../../base/nearest.ts';
import {
  homeToName,
  inspectSettings,
  localBaseUrl,
  type Settings,
  storeSetting,
} from '../../config/settings.ts';
import { KEY_PLACEHOLDER } from '../../connect/clientFile.ts';
import { CLIENTS, type Connection, findClient, headersFor, stdioWords } from '../../connect/clientTable.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { type System, systemOf } from '../../connect/configPlaces.ts';
import { lookInto, type Plan, planFor, remove, write } from '../../connect/connectClient.ts';
import { removeSkill, SKILL_CLIENTS, skillPath, skillsFolder, writeSkill } from '../../connect/skillFile.ts';
import { RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import { EXTRAS_QUESTION, toolsetsFor } from '../../domain/toolsets.ts';
import { KEYS_REFUSED } from '../access/keyCommand.ts';
import type { Context } from '../context.ts';
import { columns, note, printBlock, printJson } from '../terminal/output.ts';
import { openDialogue } from '../terminal/prompt.ts';
import { commandLine } from '../usage/commandLine.ts';
import { leftBehind } from '../usage/leftBehind.ts';
import { type ToolOptions, toolChoice } from '../usage/toolFlags.ts';
import { clientsText, otherText, planText, removedText, writtenText } from './connectText.ts';
import { skillText } from './skillText.ts';

export interface ConnectOptions extends ToolOptions {
  write?: boolean;
  remove?: boolean;
  key?: boolean;
  /** A directory, or true for the directory from which the client reads skills. */
  skill?: string | boolean;
}

/** The server that the client is to connect to: the running server, or else the server in the settings. */
interface Server {
  /** null if there is none yet: with port 0, a server has no address until it runs. */
  url: string | null;
  /** True if the server is the demo's. */
  demo: boolean;
  authMode: Settings['mcpAuthMode'];
  /** True if clients may register themselves. */
  registrationOpen: boolean;
  /** The key that is valid now; null if no server is running. */
  currentKey(): Promise<string | null>;
}

const IDS = CLIENTS.map(({ id }) => id);

export async function runConnect(
  context: Context,
  name: string | undefined,
  options: ConnectOptions,
): Promise<void> {
  if (options.skill !== undefined) return runSkill(context, name, options);
  const { write, remove, key: withKey, toolsets, readOnly } = options;
  const needClient = { write, remove, key: withKey, toolsets, 'read-only': readOnly };
  const [flag] = Object.entries(needClient).find(([, given]) => given !== undefined) ?? [];
  if (name === undefined && flag !== undefined) throw missingClient(`--${flag}`);
  if (write && remove) {
    throw new RelayError('USAGE', '--write and --remove cannot be combined.');
  }
  const client = name === undefined ? undefined : findClient(name);
  if (name !== undefined && !client && (write || remove)) throw unknownClient(name);
  const choice = toolChoice(options);
  // With `--remove`, and in the list, relay's entries are also found by their name.
  const needs = client?.starts ? 'nothing' : name === undefined || remove ? 'any' : 'address';
  const server = await serverToConnect(context, needs);
  if (name === undefined) return listClients(context, server);
  if (withKey && client?.starts) {
    throw new RelayError('USAGE', `${client.name} starts relay itself and needs no key.`, {
      remedy: 'Leave out --key.',
    });
  }
  if (withKey && server.authMode === 'oauth') {
    throw new RelayError('USAGE', KEYS_REFUSED, {
      remedy: `Leave out --key: ${client?.name ?? name} asks for your approval in the browser.`,
    });
  }
  const key = withKey ? (await context.withLocal((local) => local.showKey())).key : null;
  const program = await programOf(context, server);
  if (!client || client.starts) refuseTemporary(context, program, client && write ? client.name : null);
  const common = { name: serverName(server.demo), url: server.url ?? NO_ADDRESS, program, choice };
  if (!remove && !client?.starts && key === null) noteClosed(context, server, client?.id ?? null);
  if (!client) return showOther(context, server, name, { ...common, key });
  const plan = (value: string | null): Plan => planFor(client, { ...common, key: value }, systemOf(context));
  if (remove) return removeEntry(context, plan(null));
  if (write) await writePlan(context, server, plan, key);
  else await showPlan(context, server, plan(key));
  if (client.starts) noteLeftBehind(context, server, client.name);
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
  const folder = skillFolder(context, name, skill);
  const path = skillPath(folder);
  if (remove) {
    const removed = await removeSkill(folder);
    if (json) return printJson(io, { skill: path, removed });
    return printBlock(io, removed ? `Removed ${path}.\n` : `There is no skill of relay's at ${path}.\n`);
  }
  const text = skillText(context);
  const changed = await writeSkill(folder, text);
  if (json) return printJson(io, { skill: path, written: true, changed, text });
  const again = 'Run this again after an update of relay.';
  printBlock(io, changed ? `Wrote ${path}. ${again}\n` : `${path} is up to date.\n`);
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
  throw new RelayError('USAGE', `relay knows no directory from which ${client?.name ?? name} reads skills.`, {
    remedy: `Name the directory with --skill DIR. relay knows the directory of: ${SKILL_CLIENTS.join(', ')}.`,
  });
}

/** Asks once which tools to offer, and saves the answer as the setting `toolsets`. */
async function offerExtras(context: Context, { demo }: Server): Promise<void> {
  const { io, json, signal } = context;
  if (json || !io.terminal.stdin || !io.terminal.stderr) return;
  const load = context.loadOptions({ demo });
  if (inspectSettings(load).settings.origins.toolsets !== 'default') return;
  const talk = openDialogue(io, signal);
  note(io, '');
  const extras = await talk.confirm(EXTRAS_QUESTION, true).finally(talk.close);
  // Without an answer, relay asks again the next time.
  if (extras === null) return;
  const value = toolsetsFor(extras);
  storeSetting(load, 'toolsets', value);
  note(io, `Saved: toolsets is ${value}.${extras ? ' relay offers them after its next start.' : ''}`);
}

/** Returns the command with which a client starts `relay stdio` for this home. */
async function programOf(context: Context, { demo }: Server): Promise<[string, ...string[]]> {
  const { program } = await context.machine();
  const { settings } = inspectSettings(context.loadOptions());
  return stdioWords(program, homeToName(settings, context.env, context.platform), demo);
}

/**
 * Refuses a program that a package manager fetched for one run: the copy disappears later, and then no client can start it.
 * @param written the client whose file would name the program; null to only warn
 */
function refuseTemporary(context: Context, program: readonly string[], written: string | null): void {
  const word = temporaryWord(program);
  if (word === null) return;
  const remedy = 'Install relay in a permanent place, then run this again from there.';
  if (written === null) {
    context.remark(`${word} is a temporary copy. ${remedy}`);
    return;
  }
  throw new RelayError(
    'HOME_UNUSABLE',
    `${word} is a temporary copy, and ${written} could not start it later. Nothing was changed.`,
    { remedy },
  );
}

async function showOther(
  context: Context,
  { authMode, registrationOpen }: Server,
  name: string,
  connection: Connection,
): Promise<void> {
  const { io, json } = context;
  const hint = didYouMean(name, IDS);
  const { headers = {} } = headersFor(connection);
  const { name: server, url, program } = connection;
  if (json) return printJson(io, { client: name, server, url, headers, program });
  note(io, `relay does not know the client "${name}".${hint === undefined ? '' : ` ${hint}`}`);
  const keyCommand = authMode === 'oauth' ? null : commandLine(context, 'key');
  printBlock(io, otherText(connection, headers, keyCommand, registrationOpen, io.columns));
}

async function removeEntry({ io, clock, json }: Context, plan: Plan): Promise<void> {
  const removed = await remove(plan, clock.now());
  const { names, ...rest } = removed;
  if (json) printJson(io, { client: plan.client.id, file: plan.file, removed: names, ...rest });
  else printBlock(io, removedText(plan, removed));
}

async function showPlan(context: Context, server: Server, plan: Plan): Promise<void> {
  const { io } = context;
  if (context.json)
    return printJson(io, { ...shown(plan, server), written: false, backup: null, changed: false });
  noteIfAbsent(context, plan);
  await noteIfThere(context, server, plan);
  printBlock(io, planText(plan, commandLine(context), io.columns));
}

/** Writes the plan into the client's file. The file then has the key, so the screen shows a placeholder instead. */
async function writePlan(
  context: Context,
  server: Server,
  planWith: (key: string | null) => Plan,
  key: string | null,
): Promise<void> {
  const { io, clock, platform } = context;
  const plan = planWith(key);
  const safe = planWith(key === null ? null : KEY_PLACEHOLDER);
  const written = await write(plan, { now: clock.now(), platform });
  noteIfAbsent(context, plan);
  noteOthers(context, plan, written.name, written.otherNames);
  if (written.closed) note(io, `Other users could read ${plan.file}. It now holds the key, so only you can.`);
  const { backup, changed } = written;
  if (context.json) return printJson(io, { ...shown(safe, server), written: true, backup, changed });
  printBlock(io, writtenText(safe, written, commandLine(context), io.columns));
}

async function listClients(context: Context, server: Server): Promise<void> {
  const { io, json } = context;
  const system = systemOf(context);
  const name = serverName(server.demo);
  const program = await programOf(context, server);
  const connection = { name, url: server.url ?? NO_ADDRESS, key: null, program };
  const rows = await Promise.all(
    CLIENTS.map(async (client) => {
      const plan = planFor(client, connection, system);
      const { file, missing } = plan;
      const { id, format } = client;
      const found = await lookInto(plan, server.currentKey);
      const installed = missing === null;
      return { id, name: client.name, file, format, installed, ...found };
    }),
  );
  if (json) return printJson(io, { name, url: server.url, clients: rows });
  const short = rows.map((row) => ({ ...row, file: shortened(row.file, system) }));
  printBlock(io, clientsText(short, name, commandLine(context), io.columns));
}

/** Returns a plan as `--json` prints it. */
function shown(
  { client, file, addition, snippet, command, next, connection, missing }: Plan,
  { url }: Server,
) {
  const { id, name, format } = client;
  const { name: server } = connection;
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

/** Says which settings `relay stdio` will lack, if the client starts it. The demo needs none. */
function noteLeftBehind(context: Context, { demo }: Server, client: string): void {
  if (demo || context.json) return;
  const { settings } = inspectSettings(context.loadOptions());
  const left = leftBehind(context, homeToName(settings, context.env, context.platform));
  if (left.length === 0) return;
  const rows = left.map(({ env, store }) => [`  ${env}`, store ?? 'set it in "env" of the entry']);
  note(
    context.io,
    `${client} starts relay without your environment. Unless you keep these settings, it does not get them:`,
  );
  for (const line of columns(rows)) note(context.io, line);
}

/** Says that a client without a key has to be set up first, if it cannot register itself. */
function noteClosed(context: Context, { registrationOpen, authMode }: Server, id: string | null): void {
  if (registrationOpen) return;
  const byKey =
    id === null || authMode === 'oauth' ? null : commandLine(context, 'connect', id, '--key', '--write');
  context.remark(closedRegistration(commandLine(context), byKey));
}

function noteIfAbsent({ io }: Context, { client, missing }: Plan): void {
  if (missing !== null)
    note(io, `${client.name} does not seem to have been used on this computer: ${missing} does not exist.`);
}

/** Says whether the client's file already has the server. `--write` does not need this, since its result says so. */
async function noteIfThere(context: Context, server: Server, plan: Plan): Promise<void> {
  const { state, entryName, otherNames } = await lookInto(plan, server.currentKey);
  const { file, connection, client } = plan;
  const write = commandLine(context, 'connect', client.id, '--key', '--write');
  const entry = entryName === connection.name ? entryName : `${connection.name} as "${entryName}"`;
  if (state !== 'no') note(context.io, `${file} ${THERE[state](entry, write)}.`);
  noteOthers(context, plan, entryName, otherNames);
}

/** Warns about other entries for the same server: with them, the client would show each tool twice. */
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
  other_home: (server: string) => `has ${server} for another home`,
  taken: (server: string) => `has another server named ${server}`,
  old_key: (server: string, write: string) => `has ${server} with an old key; to renew it: ${write}`,
  unreadable: () => 'cannot be read; --write says why',
};

function shortened(file: string, { home, platform }: System): string {
  return platform !== 'win32' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

/** Makes the error for a client that relay does not know. relay cannot find the files of such a client. */
function unknownClient(name: string): RelayError {
  return new RelayError('USAGE', `Unknown client "${name}".`, {
    remedy: [didYouMean(name, IDS), `It is one of ${IDS.join(', ')}.`].filter(Boolean).join(' '),
  });
}

function missingClient(flag: string): RelayError {
  return new RelayError('USAGE', `${flag} needs the name of a client.`, {
    remedy: `It is one of ${IDS.join(', ')}.`,
  });
}

/** Stands for an unknown address. No entry has this address, since no server listens on port 0. */
const NO_ADDRESS = 'http://127.0.0.1:0/mcp';

/**
 * Returns the address in the settings, if the running server has a temporary one: `relay stdio` takes a free port if the port in
 * the settings is taken. Returns null if the server keeps its address.
 */
async function lastingUrl(context: Context, url: string, demo: boolean): Promise<string | null> {
  const settings = await context.settings({ demo });
  const wanted = urlFromSettings(settings);
  if (wanted === null || wanted === url) return null;
  const { lockPath, readHolder } = await import('../../store/home/lockFile.ts');
  const holder = await readHolder(lockPath(settings.home)).catch(() => null);
  return holder?.purpose === 'relay stdio' ? wanted : null;
}

/** @param needs `any`: the address helps, but is not needed */
async function serverToConnect(context: Context, needs: 'address' | 'any' | 'nothing'): Promise<Server> {
  const running = await context.running();
  if (running) {
    const { server, mcp } = await running.local.status();
    const url = server?.mcpUrl ?? `${running.baseUrl}/mcp`;
    const lasting = await lastingUrl(context, url, running.demo);
    if (lasting !== null)
      context.remark(
        'A client has started relay on a free port for now. The address here is the one in the settings.',
      );
    return {
      url: lasting ?? url,
      demo: running.demo,
      authMode: mcp.authMode,
      registrationOpen: mcp.registrationOpen,
      currentKey: async () => (await running.local.showKey()).key,
    };
  }
  const settings = await context.settings();
  const url = urlFromSettings(settings);
  if (url === null && needs === 'address') {
    throw new RelayError('NO_SERVER', 'With port 0, the address is known only while the server runs.', {
      remedy: { text: 'Start it with {command}, or set a port.', command: ['serve'] },
    });
  }
  if (url !== null) context.remark('No server is running. The address is the one in the settings.');
  else if (needs === 'any')
    context.remark(
      'No server is running. With port 0 its address changes, so its entries are found by their name.',
    );
  return {
    url,
    demo: settings.demo,
    authMode: settings.mcpAuthMode,
    registrationOpen: settings.dynamicRegistration,
    currentKey: async () => null,
  };
}

function urlFromSettings({ publicBaseUrl, host, port }: Settings): string | null {
  if (publicBaseUrl !== null) return `${publicBaseUrl}/mcp`;
  return port === 0 ? null : `${localBaseUrl(host, port)}/mcp`;
}
