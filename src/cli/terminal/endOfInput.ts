/** Names the keys that end what a person types into stdin. The console of Windows does not know Ctrl-D. */
export function endOfInput(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'Ctrl-Z and then Enter' : 'Ctrl-D';
}
