/** What clients call the server. The demo has a name of its own, so that it never takes the place of the real one. */
export function serverName(demo: boolean): string {
  return demo ? 'relay-demo' : 'relay';
}
