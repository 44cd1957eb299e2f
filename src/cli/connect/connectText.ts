/** The text that `relay connect` shows a person. Pure: facts in, text out. */
import type { Connection } from '../../connect/clientTable.ts';
import type { FileState, Plan, Removed, Written } from '../../connect/connectClient.ts';
import { blockOf, columns, wrap } from '../terminal/output.ts';
import { widthOf } from '../terminal/textWidth.ts';

export interface ClientRow {
  id: string;
  name: string;
  file: string;
  state: FileState['state'];
  entryName: string;
  otherNames: readonly string[];
}

const STATES: Record<ClientRow['state'], string> = {
  yes: 'yes',
  no: 'no',
  other: 'outdated',
  other_home: 'for another home',
  taken: 'name taken',
  old_key: 'old key',
  unreadable: 'unreadable',
};

/** Returns the list of clients; if the table is too wide, each file gets a line of its own. */
export function clientsText(
  rows: readonly ClientRow[],
  server: string,
  relay: string,
  width: number,
): string {
  const heads = ['CLIENT', 'NAME', `HAS ${server}`, 'FILE'];
  const cells = rows.map((row) => [row.id, row.name, stateText(row, server), row.file]);
  const table = columns([heads, ...cells]);
  const fits = table.every((line) => widthOf(line) <= width);
  const narrow = columns([heads.slice(0, 3), ...cells.map((row) => row.slice(0, 3))]).flatMap(
    (line, index) => (index === 0 ? [line] : [line, `  ${rows[index - 1]?.file}`]),
  );
  const example = rows[0]?.id ?? '';
  return blockOf([
    ...(fits ? table : narrow),
    '',
    ...wrap('To see what a client needs, or to write it into its file:', width),
    `  ${relay} connect ${example}`,
    `  ${relay} connect ${example} --write`,
  ]);
}

function stateText({ state, entryName, otherNames }: ClientRow, server: string): string {
  if (otherNames.length === 0) return STATES[state];
  return `${STATES[state]}, ${entryName === server ? 'also as' : 'as'} ${otherNames.join(', ')}`;
}

/**
 * Instructions for a client that relay does not know.
 * @param keyCommand the command that prints the key; null if the server accepts no key
 * @param registrationOpen true if clients may register themselves, without which mcp-remote cannot ask for approval
 */
export function otherText(
  { name, url, program, key }: Connection,
  headers: Record<string, string>,
  keyCommand: string | null,
  registrationOpen: boolean,
  width: number,
): string {
  const bridge = registrationOpen ? ' The bridge mcp-remote asks for approval as "MCP CLI Proxy".' : '';
  const orKey =
    keyCommand === null
      ? ''
      : ` If it cannot, also enter the header Authorization with "Bearer" and the key that \`${keyCommand}\` prints.`;
  const shown = Object.entries(headers).map(([header, value]) => `  Header  ${header}: ${value}`);
  const words = program.map((word) => (/^[\w.:\\/=,+-]+$/.test(word) ? word : JSON.stringify(word)));
  return blockOf([
    'If the client connects to a URL (Streamable HTTP), enter:',
    '',
    `  Name    ${name}`,
    `  URL     ${url}`,
    ...shown,
    ...(key === null
      ? ['', ...wrap(`The client then asks for approval in the browser.${orKey}${bridge}`, width)]
      : []),
    '',
    'If the client starts a program instead, give it this command:',
    '',
    `  ${words.join(' ')}`,
  ]);
}

/** Says what `--remove` has done. */
export function removedText({ file, connection }: Plan, { names, backup, otherStays }: Removed): string {
  return blockOf([
    names.length === 0 ? `${connection.name} is not in` : `Removed ${names.join(', ')} from`,
    `  ${file}`,
    ...(otherStays ? [`The entry ${connection.name} in that file is for another server, so it stays.`] : []),
    ...backupLines(backup),
  ]);
}

function backupLines(backup: string | null): string[] {
  return backup === null ? [] : ['Backup of the previous file:', `  ${backup}`];
}

/** Says what to add to which file, and how to continue. */
export function planText(plan: Plan, relay: string, width: number): string {
  const { client, file, snippet, command, connection } = plan;
  const { toolsets, readOnly } = connection.choice ?? {};
  const flags = [
    ...(connection.key === null ? [] : [' --key']),
    ...(toolsets ? [` --toolsets ${toolsets.join(',')}`] : []),
    ...(readOnly ? [' --read-only'] : []),
  ].join('');
  return blockOf([
    `${client.name} needs this in`,
    `  ${file}`,
    '',
    ...indented(snippet.trimEnd().split('\n')),
    '',
    'To add it to the file, after a backup:',
    `  ${relay} connect ${client.id}${flags} --write`,
    ...(command === null ? [] : ['', "Or with the client's own command:", `  ${command}`]),
    '',
    ...nextLines(plan, relay, width),
  ]);
}

/** Says what was done, and how to continue. */
export function writtenText(plan: Plan, written: Written, relay: string, width: number): string {
  const { file } = plan;
  if (!written.changed) return blockOf([`${written.name} is already in`, `  ${file}`]);
  return blockOf([
    written.existed ? `Changed ${written.name} in` : `Added ${written.name} to`,
    `  ${file}`,
    ...backupLines(written.backup),
    '',
    ...nextLines(plan, relay, width),
  ]);
}

function nextLines({ next, connection, client }: Plan, relay: string, width: number): string[] {
  const code = `The page that opens asks once for the owner code: see \`${relay} status\`.`;
  const lines = [next, ...(connection.key === null && !client.starts ? [code] : [])];
  return ['After that:', ...indented(lines.flatMap((line) => wrap(line, width - 2)))];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}
