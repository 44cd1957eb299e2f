/** The block that `relay serve` prints once the server is ready. Pure. */
import { visibleText } from '../../base/visibleText.ts';
import { serverName } from '../../domain/project.ts';
import { commandLine, type NamedHome } from '../commandLine.ts';
import { blockOf } from '../terminal/output.ts';

export interface ReadyFacts extends NamedHome {
  version: string;
  mcpUrl: string;
  /** `name` is null if not known. */
  account: { connected: boolean; name: string | null };
  /** null if stdout is not a terminal: then the code must not be shown. */
  ownerCode: string | null;
  /** The demo's own key; null with the real Spotify. */
  demoKey: string | null;
  demo: boolean;
  /** True if clients may register themselves. */
  registrationOpen: boolean;
}

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
