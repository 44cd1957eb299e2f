/** The block that `relay serve` prints once the server is ready. Pure. */
import { visibleText } from '../../base/visibleText.ts';
import { serverName } from '../../domain/project.ts';
import { blockOf } from '../terminal/output.ts';
import { commandLine, type NamedHome } from '../usage/commandLine.ts';

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
  authMode: 'bearer' | 'oauth';
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
    'Connect Claude Code:',
    '',
    ...claudeCommand(facts, relay).map((line) => `  ${line}`),
    '',
    `Other clients: ${relay} connect`,
    'Stop with Ctrl-C',
  ]);
}

function accountLine({ account }: ReadyFacts, relay: string): string {
  if (!account.connected) return `not connected, run: ${relay} login`;
  return account.name === null ? 'connected' : `connected as ${visibleText(account.name)}`;
}

/** Windows shells do not join lines at a backslash, so on Windows the command stays on one line. */
function claudeCommand(facts: ReadyFacts, relay: string): string[] {
  const key = facts.demoKey ?? `$(${relay} key)`;
  const header = facts.authMode === 'bearer' ? [`--header "Authorization: Bearer ${key}"`] : [];
  const parts = [`claude mcp add --transport http ${serverName(facts.demo)}`, facts.mcpUrl, ...header];
  if (facts.platform === 'win32') return [parts.join(' ')];
  return parts.map(
    (part, index) => `${index === 0 ? '' : '  '}${part}${index < parts.length - 1 ? ' \\' : ''}`,
  );
}
