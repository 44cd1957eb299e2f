/**
 * The fixed OAuth clients, which do not register themselves: the owner names one in the environment and any number in a file.
 * A `ConfiguredClient` has only the hash of its secret.
 */

import { readFileSync } from 'node:fs';
import { hashOf } from '../base/digest.ts';
import { isObject } from '../base/parsing.ts';
import { messageOf, systemCodeOf } from '../domain/errors.ts';
import type { Origin, Problem } from './problems.ts';
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

/** One client of the file, after `clientProblems` has found no problem. */
interface FileClient {
  clientId: string;
  clientName?: string;
  clientSecret?: string;
  clientSecretSha256?: string;
  redirectUris: string[];
  tokenEndpointAuthMethod?: ClientAuthMethod;
}

/**
 * Reads the clients file. If it has a problem, no client is returned. Problems name the place in the file
 * (`clients[1].redirectUris[0]`), and no value that may be a secret.
 * @param place begins each message and names the setting that gave the path; '' if no setting did
 */
export function readClientsFile(
  path: string,
  origin: Origin,
  place: string,
): { clients: ConfiguredClient[]; problems: Problem[] } {
  const failed = (problems: string[]) => ({
    clients: [],
    problems: problems.map((problem) => ({
      key: 'oauthClientsFile',
      origin,
      message: `${place}${path} ${problem}`,
    })),
  });
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    return failed([unreadable(error)]);
  }
  const problems = fileProblems(content);
  if (problems.length > 0) return failed(problems);
  return { clients: (content as { clients: FileClient[] }).clients.map(fromFile), problems: [] };
}

/** Returns the client that the three `MCP_OAUTH_CLIENT_*` variables describe. */
export function clientFromEnvironment(
  clientId: string,
  secret: string,
  redirectUri: string,
): ConfiguredClient {
  return {
    clientId,
    name: null,
    secretHash: hashOf(secret),
    redirectUris: [redirectUri],
    authMethod: null,
    source: 'environment',
  };
}

/** Reports client IDs that occur twice, since such an ID could mean two different clients. */
export function duplicateClients(clients: readonly ConfiguredClient[]): Problem[] {
  const ids = clients.map(({ clientId }) => clientId);
  const twice = new Set(ids.filter((id, at) => ids.indexOf(id) !== at));
  return [...twice].map((clientId) => {
    const places = clients.filter((client) => client.clientId === clientId).map(({ source }) => source);
    const where = places.includes('environment')
      ? 'in MCP_OAUTH_CLIENT_ID and in the clients file'
      : 'more than once in the clients file';
    const message = `OAuth client ID "${clientId}" is ${where}`;
    return { key: 'oauthClientsFile', origin: 'file', message, remedy: 'Give each OAuth client its own ID.' };
  });
}

function fromFile(client: FileClient): ConfiguredClient {
  const hashed = client.clientSecret === undefined ? client.clientSecretSha256 : hashOf(client.clientSecret);
  const secretHash = hashed?.toLowerCase() ?? null;
  return {
    clientId: client.clientId,
    name: client.clientName ?? null,
    secretHash,
    redirectUris: client.redirectUris,
    authMethod: client.tokenEndpointAuthMethod ?? (secretHash === null ? 'none' : null),
    source: 'file',
  };
}

function secretProblem(client: FileClient): string | null {
  const secrets = [client.clientSecret, client.clientSecretSha256].filter(
    (value) => value !== undefined,
  ).length;
  if (secrets === 2) return 'has clientSecret and clientSecretSha256: only one is allowed';
  if (secrets === 1 && client.tokenEndpointAuthMethod === 'none') {
    return 'has a secret, but tokenEndpointAuthMethod "none"';
  }
  if (secrets === 0 && (client.tokenEndpointAuthMethod ?? 'none') !== 'none') {
    return `needs clientSecret or clientSecretSha256 for tokenEndpointAuthMethod "${client.tokenEndpointAuthMethod}"`;
  }
  return null;
}

const NO_CLIENTS = 'must hold {"clients": […]}';

/** Returns what is wrong with the file. The messages quote no text that may be a secret in the wrong place. */
function fileProblems(content: unknown): string[] {
  if (!isObject(content)) return [NO_CLIENTS];
  const { clients } = content;
  const problems = Array.isArray(clients)
    ? clients.flatMap((client: unknown, at) => clientProblems(client, `clients[${at}]`))
    : [NO_CLIENTS];
  const unknown = unknownKeys(content, ['clients']);
  return unknown === null ? problems : [...problems, unknown];
}

function clientProblems(client: unknown, place: string): string[] {
  if (!isObject(client)) return [`${place} must be an object`];
  const problems: string[] = [];
  for (const [key, check] of Object.entries(KEYS)) {
    const value = client[key];
    if (value === undefined && OPTIONAL.includes(key)) continue;
    for (const { at, expects } of check(value)) problems.push(`${place}.${key}${at} must be ${expects}`);
  }
  const unknown = unknownKeys(client, Object.keys(KEYS));
  if (unknown !== null) problems.push(`${place} ${unknown}`);
  if (problems.length > 0) return problems;
  const problem = secretProblem(client as unknown as FileClient);
  return problem === null ? [] : [`${place} ${problem}`];
}

/** `expects` completes "must be …". `at` is the place of the error in the value, such as `[0]`; '' for the value itself. */
type Wrong = { at: string; expects: string };

const OPTIONAL = ['clientName', 'clientSecret', 'clientSecretSha256', 'tokenEndpointAuthMethod'];
const KEYS: Record<keyof FileClient, (value: unknown) => Wrong[]> = {
  clientId: (value) => checkText(oauthClientId, value),
  clientName: (value) => checkText({ expects: 'text', read: () => '' }, value),
  clientSecret: (value) => checkText(secretText, value),
  clientSecretSha256: (value) =>
    checkText(
      { expects: '64 hexadecimal digits', read: (text) => (/^[0-9a-fA-F]{64}$/.test(`${text}`) ? '' : null) },
      value,
    ),
  redirectUris: (value) => {
    if (!Array.isArray(value)) return wrong('a list of URLs');
    if (value.length === 0) return wrong('a list with at least one URL');
    return value.flatMap((uri: unknown, at) => checkText(oauthRedirectUri, uri, `[${at}]`));
  },
  tokenEndpointAuthMethod: (value) =>
    AUTH_METHODS.some((method) => method === value) ? [] : wrong(`one of ${AUTH_METHODS.join(', ')}`),
};

function checkText(type: ValueType<string>, value: unknown, at = ''): Wrong[] {
  if (typeof value !== 'string') return wrong('text', at);
  return type.read(value) === null ? wrong(type.expects, at) : [];
}

function wrong(expects: string, at = ''): Wrong[] {
  return [{ at, expects }];
}

function unknownKeys(value: object, known: readonly string[]): string | null {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.length === 0 ? null : `has unknown keys: ${unknown.map((key) => `"${key}"`).join(', ')}`;
}

function unreadable(error: unknown): string {
  if (error instanceof SyntaxError) return 'is not JSON';
  const code = systemCodeOf(error);
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? messageOf(error)})`;
}
