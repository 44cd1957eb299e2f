/**
 * `checkTag.ts TAG OWNER/NAME [--dry-run]`: prints the version's section of the changelog. If the tag may not become a
 * release, it prints the reasons instead and fails. With `--dry-run` it prints the reasons and the section, and does not fail.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../package.json' with { type: 'json' };
import { REPOSITORY } from '../../src/domain/project.ts';
import { root } from '../bundle.ts';
import { releaseNotes, tagProblems } from './tag.ts';

const [tag = '', builder = ''] = process.argv.slice(2);
const changelog = await readFile(join(root, '.github', 'CHANGELOG.md'), 'utf8');
const problems = tagProblems({ tag, version, builder, published: REPOSITORY, changelog });
for (const problem of problems) console.error(problem);
if (problems.length > 0 && !process.argv.includes('--dry-run')) process.exitCode = 1;
else console.log(releaseNotes(changelog, version) ?? `The changelog has no section for ${version} yet.`);
