/** The name of a server in a client. The demo has one of its own, so that it never replaces the real server. */
export function serverName(demo: boolean): 'relay' | 'relay-demo' {
  return demo ? 'relay-demo' : 'relay';
}
