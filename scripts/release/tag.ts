/** Checks if a tag may become a release. Pure. */

export interface Tagged {
  /** The pushed tag: `v1.2.3`. */
  tag: string;
  /** Version in package.json. */
  version: string;
  /** `owner/name` of the repository that builds, and of the repository to which the links in packages lead. */
  builder: string;
  published: string | null;
  changelog: string;
}

/** Returns one sentence for each reason why the tag may not become a release. */
export function tagProblems({ tag, version, builder, published, changelog }: Tagged): string[] {
  const problems: string[] = [];
  if (tag !== `v${version}`) problems.push(`The tag is ${tag}, and package.json has version ${version}.`);
  if (published !== builder) {
    problems.push(
      `The release would be at ${builder}, and src/domain/project.ts says ${published ?? 'that there is none'}.`,
    );
  }
  if (releaseNotes(changelog, version) === null) {
    problems.push(`.github/CHANGELOG.md has no section "## ${version}" with text in it.`);
  }
  return problems;
}

/** Returns a version's section of the changelog; null if there is none. */
export function releaseNotes(changelog: string, version: string): string | null {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s\]]/)[0]?.replace('[', '') === version);
  const notes = section?.slice(section.indexOf('\n') + 1).trim();
  return notes ? notes : null;
}
