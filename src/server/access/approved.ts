/** What the owner has approved: OAuth clients, for `relay clients`, and browsers, for `relay browsers`. */
import { isoOf } from '../../base/clock.ts';
import { localBaseUrl } from '../../config/settings.ts';
import type { Level } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';
import type { BrowserSummary, ClientSummary, NewClient } from '../../domain/localApi.ts';
import { isKnownToOwner, type OAuthClient } from '../../oauth/client.ts';
import { forgetAllBrowsers, forgetBrowser, listBrowsers } from '../../store/tables/browsers.ts';
import { type Grant, listLiveGrants, liveTokensOf, setAccessOf } from '../../store/tables/oauth.ts';
import type { Core } from '../core.ts';
import { originsOf } from '../http/address.ts';
import type { ServerFacts } from '../status/status.ts';

export function listClients(core: Core): ClientSummary[] {
  return summaries(core, core.oauth.clients.list());
}

/** @param server the running server; null if none runs. @throws RelayError `USAGE`, `STORE_ERROR` */
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

/** @param asked ID of the client, or its name in any case. @throws RelayError `NOT_FOUND`, `USAGE` if several have it, `STORE_ERROR` */
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

/**
 * Changes what a client may do, from its next request on. An approval that was asked for reading alone stays so.
 * @param asked ID of the client, or its name in upper or lower case
 * @throws RelayError `NOT_FOUND` also for a client without an approval, `USAGE` if several clients have the name, `STORE_ERROR`
 */
export async function setClientAccess(core: Core, asked: string, level: Level): Promise<ClientSummary> {
  const client = theOne(core, asked);
  const former = listLiveGrants(core.store, core.clock.now()).filter(
    ({ clientId }) => clientId === client.clientId,
  );
  if (former.length === 0) {
    throw new RelayError('NOT_FOUND', `The client "${asked}" is not approved.`, {
      remedy: 'It gets its access when you approve it.',
    });
  }
  await core.store.durable(
    () => setAccessOf(core.store, client.clientId, level),
    () => {
      for (const { access } of former.slice(0, 1)) setAccessOf(core.store, client.clientId, access);
    },
  );
  core.log.info({ clientId: client.clientId, access: level }, 'access of a client changed');
  const [summary] = summaries(core, [client]);
  return summary as ClientSummary;
}

/**
 * Names repeat, since clients register again at each new connection. A client that is approved now is meant before one that the
 * owner set up or approved earlier, and such a one before all others.
 */
function theOne(core: Core, asked: string): OAuthClient {
  const byId = core.oauth.clients.find(asked);
  if (byId) return byId;
  const named = core.oauth.clients.list().filter(({ name }) => name?.toLowerCase() === asked.toLowerCase());
  const approved = new Set(listLiveGrants(core.store, core.clock.now()).map(({ clientId }) => clientId));
  const live = named.filter(({ clientId }) => approved.has(clientId));
  const meant = [live, named.filter(isKnownToOwner), named].find((some) => some.length > 0) ?? [];
  const [first] = meant;
  if (!first) throw unknownClient(asked);
  if (meant.length === 1) return first;
  throw new RelayError('USAGE', `${meant.length} clients are named "${asked}".`, {
    remedy: `Use one of the IDs instead: ${meant.map(({ clientId }) => clientId).join(', ')}.`,
  });
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
    approvals: grants.map(({ id, createdAt, access: level }) => {
      const { access, refresh, endsAt } = liveTokensOf(core.store, id, core.clock.now());
      const [approvedAt, expiresAt] = [isoOf(createdAt), isoOf(endsAt)];
      return {
        approvedAt,
        access: level,
        accessTokens: access,
        refreshTokens: refresh,
        expiresAt,
      };
    }),
  };
}

export function browserSummaries({ store, clock }: Core): BrowserSummary[] {
  return listBrowsers(store, clock.now()).map((browser) => ({
    ...browser,
    createdAt: isoOf(browser.createdAt),
    lastUsedAt: isoOf(browser.lastUsedAt),
    expiresAt: isoOf(browser.expiresAt),
  }));
}

/** Forgets one browser, or all without an ID, and returns them. @throws RelayError `NOT_FOUND`, `STORE_ERROR` */
export async function forgetBrowsers(core: Core, id: string | null): Promise<BrowserSummary[]> {
  const forgotten = browserSummaries(core).filter((browser) => id === null || browser.id === id);
  if (id !== null && forgotten.length === 0) {
    throw new RelayError('NOT_FOUND', `There is no browser "${id}".`, {
      remedy: { text: 'Run {command} to see the IDs.', command: ['clients'] },
    });
  }
  if (forgotten.length === 0) return [];
  // If the save fails, the browser stays forgotten in memory. It comes back only if the server stops before a save succeeds.
  await core.store.durable(() =>
    id === null ? forgetAllBrowsers(core.store) : forgetBrowser(core.store, id),
  );
  core.log.info({ browsers: forgotten.length }, 'browsers forgotten');
  return forgotten;
}
