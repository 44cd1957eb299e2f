/** What relay is called where it is published. Pure. */

/**
 * Stands for the account in names of packages while nobody publishes. npm's plain `relay`, and the names that would come of
 * it elsewhere, belong to others.
 */
export const PLACEHOLDER_OWNER = 'owner-placeholder';

export interface Names {
  /** The project's page. */
  home: string;
  /** `owner/name` on GitHub; null: there is none. */
  repository: string | null;
  /** On npm, below the owner's scope. */
  npm: string;
  /** The same as a package URL without a version: https://github.com/package-url/purl-spec */
  purl: string;
  winget: string;
  /** In the MCP registry: a reverse domain name that the publisher can prove to own. */
  mcp: string;
}

/** @param owner the account on GitHub and npm; null: there is none, and no link leads to a page that somebody could have */
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
