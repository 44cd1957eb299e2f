/**
 * Says how a client is connected to a server that lets no client register itself.
 * @param relay the command line of relay, with the options that name its home
 * @param byKey the command that connects the client with a key; null if there is none, or if the server accepts no key
 */
export function closedRegistration(relay: string, byKey: string | null): string {
  const orKey = byKey === null ? '' : ` Or connect it with a key: \`${byKey}\`.`;
  return `relay lets no client register itself (MCP_OAUTH_DCR_ENABLED is false). Set the client up with \`${relay} clients add\`, and enter the client ID in its settings.${orKey}`;
}
