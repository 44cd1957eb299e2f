/** What the project is called in clients, and where it is published. */

/** The name of a server in a client. The demo has one of its own, so that it never replaces the real server. */
export function serverName(demo: boolean): 'relay' | 'relay-demo' {
  return demo ? 'relay-demo' : 'relay';
}

/**
 * The account that publishes relay on GitHub and on npm: the one place from which links, repository and the names of packages
 * come. null while there is no public release.
 */
export const OWNER: string | null = null as string | null;

/**
 * `owner/name` on GitHub; null while there is no public release. Then nothing asks for a newer version by itself. Links
 * in packages lead to `relay.invalid`, a name that RFC 2606 reserves so that it never exists.
 */
export const REPOSITORY: string | null = OWNER === null ? null : `${OWNER}/relay`;
