/**
 * The OAuth clients that are fixed by the owner: one from the environment, any number from a file. Their
 * secrets are hashed while being read, so that none stays in memory in clear.
 */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { hashOf } from '../base/digest.ts';
import { lazy } from '../base/lazy.ts';
import { messageOf, systemCodeOf } from '../domain/errors.ts';
import type { Origin, Problem } from './problems.ts';
import { oauthClientId, oauthRedirectUri, secretText } from './types.ts';

export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

export interface ConfiguredClient {
  clientId: string;
  clientName: string | null;
  /** SHA-256 of the secret in lower-case hex; null for a public client. */
  clientSecretSha256: string | null;
  redirectUris: string[];
  /** null: both ways of sending the secret are accepted. */
  tokenEndpointAuthMethod: ClientAuthMethod | null;
  source: 'environment' | 'file';
}

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** Every message is without the value it is about: it may be a secret in the wrong place. */
function must(expects: string) {
  return { error: `must be ${expects}` };
}

const FileClient = lazy(() =>
  z
    .strictObject({
      clientId: z.string(must('text')).refine(fits(oauthClientId.schema), must(oauthClientId.expects)),
      clientName: z.string(must('text')).optional(),
      clientSecret: z
        .string(must('text'))
        .refine(fits(secretText.schema), must(secretText.expects))
        .optional(),
      clientSecretSha256: z
        .string(must('text'))
        .regex(/^[0-9a-fA-F]{64}$/, must('64 hexadecimal digits'))
        .optional(),
      redirectUris: z
        .array(
          z.string(must('text')).refine(fits(oauthRedirectUri.schema), must(oauthRedirectUri.expects)),
          must('a list of URLs'),
        )
        .min(1, must('a list with at least one URL')),
      tokenEndpointAuthMethod: z.enum(AUTH_METHODS, must(`one of ${AUTH_METHODS.join(', ')}`)).optional(),
    })
    .superRefine((client, context) => {
      const problem = secretProblem(client);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    }),
);

const ClientsFile = lazy(() => z.strictObject({ clients: z.array(FileClient(), must('a list of clients')) }));

/** Reads the static registry. Problems name the place in the file (`clients[1].redirectUris[0]`), never a value. */
export function readClientsFile(
  path: string,
  origin: Origin,
): { clients: ConfiguredClient[]; problems: Problem[] } {
  const failed = (problems: string[]) => ({
    clients: [],
    problems: problems.map((problem) => ({ key: 'oauthClientsFile', origin, message: `${path} ${problem}` })),
  });
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    return failed([unreadable(error)]);
  }
  const parsed = ClientsFile().safeParse(content);
  if (!parsed.success) return failed(parsed.error.issues.map(describeIssue));
  return { clients: parsed.data.clients.map(fromFile), problems: [] };
}

/** The client that the three `MCP_OAUTH_CLIENT_*` variables describe. */
export function clientFromEnvironment(
  clientId: string,
  secret: string,
  redirectUri: string,
): ConfiguredClient {
  return {
    clientId,
    clientName: null,
    clientSecretSha256: hashOf(secret),
    redirectUris: [redirectUri],
    tokenEndpointAuthMethod: null,
    source: 'environment',
  };
}

/** A client ID in two places could mean two different clients, so it is a problem. */
export function duplicateClients(clients: readonly ConfiguredClient[]): Problem[] {
  const seen = new Set<string>();
  const twice = new Set(
    clients.map(({ clientId }) => clientId).filter((id) => seen.size === seen.add(id).size),
  );
  return [...twice].map((clientId) => {
    const places = clients.filter((client) => client.clientId === clientId).map(({ source }) => source);
    const where = places.includes('environment')
      ? 'in MCP_OAUTH_CLIENT_ID and in the clients file'
      : 'more than once in the clients file';
    return { key: 'oauthClientsFile', origin: 'file', message: `OAuth client ID "${clientId}" is ${where}` };
  });
}

function fromFile(client: z.infer<ReturnType<typeof FileClient>>): ConfiguredClient {
  const secret = client.clientSecret === undefined ? null : hashOf(client.clientSecret);
  const clientSecretSha256 = secret ?? client.clientSecretSha256?.toLowerCase() ?? null;
  return {
    clientId: client.clientId,
    clientName: client.clientName ?? null,
    clientSecretSha256,
    redirectUris: client.redirectUris,
    tokenEndpointAuthMethod: client.tokenEndpointAuthMethod ?? (clientSecretSha256 === null ? 'none' : null),
    source: 'file',
  };
}

function secretProblem(client: {
  clientSecret?: string | undefined;
  clientSecretSha256?: string | undefined;
  tokenEndpointAuthMethod?: ClientAuthMethod | undefined;
}): string | null {
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

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  const at = place === '' ? '' : `: ${place.replace(/^\./, '')}`;
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => `"${key}"`).join(', ');
    return `${at === '' ? '' : `${at.slice(2)} `}has unknown keys: ${keys}`.trim();
  }
  return `${at === '' ? 'must hold {"clients": […]}' : `${at.slice(2)} ${issue.message}`}`;
}

function unreadable(error: unknown): string {
  if (error instanceof SyntaxError) return 'is not JSON';
  const code = systemCodeOf(error);
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? messageOf(error)})`;
}

function fits(schema: z.ZodType): (value: unknown) => boolean {
  return (value) => schema.safeParse(value).success;
}
