/** `checkTag.ts TAG OWNER/NAME [--notes]`: fails where the tag may not become a release; prints the notes of one that may. */
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
if (problems.length > 0) process.exitCode = 1;
else if (process.argv.includes('--notes')) console.log(releaseNotes(changelog, version));
