/** Tells how to connect one client to this server, from the table behind `relay connect`. Writes nothing. */

import { homeToName } from '../../config/settings.ts';
import { CLIENTS, stdioWords } from '../../connect/clientTable.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { systemOf } from '../../connect/configPlaces.ts';
import { planFor } from '../../connect/connectClient.ts';
import { RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import { programFor } from '../../domain/remedy.ts';
import type { ServerSide } from '../calls.ts';
import type { Core } from '../core.ts';

/** How to connect one client: what `relay connect` prints. */
export interface PageSetup {
  id: string;
  file: string;
  snippet: string;
  command: string | null;
  next: string;
}

/** @throws RelayError `NOT_FOUND`, `HOME_UNUSABLE` */
export async function clientSetup(id: string, core: Core, server: ServerSide): Promise<PageSetup> {
  const { demo, dynamicRegistration } = core.settings;
  const { mcpUrl } = server.facts;
  const relay = programFor({ demo });
  if (id === 'other') return otherClient(mcpUrl, server.credentials, dynamicRegistration, relay);
  const client = CLIENTS.find((one) => one.id === id);
  if (!client) throw new RelayError('NOT_FOUND', `There is no client "${id.slice(0, 50)}" in the list.`);
  const system = systemOf({ platform: process.platform, env: server.env });
  const home = homeToName(core.settings, server.env, process.platform);
  const program = stdioWords(await server.program(), home, demo);
  const connection = { name: serverName(demo), url: mcpUrl, key: null, program };
  const { file, snippet, command, next } = planFor(client, connection, system);
  const byKey = server.credentials.acceptsKey ? `${relay} connect ${id} --key --write` : null;
  const first = dynamicRegistration || client.starts ? '' : `${closedRegistration(relay, byKey)} `;
  return { id, file, snippet: snippet.trimEnd(), command, next: `${first}${next}` };
}

function otherClient(
  mcpUrl: string,
  { acceptsKey }: ServerSide['credentials'],
  registrationOpen: boolean,
  relay: string,
): PageSetup {
  const address = 'Add this address as a server with the transport HTTP (Streamable HTTP).';
  const key = `A program that cannot open a browser sends the header "Authorization: Bearer KEY", with the key that \`${relay} key\` prints.`;
  const next = [
    ...(registrationOpen ? [] : [closedRegistration(relay, null)]),
    address,
    ...(acceptsKey ? [key] : []),
  ];
  return { id: 'other', file: '', snippet: mcpUrl, command: null, next: next.join(' ') };
}
