/**
 * Whether a newer version has been released. The request says nothing about who asks: the same bytes from everybody. What
 * comes back is taken for a number and nothing else.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { bodyText } from '../../base/bodyText.ts';
import type { Clock } from '../../base/clock.ts';
import { readRegularFile, replaceFile } from '../../base/files.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A person waits for the status. */
const TIMEOUT_MS = 2_000;
const MAX_BYTES = 64 * 1_024;
const RELEASED = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

export interface VersionQuestion {
  url: string;
  /** The home directory, which keeps the day of the last question. */
  home: string;
  /** Of this program. */
  version: string;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * The newest version where it is newer than this one. null otherwise, also when it was asked for within a day, when nothing
 * answers in time, or when the home cannot keep the day: then nobody is asked.
 */
export async function newerVersion(question: VersionQuestion): Promise<string | null> {
  try {
    if (!(await isDue(question))) return null;
    const newest = await newestVersion(question);
    return newest !== null && isNewer(newest, question.version) ? newest : null;
  } catch (error) {
    question.signal.throwIfAborted();
    if (error instanceof Error) return null;
    throw error;
  }
}

/** Also notes that it is asked now, so that one that does not answer is not asked at each status. */
async function isDue({ home, clock }: VersionQuestion): Promise<boolean> {
  const path = join(home, 'update.json');
  if (!(await stat(home)).isDirectory()) return false;
  const asked = await lastAsked(path);
  const since = clock.now() - asked;
  // A clock that was put back must not silence this for years.
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
    // A file of ours, or the answer of GitHub's interface.
    const { version, tag_name: tag } = answer as { version?: unknown; tag_name?: unknown };
    const match = RELEASED.exec(String(version ?? tag));
    return match ? match.slice(1).join('.') : null;
  });
}

/** A version with a suffix, as 1.2.3-beta, comes before the one without. */
function isNewer(newest: string, current: string): boolean {
  const [release = '', suffix] = current.split('-', 2);
  const [own, other] = [release, newest].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const place = other.findIndex((part, index) => part !== own[index]);
  return place < 0 ? suffix !== undefined : (other[place] ?? 0) > (own[place] ?? 0);
}
