/** The time of every file in a package, so that two builds of a commit are the same bytes. */
import { execFileSync } from 'node:child_process';
import { root } from '../bundle.ts';

/** ZIP archives have no time before 1980. */
const MIN_SECONDS = 315_532_800;

/**
 * Seconds since 1970: SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), else the time of the
 * commit, else 1980 in a tree without a history.
 */
export const SOURCE_DATE = Math.max(MIN_SECONDS, Number(process.env.SOURCE_DATE_EPOCH ?? commitTime()));

function commitTime(): string {
  try {
    return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '0';
  }
}
