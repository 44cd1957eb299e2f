/** Lists, adds and revokes OAuth clients, for `relay clients`. */
import { isoOf } from '../../base/clock.ts';
import { localBaseUrl } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ClientSummary, NewClient } from '../../domain/localApi.ts';
import { isKnownToOwner, type OAuthClient } from '../../oauth/client.ts';
import { READ_SCOPE } from '../../oauth/policy/limits.ts';
import { type Grant, listLiveGrants } from '../../store/tables/oauthGrants.ts';
import { liveTokensOf } from '../../store/tables/oauthTokens.ts';
import type { Core } from '../core.ts';
import { originsOf } from '../http/address.ts';
import type { ServerFacts } from '../status/status.ts';

export function listClients(core: Core): ClientSummary[] {
  return summaries(core, core.oauth.clients.list());
}

/**
 * Adds an OAuth client.
 * @param server the running server; null if none runs
 * @throws RelayError `USAGE`, `STORE_ERROR`
 */
export async function addClient(
  core: Core,
  client: NewClient,
  server: ServerFacts | null,
): Promise<ClientSummary> {
  return summaryOf(core, await core.oauth.clients.add(client, ownOrigins(core, server)), []);
}

/** The port in the settings may be 0, or taken, so the port of a server that runs comes first. A public address does not tell it. */
function ownOrigins({ settings }: Core, server: ServerFacts | null): string[] {
  const { host, port, publicBaseUrl } = settings;
  const local = (publicBaseUrl === null && server?.baseUrl) || localBaseUrl(host, port);
  return originsOf(new URL(local).port || '80', publicBaseUrl ?? local);
}

/**
 * Ends a client's access.
 * @param asked ID of the client, or its name in upper or lower case
 * @param forget true to delete the client as well
 * @throws RelayError `NOT_FOUND`, `USAGE` if several clients have the name, `STORE_ERROR`
 */
export async function revokeClient(
  core: Core,
  asked: string,
  forget: boolean,
): Promise<{ client: ClientSummary; approvals: number; forgotten: boolean }> {
  const [client] = summaries(core, [theOne(core, asked)]);
  const revoked = client && (await core.oauth.clients.revoke(client.clientId, { forget }));
  if (!revoked) throw unknownClient(asked);
  core.log.info({ clientId: client.clientId, approvals: revoked.approvals }, 'client revoked');
  return { client, approvals: revoked.approvals, forgotten: revoked.forgotten };
}

function theOne(core: Core, asked: string): OAuthClient {
  const byId = core.oauth.clients.find(asked);
  if (byId) return byId;
  const wanted = asked.toLowerCase();
  const [first, ...others] = meant(
    core,
    core.oauth.clients.list().filter(({ name }) => name?.toLowerCase() === wanted),
  );
  if (!first) throw unknownClient(asked);
  if (others.length === 0) return first;
  const ids = [first, ...others].map(({ clientId }) => clientId).join(', ');
  throw new RelayError('USAGE', `${others.length + 1} clients are named "${asked}".`, {
    remedy: `Use one of the IDs instead: ${ids}.`,
  });
}

/**
 * Picks from clients with the same name. Clients that are approved now come before clients that the owner set up or approved
 * earlier, and these before all others. Names repeat, since clients register again at each new connection.
 */
function meant(core: Core, clients: OAuthClient[]): OAuthClient[] {
  const approved = new Set(listLiveGrants(core.store, core.clock.now()).map(({ clientId }) => clientId));
  const now = clients.filter(({ clientId }) => approved.has(clientId));
  const once = clients.filter(isKnownToOwner);
  return [now, once, clients].find((some) => some.length > 0) ?? [];
}

function unknownClient(asked: string): RelayError {
  return new RelayError('NOT_FOUND', `There is no client "${asked}".`, {
    remedy: { text: 'Run {command} to see the IDs.', command: ['clients'] },
  });
}

function summaries(core: Core, clients: OAuthClient[]): ClientSummary[] {
  const grants = listLiveGrants(core.store, core.clock.now());
  return clients.map((client) =>
    summaryOf(
      core,
      client,
      grants.filter(({ clientId }) => clientId === client.clientId),
    ),
  );
}

function summaryOf(core: Core, client: OAuthClient, grants: Grant[]): ClientSummary {
  // A client of the settings has no row of its own, so its last use is that of its approvals.
  const used = [client.lastUsedAt, ...grants.map(({ lastUsedAt }) => lastUsedAt)].filter((at) => at !== null);
  return {
    clientId: client.clientId,
    name: client.name,
    source: client.source,
    public: client.secretHash === null,
    redirectUris: [...client.redirectUris],
    createdAt: isoOf(client.createdAt),
    lastUsedAt: used.length === 0 ? null : isoOf(Math.max(...used)),
    approvals: grants.map(({ id, createdAt, scope }) => {
      const { access, refresh, endsAt } = liveTokensOf(core.store, id, core.clock.now());
      const [approvedAt, expiresAt] = [isoOf(createdAt), isoOf(endsAt)];
      return {
        approvedAt,
        readOnly: scope === READ_SCOPE,
        accessTokens: access,
        refreshTokens: refresh,
        expiresAt,
      };
    }),
  };
}
