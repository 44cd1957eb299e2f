/** All clients as one directory, from three sources: the environment, the clients file, and the state. */
import type { Clock, Random } from '../base/clock.ts';
import { hashOf, newSecret } from '../base/digest.ts';
import type { ConfiguredClient } from '../config/oauthClients.ts';
import { RelayError } from '../domain/errors.ts';
import type { Store } from '../store/store.ts';
import {
  countRegisteredClients,
  deleteClient,
  deleteGrantsOf,
  getClient,
  listClients,
  oldestUnusedClient,
  putClient,
  type StoredClient,
} from '../store/tables/oauth.ts';
import { fromSettings, GRANT_TYPES, isLapsed, type OAuthClient } from './client.ts';
import { MAX_CLIENTS } from './policy/limits.ts';
import { type ClientMetadata, checkRedirectUris } from './policy/registration.ts';
import { accepted, type Result, refused, toWire } from './refusal.ts';

export type ClientDirectory = ReturnType<typeof createClientDirectory>;

export interface DirectoryOptions {
  store: Store;
  configured: readonly ConfiguredClient[];
  clock: Clock;
  random: Random;
}

export function createClientDirectory(options: DirectoryOptions) {
  const { store, clock, random } = options;
  const configured = new Map(options.configured.map((client) => [client.clientId, fromSettings(client)]));
  const newClient = (
    rest: Omit<StoredClient, 'clientId' | 'createdAt' | 'approvedAt' | 'lastUsedAt'>,
  ): StoredClient => ({
    clientId: newClientId(random),
    createdAt: clock.now(),
    approvedAt: null,
    lastUsedAt: null,
    ...rest,
  });

  /** Finds a client by its ID; null if there is none, or if its registration has lapsed. */
  function find(clientId: string): OAuthClient | null {
    return configured.get(clientId) ?? findStored(clientId);
  }

  function findStored(clientId: string): OAuthClient | null {
    const stored = getClient(store, clientId);
    return stored && !isLapsed(stored, clock.now()) ? stored : null;
  }

  return {
    find,
    /** @throws RelayError `SETTINGS_INVALID` if a client of the settings has the ID of a stored one */
    assertDistinct(): void {
      const twice = [...configured.keys()].find((clientId) => findStored(clientId) !== null);
      if (twice !== undefined) throw twoPlaces(twice);
    },
    /** All clients: first those of the settings, then the stored ones, oldest first. */
    list(): OAuthClient[] {
      const stored = listClients(store).filter((client) => !isLapsed(client, clock.now()));
      return [...configured.values(), ...stored];
    },
    /**
     * Keeps a client that registers itself, with a secret unless it is public. If there is no room, the oldest client that never
     * held a token is dropped; `clients_full` if all have held one. @throws RelayError `STORE_ERROR`
     */
    async register(
      metadata: ClientMetadata,
    ): Promise<Result<{ client: OAuthClient; secret: string | null }>> {
      const secret = metadata.authMethod === 'none' ? null : newSecret(random);
      const client = newClient({
        name: metadata.name,
        secretHash: secret === null ? null : hashOf(secret),
        authMethod: metadata.authMethod,
        redirectUris: metadata.redirectUris,
        grantTypes: metadata.grantTypes,
        source: 'registered',
      });
      if (!(await keepRegistered(store, client, clock.now()))) return refused('clients_full');
      return accepted({ client, secret });
    },
    /**
     * Adds a client for the owner.
     * @param own the origins under which this server answers: a client that is sent there could never be approved
     * @throws RelayError `USAGE` for an unusable redirect URI or secret, `STORE_ERROR`
     */
    async add(
      { name, redirectUris, secret }: { name: string; redirectUris: string[]; secret: string | null },
      own: readonly string[],
    ): Promise<OAuthClient> {
      const checked = checkRedirectUris(redirectUris, own);
      if (!checked.ok) throw unusable(toWire(checked.refusal).error_description);
      // The secret is stored as a plain hash, which is safe only if it cannot be guessed.
      if (secret !== null && !/^[\x21-\x7e]{32,512}$/.test(secret)) throw unusable(SHORT_SECRET);
      const client = newClient({
        name,
        secretHash: secret === null ? null : hashOf(secret),
        authMethod: secret === null ? 'none' : null,
        redirectUris: checked.value,
        grantTypes: [...GRANT_TYPES],
        source: 'added',
      });
      await store.durable(
        () => putClient(store, client),
        () => deleteClient(store, client.clientId),
      );
      return client;
    },
    /**
     * Ends a client's access at once; null if no client has the ID. Without `forget`, the registration stays, since some clients come
     * back with the ID that they know; that of a client of the settings always stays.
     * @throws RelayError `STORE_ERROR`; the access stays ended in memory
     */
    async revoke(clientId: string, { forget }: { forget: boolean }) {
      const client = find(clientId);
      if (client === null) return null;
      // There is no undo: if the save fails, access stays ended in memory, and a later save stores that.
      const [approvals, forgotten] = await store.durable(() => [
        deleteGrantsOf(store, clientId, clock.now()),
        forget && deleteClient(store, clientId),
      ]);
      return { client, approvals, forgotten };
    },
  };
}

/** A new ID of 127 random bits. The first bit is never set, since an ID that begins with a dash would look like an option. */
function newClientId(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return bytes.toString('base64url');
}

/** Stores a client that registers itself, and drops those that have lapsed; false when there is no room. */
function keepRegistered(store: Store, client: StoredClient, now: number): Promise<boolean> {
  return store.durable(
    () => {
      for (const other of listClients(store)) if (isLapsed(other, now)) deleteClient(store, other.clientId);
      if (countRegisteredClients(store) >= MAX_CLIENTS) {
        const displaced = oldestUnusedClient(store);
        if (displaced === null) return false;
        deleteClient(store, displaced.clientId);
        deleteGrantsOf(store, displaced.clientId, now);
      }
      putClient(store, client);
      return true;
    },
    () => deleteClient(store, client.clientId),
  );
}

const SHORT_SECRET = 'A client secret must have at least 32 visible characters and no spaces.';

function twoPlaces(clientId: string): RelayError {
  return new RelayError(
    'SETTINGS_INVALID',
    `The OAuth client ID "${clientId}" is both in the settings and among the registered clients.`,
    {
      remedy: {
        text: 'Choose another ID in MCP_OAUTH_CLIENT_ID or in the clients file, or remove the registered client with {command}.',
        command: ['clients', 'revoke', '--forget', clientId],
      },
    },
  );
}

function unusable(why: string): RelayError {
  return new RelayError('USAGE', why, {
    remedy: { text: 'See {command}.', command: ['clients', 'add', '--help'] },
  });
}
