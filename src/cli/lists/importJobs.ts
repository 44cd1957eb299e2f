/** Carries out the jobs of a list: finds the songs, lets a person settle the unresolved ones, writes the songs, and tells what came of it. */
import { counted } from '../../base/lists.ts';
import { isErrorCode, RelayError } from '../../domain/errors.ts';
import { type JobRecord, shortId, unresolvedOf } from '../../domain/job.ts';
import type { ImportTarget } from '../../domain/listImport.ts';
import type { LocalApi } from '../../server/calls.ts';
import { commandLine, type NamedHome } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { openTools } from '../jobs/jobCalls.ts';
import { commitWords, loginWords, needsLogin, nextSteps } from '../jobs/jobText.ts';
import { followJob, progressOn } from '../jobs/runJobs.ts';
import { note } from '../terminal/output.ts';
import type { Dialogue } from '../terminal/prompt.ts';

interface Carrying {
  skipUnresolved: boolean;
  /** The dialogue with the person. If null, nothing is written unless every song is found or `skipUnresolved` is true. */
  talk: Dialogue | null;
  place: string;
  /** Number of rows that the songs replace; null if it is not known. */
  gone: number | null;
}

/** Carries out all jobs. The songs of every job are found before any song is written. */
export async function carryOut(
  context: Context,
  local: LocalApi,
  started: readonly JobRecord[],
  carrying: Carrying,
): Promise<JobRecord[]> {
  const { skipUnresolved, talk } = carrying;
  const show = context.json ? () => {} : progressOn(context);
  let jobs = [...started];
  const put = (job: JobRecord) => {
    jobs = jobs.map((one) => (one.job_id === job.job_id ? job : one));
  };
  const follow = async (id: string) => {
    const job = await followJob(context, () => local.getJob({ id }), show, needsLogin);
    put(job);
    requireGoing(job);
  };
  try {
    for (const { job_id } of started) await follow(job_id);
    if (talk && !skipUnresolved) await settleOpen(context, talk, jobs, put);
    else requireFound(context, jobs, skipUnresolved);
    if (talk) await confirmWrite(context, talk, jobs, carrying);
    for (const { job_id, resolved } of [...jobs]) {
      // A long list has several jobs. A job that found no songs has nothing to write.
      if (resolved === 0) continue;
      await local.commitJob({ id: job_id, skipUnresolved: talk !== null });
      await follow(job_id);
    }
    return jobs;
  } catch (error) {
    throw withJobs(context, error, jobs);
  }
}

async function settleOpen(
  context: Context,
  talk: Dialogue,
  jobs: readonly JobRecord[],
  put: (job: JobRecord) => void,
): Promise<void> {
  const { unresolved, songs } = totalsOf(jobs);
  if (unresolved === 0) return;
  const [need, them] = unresolved === 1 ? ['needs', 'it'] : ['need', 'them'];
  const question = `${unresolved} of ${counted(songs, 'song')} ${need} you. Go through ${them} now?`;
  if (!(await talk.confirm(question, true))) return;
  const { fixSession } = await import('../jobs/fixJob.ts');
  const tools = await openTools(context);
  for (const job of jobs) if (unresolvedOf(job) > 0) put(await fixSession(context, tools, job, talk));
}

/** Asks the one question before anything is written; after a "no", the jobs are kept. */
async function confirmWrite(
  context: Context,
  talk: Dialogue,
  jobs: readonly JobRecord[],
  { place, gone }: Carrying,
): Promise<void> {
  const { resolved, unresolved } = totalsOf(jobs);
  if (resolved === 0) requireFound(context, jobs, false);
  if (resolved === 0) throw new RelayError('RESOLUTION_FAILED', 'No song is left to write.');
  const were = unresolved === 1 ? 'was' : 'were';
  const without = unresolved === 0 ? '' : `, without the ${unresolved} that ${were} not found`;
  const songs = counted(resolved, 'song');
  const rows = gone === null ? 'all rows' : `the ${counted(gone, 'row')}`;
  const what = gone === 0 ? `Write ${songs} to ${place}` : `Replace ${rows} of ${place} by ${songs}`;
  if (await talk.confirm(`${what}${without}?`, gone === 0)) return;
  const [first] = jobs.filter((job) => job.resolved > 0);
  throw new RelayError('INTERRUPTED', 'Nothing is written. What was found is kept.', {
    remedy: { text: 'To write it later: {command}', command: first ? commitWords(first) : ['jobs'] },
  });
}

/** @throws RelayError for a job that has failed, was cancelled or waits for a login */
function requireGoing(job: JobRecord): void {
  const id = shortId(job.job_id);
  if (needsLogin(job)) {
    throw new RelayError(isErrorCode(job.reason) ? job.reason : 'JOB_STATE', `Job ${id} waits for a login.`, {
      remedy: {
        text: 'Log in with {command}. The job then continues; after a search it waits to be committed.',
        command: loginWords(job),
      },
    });
  }
  if (job.status !== 'failed' && job.status !== 'cancelled') return;
  const { code = 'JOB_STATE', message = `The job was ${job.status}.` } = job.error ?? {};
  const command = ['jobs', job.status === 'failed' && !job.review_required ? 'resume' : 'show', id];
  throw new RelayError(isErrorCode(code) ? code : 'JOB_STATE', message, {
    remedy: { text: `${job.status === 'failed' ? 'To continue' : 'To see it'}: {command}`, command },
  });
}

/** @throws RelayError `RESOLUTION_FAILED` if nothing may be written yet */
function requireFound(context: Context, jobs: readonly JobRecord[], skipUnresolved: boolean): void {
  const { unresolved, resolved } = totalsOf(jobs);
  if (unresolved === 0 || (skipUnresolved && resolved > 0)) return;
  const open = jobs.filter((job) => unresolvedOf(job) > 0);
  const ways = open.slice(0, 3).flatMap((job) => nextSteps(job, context));
  if (!context.json) for (const line of ways) note(context.io, line);
  throw new RelayError('RESOLUTION_FAILED', `${unresolvedText(jobs)}, so nothing is written yet.`, {
    remedy: { text: 'Continue with {command}.', command: ['jobs', 'fix', shortId(open[0]?.job_id ?? '')] },
    details: { unresolved, resolved },
  });
}

/** Adds the IDs of the jobs to an error, so that a script can continue them. An interrupt does not stop the server. */
function withJobs({ signal }: Context, error: unknown, jobs: readonly JobRecord[]): unknown {
  const command = ['jobs', 'show', shortId(jobs[0]?.job_id ?? ''), '--watch'];
  const more = { job_ids: jobs.map(({ job_id }) => job_id) };
  if (signal.aborted) {
    return new RelayError('INTERRUPTED', 'Interrupted. The server continues what it has begun.', {
      remedy: { text: '{command} follows it and says what to do next.', command },
      details: more,
    });
  }
  if (!(error instanceof RelayError)) return error;
  const details = { ...error.details, ...more };
  const text = 'Start the server again. The job is kept and then continues: {command} follows it.';
  return error.with(error.code === 'NO_SERVER' ? { details, remedy: { text, command } } : { details });
}

export function totalsOf(jobs: readonly JobRecord[]) {
  const sum = (value: (job: JobRecord) => number) => jobs.reduce((total, job) => total + value(job), 0);
  return {
    songs: sum((job) => job.total_items),
    resolved: sum((job) => job.resolved),
    unresolved: sum(unresolvedOf),
    ambiguous: sum((job) => job.ambiguous),
    written: sum((job) => job.written),
    skipped: sum((job) => job.skipped_existing),
  };
}

/** Returns text such as `240 of 900 songs were not found (12 because several would fit)`. */
function unresolvedText(jobs: readonly JobRecord[]): string {
  const { unresolved, ambiguous, songs } = totalsOf(jobs);
  const were = unresolved === 1 ? 'was' : 'were';
  const which = ambiguous === 0 ? '' : ` (${ambiguous} because several would fit)`;
  return `${unresolved} of ${counted(songs, 'song')} ${were} not found${which}`;
}

export function doneLines(target: ImportTarget, place: string, jobs: readonly JobRecord[]): string[] {
  const { skipped, written } = totalsOf(jobs);
  const left = skipped === 0 ? '' : `; ${counted(skipped, 'duplicate')} left out`;
  const songs = counted(written, 'song');
  if (target.kind === 'saved') return [`Saved ${songs} in ${place}${left}.`];
  const ids = [...new Set(jobs.flatMap(({ playlist_id }) => playlist_id ?? []))];
  const replaces = target.kind === 'playlist' && target.replace;
  // A replacement by the very rows that are there writes nothing. If Spotify had refused all songs, they would be unresolved.
  const isSame = replaces && written === 0 && jobs.some(({ resolved }) => resolved > 0);
  const verb = replaces ? 'Replaced the content of' : 'Added to';
  return [
    isSame
      ? `Nothing changed: ${place} has exactly these songs${left}.`
      : `${verb} ${place}: ${songs}${left}.`,
    ...ids.map((id) => `https://open.spotify.com/playlist/${id}`),
  ];
}

/** Says how many songs were left out, or found only by forgiving a typo, and which commands show them. */
export function leftLines(named: NamedHome, jobs: readonly JobRecord[]): string[] {
  const forgiven = jobs.reduce((sum, { spelling = 0 }) => sum + spelling, 0);
  const doubtful = jobs.filter((job) => unresolvedOf(job) > 0 || job.spelling);
  return [
    ...(totalsOf(jobs).unresolved > 0 ? [`${unresolvedText(jobs)}, and left out.`] : []),
    ...(forgiven > 0 ? [`${counted(forgiven, 'song')} found by forgiving a typo.`] : []),
    ...doubtful.map((job) => `To see them: ${commandLine(named, 'jobs', 'show', shortId(job.job_id))}`),
  ];
}
