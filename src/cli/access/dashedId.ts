/**
 * `relay clients revoke ID` with the ID out of the way of the options: older IDs can begin with a dash, and one that begins
 * with `-V` would print the version. Pure.
 */
export function withDashedId(args: readonly string[]): readonly string[] {
  const isRevoke = args.some((word, at) => word === 'clients' && args[at + 1] === 'revoke');
  if (!isRevoke || args.includes('--')) return args;
  const id = args.find((word) => /^-[\w-]{21}$/.test(word));
  return id === undefined ? args : [...args.filter((word) => word !== id), '--', id];
}
