/** The scopes that a login requests (the provider's scopes page). */
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

/** Requested scopes that a login was not granted. `user-read-private` is only used for display and is never reported. */
export function missingScopes(granted: readonly string[]): string[] {
  return PROVIDER_SCOPES.filter((scope) => scope !== 'user-read-private' && !granted.includes(scope));
}
