/** Rules between settings, which yield problems and warnings. Pure. */
import { isLoopback } from '../base/loopback.ts';
import { looksLikeClientId } from '../domain/ids.ts';
import { type Origins, type Problem, placeOf } from './sources.ts';
import { SETTINGS, type SettingKey, type SettingValues } from './table.ts';

export function crossProblems(values: SettingValues, origins: Origins): Problem[] {
  const { host, publicBaseUrl } = values;
  const problems = halfAClient(values);
  const refuse = (key: SettingKey, why: string) =>
    problems.push({
      key,
      origin: origins[key],
      message: `${placeOf(key, origins[key], 'config.json')} ${why}`,
    });
  if (publicBaseUrl === null) {
    // Without a public URL, the `Host` check would refuse the requests of other machines.
    if (!isLoopback(host))
      refuse(
        'host',
        `is ${host}, which other machines can reach, so PUBLIC_BASE_URL (publicBaseUrl) must give the URL that they use`,
      );
    return problems;
  }
  const url = new URL(publicBaseUrl);
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    refuse('publicBaseUrl', `must be an https URL unless it is on loopback, not "${publicBaseUrl}"`);
  const because = 'since PUBLIC_BASE_URL exposes it to strangers';
  // Guesses of the owner code are slowed down. Those of a key are as fast as requests are answered.
  const ownerWeakness = weaknessOf(values.mcpOauthOwnerSecret, 16);
  if (ownerWeakness !== null) refuse('mcpOauthOwnerSecret', `${ownerWeakness}, ${because}`);
  const keyWeakness = weaknessOf(values.mcpApiKey, 32);
  if (keyWeakness !== null) refuse('mcpApiKey', `${keyWeakness}, ${because}`);
  return problems;
}

/** Completes "<setting> …" with the reason why a secret is easy to guess; null if it is not, or not set. Never quotes the secret. */
function weaknessOf(secret: string | null, minLength: number): string | null {
  if (secret === null) return null;
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

/** Refuses a part of the OAuth client in the environment without the others. */
function halfAClient(values: SettingValues): Problem[] {
  const parts = ['mcpOauthClientId', 'mcpOauthClientSecret', 'mcpOauthClientRedirectUri'] as const;
  const missing = parts.filter((part) => values[part] === null);
  const [key] = missing;
  if (key === undefined || missing.length === parts.length) return [];
  const names = missing.map((part) => SETTINGS[part].env).join(' and ');
  const message = `MCP_OAUTH_CLIENT_ID, _SECRET and _REDIRECT_URI belong together: ${names} ${missing.length === 1 ? 'is' : 'are'} missing`;
  return [{ key, origin: 'default', message, remedy: 'Set all three variables, or none of them.' }];
}

/** Finds values that relay accepts but Spotify probably refuses. */
export function crossWarnings({ providerRedirectUri: uri, providerClientId: id }: SettingValues): string[] {
  const warnings = [];
  // Spotify's rule: https, or http on a loopback IP literal; `localhost` is refused.
  if (uri !== null && !/^(https:|http:\/\/(127\.0\.0\.1|\[::1\])[:/])/i.test(uri))
    warnings.push(
      `Spotify refuses the redirect URI ${uri}: it must use https, or http on 127.0.0.1 or [::1].`,
    );
  if (id !== null && !looksLikeClientId(id))
    warnings.push('The client ID does not look like a Spotify client ID (32 hexadecimal digits).');
  return warnings;
}
