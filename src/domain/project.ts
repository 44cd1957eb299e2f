/** What the project is called in clients, and where it is published. */

/** Returns the name of a server in a client. The demo has its own name, so that it never replaces the real server. */
export function serverName(demo: boolean): 'relay' | 'relay-demo' {
  return demo ? 'relay-demo' : 'relay';
}

/** `owner/name` on GitHub; null while there is no public release. */
export const REPOSITORY: string | null = null as string | null;
