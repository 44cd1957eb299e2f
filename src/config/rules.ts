/** Rules between settings, which yield problems and warnings. Pure. */

import { isLoopback } from '../base/loopback.ts';
import { looksLikeClientId } from '../domain/ids.ts';
import type { Origin, Problem } from './problems.ts';
import { placeOf } from './sources.ts';
import { API_KEY_STRENGTH, OWNER_SECRET_STRENGTH, weaknessOf } from './strength.ts';
import { SETTINGS, type SettingKey, type SettingValues } from './table.ts';

export type Origins = Record<SettingKey, Origin>;

/** The settings of the OAuth client in the environment: all three or none. */
const CLIENT_PARTS = ['mcpOauthClientId', 'mcpOauthClientSecret', 'mcpOauthClientRedirectUri'] as const;

/** Finds combinations of settings that relay refuses. */
export function crossProblems(values: SettingValues, origins: Origins): Problem[] {
  return [...exposedHost(values, origins), ...weakInPublic(values, origins), ...halfAClient(values)];
}

/** Finds values that relay accepts but Spotify probably refuses. */
export function crossWarnings(values: SettingValues): string[] {
  const warnings = [];
  if (values.providerRedirectUri !== null && !acceptedByProvider(new URL(values.providerRedirectUri))) {
    warnings.push(
      `Spotify refuses the redirect URI ${values.providerRedirectUri}: it must use https, or http on 127.0.0.1 or [::1].`,
    );
  }
  if (values.providerClientId !== null && !looksLikeClientId(values.providerClientId)) {
    warnings.push(ODD_CLIENT_ID);
  }
  return warnings;
}

const ODD_CLIENT_ID = 'The client ID does not look like a Spotify client ID (32 hexadecimal digits).';

/** A `host` that other machines can reach needs a public URL. Without one, the `Host` check would refuse their requests. */
function exposedHost(values: SettingValues, origins: Origins): Problem[] {
  if (isLoopback(values.host) || values.publicBaseUrl !== null) return [];
  const message = `${placeOf('host', origins.host, 'config.json')} is ${values.host}, which other machines can reach, so PUBLIC_BASE_URL (publicBaseUrl) must give the URL that they use`;
  return [{ key: 'host', origin: origins.host, message }];
}

/** Refuses plain http and guessable secrets if there is a public URL, since strangers can then reach the server. */
function weakInPublic(values: SettingValues, origins: Origins): Problem[] {
  const { publicBaseUrl, mcpOauthOwnerSecret: ownerSecret, mcpApiKey: apiKey } = values;
  if (publicBaseUrl === null) return [];
  const problem = (key: SettingKey, text: string): Problem => ({
    key,
    origin: origins[key],
    message: `${placeOf(key, origins[key], 'config.json')} ${text}`,
  });
  const url = new URL(publicBaseUrl);
  const isPlain = url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  const ownerWeakness = ownerSecret === null ? null : weaknessOf(ownerSecret, OWNER_SECRET_STRENGTH);
  const keyWeakness = apiKey === null ? null : weaknessOf(apiKey, API_KEY_STRENGTH);
  const because = ', since PUBLIC_BASE_URL exposes it to strangers';
  return [
    ...(isPlain
      ? [problem('publicBaseUrl', `must be an https URL unless it is on loopback, not "${publicBaseUrl}"`)]
      : []),
    ...(ownerWeakness ? [problem('mcpOauthOwnerSecret', `${ownerWeakness}${because}`)] : []),
    ...(keyWeakness ? [problem('mcpApiKey', `${keyWeakness}${because}`)] : []),
  ];
}

function halfAClient(values: SettingValues): Problem[] {
  const missing = CLIENT_PARTS.filter((part) => values[part] === null);
  if (missing.length === 0 || missing.length === CLIENT_PARTS.length) return [];
  const names = missing.map((part) => SETTINGS[part].env).join(' and ');
  const message = `MCP_OAUTH_CLIENT_ID, _SECRET and _REDIRECT_URI belong together: ${names} ${missing.length === 1 ? 'is' : 'are'} missing`;
  const remedy = 'Set all three variables, or none of them.';
  return missing.slice(0, 1).map((key) => ({ key, origin: 'default', message, remedy }));
}

/** Spotify's rule: https, or http on a loopback IP literal; `localhost` is refused. */
function acceptedByProvider(url: URL): boolean {
  return url.protocol === 'https:' || ['127.0.0.1', '[::1]'].includes(url.hostname);
}
