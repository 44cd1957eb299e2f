/** Rules between settings, which yield problems and warnings. Pure. */
import { isLoopback } from '../base/loopback.ts';
import { looksLikeClientId } from '../domain/ids.ts';
import type { Problem } from './problems.ts';
import { type Origins, placeOf } from './sources.ts';
import { SETTINGS, type SettingKey, type SettingValues } from './table.ts';

/** Finds combinations of settings that relay refuses. */
export function crossProblems(values: SettingValues, origins: Origins): Problem[] {
  const problem = (key: SettingKey, text: string): Problem => ({
    key,
    origin: origins[key],
    message: `${placeOf(key, origins[key], 'config.json')} ${text}`,
  });
  const problems = values.publicBaseUrl === null ? [] : weakInPublic(values, values.publicBaseUrl, problem);
  // Without a public URL, the `Host` check would refuse the requests of other machines.
  if (!isLoopback(values.host) && values.publicBaseUrl === null) {
    const why = `is ${values.host}, which other machines can reach, so PUBLIC_BASE_URL (publicBaseUrl) must give the URL that they use`;
    problems.push(problem('host', why));
  }
  return [...problems, ...halfAClient(values)];
}

/** Refuses plain http and guessable secrets if there is a public URL, since strangers can then reach the server. */
function weakInPublic(
  { mcpOauthOwnerSecret: ownerSecret, mcpApiKey: apiKey }: SettingValues,
  publicBaseUrl: string,
  problem: (key: SettingKey, text: string) => Problem,
): Problem[] {
  const url = new URL(publicBaseUrl);
  const isPlain = url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  // Guesses of the owner code are slowed down. Those of a key are as fast as requests are answered.
  const ownerWeakness = ownerSecret === null ? null : weaknessOf(ownerSecret, 16);
  const keyWeakness = apiKey === null ? null : weaknessOf(apiKey, 32);
  const because = ', since PUBLIC_BASE_URL exposes it to strangers';
  return [
    ...(isPlain
      ? [problem('publicBaseUrl', `must be an https URL unless it is on loopback, not "${publicBaseUrl}"`)]
      : []),
    ...(ownerWeakness ? [problem('mcpOauthOwnerSecret', `${ownerWeakness}${because}`)] : []),
    ...(keyWeakness ? [problem('mcpApiKey', `${keyWeakness}${because}`)] : []),
  ];
}

/** Completes "<setting> …" with the reason why a secret is easy to guess; null if it is not. Never quotes the secret. */
function weaknessOf(secret: string, minLength: number): string | null {
  if (secret.length < minLength) return `needs at least ${minLength} characters`;
  const isRepeated = /^(.+?)\1+$/s.test(secret);
  if (new Set(secret).size >= 8 && !isRepeated) return null;
  return 'is too predictable: use a random value such as one from `openssl rand -hex 24`';
}

/**
 * Returns the number of letters in a generated owner code: 10 (49 bits) if only this machine can reach the server, otherwise 16
 * (78 bits).
 */
export function ownerCodeLength({ publicBaseUrl }: { publicBaseUrl: string | null }): number {
  return publicBaseUrl === null ? 10 : 16;
}

/** The settings of the OAuth client in the environment: all three or none. */
const CLIENT_PARTS = ['mcpOauthClientId', 'mcpOauthClientSecret', 'mcpOauthClientRedirectUri'] as const;

function halfAClient(values: SettingValues): Problem[] {
  const missing = CLIENT_PARTS.filter((part) => values[part] === null);
  const [key] = missing;
  if (key === undefined || missing.length === CLIENT_PARTS.length) return [];
  const names = missing.map((part) => SETTINGS[part].env).join(' and ');
  const message = `MCP_OAUTH_CLIENT_ID, _SECRET and _REDIRECT_URI belong together: ${names} ${missing.length === 1 ? 'is' : 'are'} missing`;
  return [{ key, origin: 'default', message, remedy: 'Set all three variables, or none of them.' }];
}

/** Finds values that relay accepts but Spotify probably refuses. */
export function crossWarnings({
  providerRedirectUri: uri,
  providerClientId: clientId,
}: SettingValues): string[] {
  const warnings = [];
  // Spotify's rule: https, or http on a loopback IP literal; `localhost` is refused.
  if (uri !== null && !uri.startsWith('https:') && !['127.0.0.1', '[::1]'].includes(new URL(uri).hostname)) {
    warnings.push(
      `Spotify refuses the redirect URI ${uri}: it must use https, or http on 127.0.0.1 or [::1].`,
    );
  }
  if (clientId !== null && !looksLikeClientId(clientId)) {
    warnings.push('The client ID does not look like a Spotify client ID (32 hexadecimal digits).');
  }
  return warnings;
}
