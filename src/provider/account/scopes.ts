/** What the login asks the provider for (its scopes page), one list. */
export const PROVIDER_SCOPES = [
  'playlist-read-private',
  'playlist-read-collaborative',
  'playlist-modify-public',
  'playlist-modify-private',
  'user-library-read',
  'user-library-modify',
  'user-top-read',
  'user-read-recently-played',
  'user-read-playback-state',
  'user-read-currently-playing',
  'user-modify-playback-state',
  'user-read-private',
] as const;

/** Asked-for scopes that a login was not granted. `user-read-private` is only for show and is never missed. */
export function missingScopes(granted: readonly string[]): string[] {
  return PROVIDER_SCOPES.filter((scope) => scope !== 'user-read-private' && !granted.includes(scope));
}
