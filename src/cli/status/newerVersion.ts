/**
 * Checks for a newer version. The request is the same from everyone, so it identifies nobody. Only the version number is read
 * from the answer.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { bodyText } from '../../base/bodyText.ts';
import type { Clock } from '../../base/clock.ts';
import { readRegularFile, replaceFile } from '../../base/files.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Short, since a person waits for the status. */
const TIMEOUT_MS = 2_000;
const MAX_BYTES = 64 * 1_024;
const RELEASED = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

export interface VersionQuestion {
  url: string;
  /** The home directory, which stores the time of the last request. */
  home: string;
  /** Version of this program. */
  version: string;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Returns the newest version if it is newer than this program, else null. Also null if there is no answer in time. No request
 * is sent within a day of the last request, or if the home cannot store the time of the request.
 */
export async function newerVersion(question: VersionQuestion): Promise<string | null> {
  try {
    if (!(await isDue(question))) return null;
    const newest = await newestVersion(question);
    return newest !== null && isNewer(newest, question.version) ? newest : null;
  } catch {
    question.signal.throwIfAborted();
    return null;
  }
}

/**
 * True if no request was sent within the last day. In that case, stores the present time, so that a server that does not answer
 * is not asked at each status.
 */
async function isDue({ home, clock }: VersionQuestion): Promise<boolean> {
  const path = join(home, 'update.json');
  if (!(await stat(home)).isDirectory()) return false;
  const asked = await lastAsked(path);
  const since = clock.now() - asked;
  // A time in the future, from before the clock was set back, must not stop the check for years.
  if (since >= 0 && since < DAY_MS) return false;
  await replaceFile(path, `${JSON.stringify({ askedAt: new Date(clock.now()).toISOString() })}\n`);
  return true;
}

async function lastAsked(path: string): Promise<number> {
  try {
    const { bytes } = await readRegularFile(path, MAX_BYTES);
    const time = Date.parse(JSON.parse(bytes.toString('utf8')).askedAt);
    return Number.isFinite(time) ? time : 0;
  } catch {
    return 0;
  }
}

async function newestVersion({ url, clock, signal }: VersionQuestion): Promise<string | null> {
  const late = new Error('the update server did not answer in time');
  return withDeadline({ clock, ms: TIMEOUT_MS, signal, late }, async (deadline) => {
    const headers = { accept: 'application/json', 'user-agent': 'relay' };
    const response = await fetch(url, { headers, signal: deadline });
    const answer: unknown = response.ok ? JSON.parse(await bodyText(response, MAX_BYTES, deadline)) : null;
    if (typeof answer !== 'object' || answer === null) return null;
    // A release file of ours has `version`; an answer of GitHub's API has `tag_name`.
    const { version, tag_name: tag } = answer as { version?: unknown; tag_name?: unknown };
    const match = RELEASED.exec(String(version ?? tag));
    return match ? match.slice(1).join('.') : null;
  });
}

/** A version with a suffix, such as 1.2.3-beta, comes before the same version without the suffix. */
function isNewer(newest: string, current: string): boolean {
  const [release = '', suffix] = current.split('-', 2);
  const [own, other] = [release, newest].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const place = other.findIndex((part, index) => part !== own[index]);
  return place < 0 ? suffix !== undefined : (other[place] ?? 0) > (own[place] ?? 0);
}
