/** Carries out the jobs of a list: finds the songs, lets a person settle the unresolved ones, and writes the songs. */
import { counted } from '../../base/lists.ts';
import { isErrorCode, RelayError } from '../../domain/errors.ts';
import { type JobRecord, shortId, unresolvedOf } from '../../domain/job.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { bar, followJob, progressLines, silent } from '../jobs/followJob.ts';
import { openTools } from '../jobs/jobCalls.ts';
import { commitWords, loginWords, needsLogin, nextSteps } from '../jobs/jobText.ts';
import { note } from '../terminal/output.ts';
import type { Dialogue } from '../terminal/prompt.ts';
import { totalsOf, unresolvedText } from './importText.ts';

/** The songs of a short list are found fast, so the first polls follow one another closely. */
const FIRST_POLLS_MS = [100, 200, 300, 500];

interface Carrying {
  skipUnresolved: boolean;
  /** The dialogue with the person. If null, nothing is written unless every song is found or `skipUnresolved` is true. */
  talk: Dialogue | null;
  /** Where the songs go, in words. */
  place: string;
  /** Number of rows that the songs replace; null if it is not known. */
  gone: number | null;
}

/** Carries out all jobs. The songs of every job are found before any song is written. */
export async function carryOut(
  context: Context,
  local: LocalApi,
  started: readonly JobRecord[],
  { skipUnresolved, talk, place, gone }: Carrying,
): Promise<JobRecord[]> {
  const shown = context.io.terminal.stderr ? bar : progressLines;
  let jobs = [...started];
  const put = (job: JobRecord) => {
    jobs = jobs.map((one) => (one.job_id === job.job_id ? job : one));
  };
  const follow = async (id: string) => {
    const display = context.json ? silent : shown(context);
    const ask = () => local.getJob({ id });
    const job = await followJob(context, ask, { display, until: needsLogin, firstPollsMs: FIRST_POLLS_MS });
    put(job);
    requireGoing(job);
  };
  try {
    for (const { job_id } of started) await follow(job_id);
    if (talk && !skipUnresolved) await settleOpen(context, talk, jobs, put);
    else requireFound(context, jobs, skipUnresolved);
    if (talk) await confirmWrite(context, talk, jobs, place, gone);
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
  place: string,
  gone: number | null,
): Promise<void> {
  const { resolved, unresolved } = totalsOf(jobs);
  if (resolved === 0) requireFound(context, jobs, false);
  if (resolved === 0) throw new RelayError('RESOLUTION_FAILED', 'No song is left to write.');
  const without =
    unresolved === 0 ? '' : `, without the ${unresolved} that ${unresolved === 1 ? 'was' : 'were'} not found`;
  const songs = counted(resolved, 'song');
  const rows = gone === null ? 'all rows' : `the ${counted(gone, 'row')}`;
  const question =
    gone === 0
      ? `Write ${songs} to ${place}${without}?`
      : `Replace ${rows} of ${place} by ${songs}${without}?`;
  if (await talk.confirm(question, gone === 0)) return;
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
  if (!context.json) {
    for (const job of open.slice(0, 3)) for (const line of nextSteps(job, context)) note(context.io, line);
  }
  throw new RelayError('RESOLUTION_FAILED', `${unresolvedText(jobs)}, so nothing is written yet.`, {
    remedy: { text: 'Continue with {command}.', command: ['jobs', 'fix', shortId(open[0]?.job_id ?? '')] },
    details: { unresolved, resolved },
  });
}

/**
 * Adds the IDs of the jobs to an error, so that a script can continue the jobs. After an interrupt, the error says that the
 * server continues without the command; if the server has gone, that the job is kept.
 */
function withJobs({ signal }: Context, error: unknown, jobs: readonly JobRecord[]): unknown {
  const [first] = jobs;
  if (!first) return error;
  const details = { job_ids: jobs.map(({ job_id }) => job_id) };
  const follow = ['jobs', 'show', shortId(first.job_id), '--watch'];
  if (signal.aborted) {
    return new RelayError('INTERRUPTED', 'Interrupted. The server continues what it has begun.', {
      remedy: { text: '{command} follows it and says what to do next.', command: follow },
      details,
    });
  }
  if (!(error instanceof RelayError)) return error;
  if (error.code !== 'NO_SERVER') return error.with({ details: { ...error.details, ...details } });
  return new RelayError('NO_SERVER', error.message, {
    remedy: {
      text: 'Start the server again. The job is kept and then continues: {command} follows it.',
      command: follow,
    },
    details,
    cause: error,
  });
}
