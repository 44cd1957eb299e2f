import { type Command, Option } from 'commander';
import { aborted } from '../../base/abort.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { Settings } from '../../config/settings.ts';
import { serverName } from '../../domain/project.ts';
import type { RunningServer } from '../../server/start.ts';
import { leaf, type Result } from '../command.ts';
import { commandLine, type NamedHome } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { blockOf, note, printBlock, printJson } from '../terminal/output.ts';
import { openForClients, openInPlace } from './openServer.ts';
import { tellEnd } from './serverCommands.ts';
import type { SignInEnd, SigningIn } from './signedInBrowser.ts';

interface ServeOptions {
  port?: string;
  host?: string;
  open?: boolean;
  untilUnused?: boolean;
}

export function serveCommand(context: Context): Command {
  const help = '\nExamples:\n  $ relay serve --demo --open\n  $ relay serve --port 0 --json';
  return (
    leaf(context, 'serve', 'Run the server in the foreground until Ctrl-C', runServe, help)
      .option('--port <number>', 'Listen on this port, 0 for a free one (RELAY_PORT)')
      .option('--host <address>', 'Listen on this address (RELAY_HOST)')
      .option('--open', "Open the owner's page in the browser")
      // For `relay stdio`, which starts such a server.
      .addOption(new Option('--until-unused', 'End ten minutes after the last client and job').hideHelp())
  );
}

/** Serves until the context's signal aborts, then lets the server finish its work. */
async function runServe(context: Context, options: ServeOptions): Promise<Result | undefined> {
  const { port, host } = options;
  const flags = { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) };
  const settings = await context.settings({ flags });
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  if (!context.json) for (const warning of settings.warnings) note(context.io, `Warning: ${warning}`);
  const open = options.untilUnused === true ? openForClients : openInPlace;
  const server = await open(context, settings);
  try {
    await announce(context, server, settings);
    const opening = options.open === true ? await openPage(context, server) : null;
    await Promise.race([aborted(context.signal), server.over]);
    await opening?.stop();
    if (!context.json) note(context.io, 'Stopping. Ctrl-C again stops at once.');
  } finally {
    await server.close();
  }
  return context.json ? { value: { event: 'stopped' } } : undefined;
}

async function announce(context: Context, server: RunningServer, settings: Settings): Promise<void> {
  const { account } = await server.local.status();
  const { baseUrl, mcpUrl, demoKey } = server;
  const { demo, dynamicRegistration: registrationOpen } = settings;
  const { io, version, home, platform, program } = context;
  if (context.json) {
    const ready = { event: 'ready', pid: process.pid, baseUrl, mcpUrl, version };
    return printJson(io, { ...ready, providerConnected: account.connected, demo });
  }
  const ownerCode = io.terminal.stdout ? server.ownerCode : null;
  const facts = { version, mcpUrl, account, ownerCode, demoKey, demo, registrationOpen };
  printBlock(io, readyText({ ...facts, home, platform, program }));
}

/** Opens the owner's page. A failure here does not stop the server, which is useful without its page. */
async function openPage(context: Context, { local, baseUrl }: RunningServer): Promise<SigningIn | null> {
  const { openSignedIn } = await import('./signedInBrowser.ts');
  const tell = (end: SignInEnd) => context.signal.aborted || tellEnd(context, end, `${baseUrl}/`);
  try {
    const opening = await openSignedIn(context, local, null);
    opening.ended.then(tell);
    return opening;
  } catch {
    tell('failed');
    return null;
  }
}

/** @internal */
export interface ReadyFacts extends NamedHome {
  version: string;
  mcpUrl: string;
  account: { connected: boolean; name: string | null };
  /** null if stdout is not a terminal: then the code must not be shown. */
  ownerCode: string | null;
  /** The demo's own key; null with the real Spotify. */
  demoKey: string | null;
  demo: boolean;
  registrationOpen: boolean;
}

/** The block that `relay serve` prints once the server is ready. @internal */
export function readyText(facts: ReadyFacts): string {
  const relay = commandLine(facts);
  return blockOf([
    `relay ${facts.version} is ready${facts.demo ? ' (DEMO)' : ''}`,
    ...(facts.demo ? ['Simulated provider, invented music: no Spotify account.'] : []),
    '',
    `  MCP         ${facts.mcpUrl}`,
    `  Your page   ${new URL('/', facts.mcpUrl)}`,
    `  Account     ${accountLine(facts, relay)}`,
    ...(facts.ownerCode === null ? [] : [`  Owner code  ${facts.ownerCode}`]),
    '',
    ...(facts.registrationOpen || facts.demoKey !== null
      ? [
          'Connect Claude Code:',
          '',
          ...claudeCommands(facts).map((line) => `  ${line}`),
          '',
          `Other clients: ${relay} connect`,
        ]
      : [
          'Clients cannot register themselves (MCP_OAUTH_DCR_ENABLED).',
          `Set up a client: ${relay} clients add`,
          `Connect it: ${relay} connect`,
        ]),
    'Stop with Ctrl-C',
  ]);
}

function accountLine({ account }: ReadyFacts, relay: string): string {
  if (!account.connected) return `not connected, run: ${relay} login`;
  return account.name === null ? 'connected' : `connected as ${visibleText(account.name)}`;
}

/**
 * The commands that connect Claude Code. Every user of the machine can read a command line, so it holds a key only in the demo,
 * where the key protects nothing. Windows shells do not join lines at a backslash, so there each command stays on one
 * line.
 */
function claudeCommands({ demo, demoKey, mcpUrl, platform }: ReadyFacts): string[] {
  const name = serverName(demo);
  const header = demoKey === null ? [] : [`--header "Authorization: Bearer ${demoKey}"`];
  const parts = [`claude mcp add --transport http ${name}`, mcpUrl, ...header];
  const login = demoKey === null ? [`claude mcp login ${name}`] : [];
  if (platform === 'win32') return [parts.join(' '), ...login];
  const lines = parts.map(
    (part, index) => `${index === 0 ? '' : '  '}${part}${index < parts.length - 1 ? ' \\' : ''}`,
  );
  return [...lines, ...login];
}
