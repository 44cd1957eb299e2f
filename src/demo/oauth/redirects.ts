/** Which redirect URIs the simulated app has registered, by the rules that the provider enforces since November 2025. */

const LOOPBACK_LITERALS = ['127.0.0.1', '[::1]'];

export type RegisteredRedirects = readonly string[] | 'any-loopback';

export type RedirectVerdict = 'ok' | 'Invalid redirect URI' | 'Insecure redirect URI';

/** Exact comparison, except that a loopback literal registered without a port matches with any. */
export function checkRedirectUri(registered: RegisteredRedirects, requested: string | null): RedirectVerdict {
  if (requested === null || !URL.canParse(requested)) return 'Invalid redirect URI';
  const url = new URL(requested);
  const isLoopback = url.protocol === 'http:' && LOOPBACK_LITERALS.includes(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) return 'Insecure redirect URI';
  if (registered === 'any-loopback') return isLoopback ? 'ok' : 'Invalid redirect URI';
  const known = registered.some(
    (uri) => uri === requested || (isLoopback && matchesWithoutPort(uri, requested)),
  );
  return known ? 'ok' : 'Invalid redirect URI';
}

function matchesWithoutPort(registered: string, requested: string): boolean {
  return /^http:\/\/[^/]+:\d+/.test(registered)
    ? false
    : registered === requested.replace(/:\d+(?=\/|$)/, '');
}
