/**
 * The fixed OAuth clients, which do not register themselves: the owner names one in the environment and any number in a file.
 * Only the server reads them. A `ConfiguredClient` has only the hash of its secret.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { toDotPath } from 'zod/v4/core';
import { hashOf } from '../base/digest.ts';
import { lazy } from '../base/memoised.ts';
import { messageOf, systemCodeOf } from '../domain/errors.ts';
import type { Settings } from './settings.ts';
import { placeOf, settingsError } from './sources.ts';
import { oauthClientId, oauthRedirectUri, secretText, type ValueType } from './types.ts';

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthMethod = (typeof AUTH_METHODS)[number];

export interface ConfiguredClient {
  clientId: string;
  name: string | null;
  /** SHA-256 of the secret in lower-case hex; null for a public client. */
  secretHash: string | null;
  redirectUris: string[];
  /** How the client sends its secret; null if both ways are accepted. */
  authMethod: ClientAuthMethod | null;
  source: 'environment' | 'file';
}

/** No message of the schema quotes a value, since a value in the wrong place may be a secret. */
const ClientsFile = lazy(() => {
  const textOf = ({ expects, read }: ValueType<string>) =>
    z.string().refine((text) => read(text) !== null, `must be ${expects}`);
  const Client = z
    .strictObject({
      clientId: textOf(oauthClientId),
      clientName: z.string().optional(),
      clientSecret: textOf(secretText).optional(),
      clientSecretSha256: z.hash('sha256', { error: 'must be 64 hexadecimal digits' }).optional(),
      redirectUris: z.array(textOf(oauthRedirectUri)).min(1),
      tokenEndpointAuthMethod: z.enum(AUTH_METHODS).optional(),
    })
    .refine(({ clientSecret, clientSecretSha256, tokenEndpointAuthMethod: method }) => {
      const secrets = [clientSecret, clientSecretSha256].filter(Boolean).length;
      return method === undefined ? secrets <= 1 : secrets === (method === 'none' ? 0 : 1);
    }, 'must have clientSecret or clientSecretSha256, or no secret and tokenEndpointAuthMethod "none"');
  return z.strictObject({ clients: z.array(Client) });
});

type FileClient = z.infer<ReturnType<typeof ClientsFile>>['clients'][number];

/**
 * Returns the clients from the environment and from the clients file.
 * @throws RelayError `SETTINGS_INVALID` if the file cannot be used, or if a client ID could mean two clients
 */
export function configuredClients(settings: Settings): ConfiguredClient[] {
  const { mcpOauthClientId: id, mcpOauthClientSecret: secret, mcpOauthClientRedirectUri: uri } = settings;
  const { oauthClientsFile: path, configPath, origins } = settings;
  const origin = origins.oauthClientsFile;
  const unusable = (why: string) => {
    const place = origin === 'default' ? '' : `${placeOf('oauthClientsFile', origin, configPath)}: `;
    const problem = { key: 'oauthClientsFile', origin, message: `${place}${path} ${why}` };
    return settingsError([problem], `Correct ${path} with an editor.`);
  };
  const clients = path === null ? [] : clientsIn(path, unusable).map(fromFile);
  if (id !== null && secret !== null && uri !== null) {
    const [secretHash, redirectUris] = [hashOf(secret), [uri]];
    clients.unshift({
      clientId: id,
      name: null,
      secretHash,
      redirectUris,
      authMethod: null,
      source: 'environment',
    });
  }
  const ids = clients.map(({ clientId }) => clientId);
  const twice = ids.find((one, at) => ids.indexOf(one) !== at);
  if (twice !== undefined) throw unusable(`has the client ID "${twice}", which another client has already`);
  return clients;
}

function clientsIn(path: string, unusable: (why: string) => Error): FileClient[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    // The message of a syntax error quotes the text at that place, which may be a secret.
    if (error instanceof SyntaxError) throw unusable('is not JSON');
    const code = systemCodeOf(error);
    throw unusable(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? messageOf(error)})`);
  }
  const { data, error } = ClientsFile().safeParse(content);
  if (data) return data.clients;
  const problems = error.issues.map(({ path: at, message }) => `${toDotPath(at)} ${message}`.trim());
  throw unusable(`cannot be used: ${problems.join('; ')}`);
}

function fromFile(client: FileClient): ConfiguredClient {
  const { clientId, clientName, clientSecret, clientSecretSha256, redirectUris } = client;
  const secretHash = clientSecret ? hashOf(clientSecret) : (clientSecretSha256?.toLowerCase() ?? null);
  const authMethod = client.tokenEndpointAuthMethod ?? (secretHash === null ? 'none' : null);
  return { clientId, name: clientName ?? null, secretHash, redirectUris, authMethod, source: 'file' };
}
