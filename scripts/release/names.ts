/** The name that relay has in each place where it is published. Pure. */

/**
 * Stands for the account in package names until there is a publisher. The plain name `relay` on npm belongs to others, and
 * so does the package URL made from it.
 */
export const PLACEHOLDER_OWNER = 'owner-placeholder';

export interface Names {
  /** The project's page. */
  home: string;
  /** `owner/name` on GitHub; null if there is none. */
  repository: string | null;
  /** Name on npm, in the owner's scope. */
  npm: string;
  /** The npm package as a package URL without a version: https://github.com/package-url/purl-spec */
  purl: string;
  winget: string;
  /** Name in the MCP registry: a reversed domain name that the publisher can prove to own. */
  mcp: string;
}

/**
 * @param owner the account on GitHub and npm; null if there is none. Links then lead to `relay.invalid`, which nobody can
 * register.
 */
export function namesOf(owner: string | null): Names {
  const name = owner ?? PLACEHOLDER_OWNER;
  return {
    home: owner === null ? 'https://relay.invalid' : `https://github.com/${owner}/relay`,
    repository: owner === null ? null : `${owner}/relay`,
    npm: `@${name.toLowerCase()}/relay`,
    purl: `pkg:npm/%40${name.toLowerCase()}/relay`,
    winget: `${name}.relay`,
    mcp: owner === null ? 'invalid.relay/relay' : `io.github.${owner}/relay`,
  };
}
