/** What the project is called in clients, and where it is published. */

/** Returns the name of a server in a client. The demo has its own name, so that it never replaces the real server. */
export function serverName(demo: boolean): 'relay' | 'relay-demo' {
  return demo ? 'relay-demo' : 'relay';
}

/**
 * The account that publishes relay on GitHub and on npm. Links, the repository and the names of packages all come from here.
 * null while there is no public release.
 */
export const OWNER: string | null = null as string | null;

/**
 * `owner/name` on GitHub; null while there is no public release. Until then, nothing asks for a newer version by itself. Links
 * in packages lead to `relay.invalid`, a name that RFC 2606 reserves so that it never exists.
 */
export const REPOSITORY: string | null = OWNER === null ? null : `${OWNER}/relay`;
