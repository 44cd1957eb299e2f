/** Carries out the jobs of a list: finds the songs, lets a person settle the unresolved ones, and writes the songs. */
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { type JobRecord, unresolvedOf } from '../../domain/job.ts';
import type { ImportTarget } from '../../domain/listImport.ts';
import type { LocalApi } from '../../server/calls.ts';
import type { Context } from '../context.ts';
import { bar, followJob, progressLines, silent } from '../jobs/followJob.ts';
import { commitWords, needsLogin } from '../jobs/jobText.ts';
import type { Dialogue } from '../terminal/prompt.ts';
import { COMMANDS_SHOWN, requireFound, requireGoing, withJobs } from './importOutcome.ts';
import { totalsOf } from './importText.ts';

/** The songs of a short list are found fast, so the first polls follow one another closely. */
const FIRST_POLLS_MS = [100, 200, 300, 500];

interface Carrying {
  skipUnresolved: boolean;
  /** The dialogue with the person. If null, nothing is written unless every song is found or `skipUnresolved` is true. */
  talk: Dialogue | null;
  /** Asks, if need be, before former songs are replaced; null for the usual question before songs are written. */
  askToReplace: (() => Promise<void>) | null;
  target: ImportTarget;
  /** Name of the playlist; '' if the songs go into Liked Songs. */
  name: string;
}

/** Carries out all jobs. The songs of every job are found before any song is written. */
export async function carryOut(
  context: Context,
  local: LocalApi,
  started: readonly JobRecord[],
  { skipUnresolved, talk, askToReplace, target, name }: Carrying,
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
    requireGoing(context, job);
  };
  try {
    for (const { job_id } of started) await follow(job_id);
    if (talk && !skipUnresolved) await settleOpen(context, talk, jobs, put);
    else requireFound(context, jobs, skipUnresolved);
    if (askToReplace) await askToReplace().catch((error) => refusedWrite(context, error, jobs));
    else if (talk) await confirmWrite(context, talk, jobs, target, name);
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
  const need = unresolved === 1 ? 'needs' : 'need';
  const them = unresolved === 1 ? 'it' : 'them';
  const question = `${unresolved} of ${counted(songs, 'song')} ${need} you. Go through ${them} now?`;
  if (!(await talk.confirm(question, true))) return;
  const { openTools } = await import('../jobs/jobCalls.ts');
  const { fixSession } = await import('../jobs/fixSession.ts');
  const tools = await openTools(context);
  for (const job of jobs) {
    if (unresolvedOf(job) > 0) put(await fixSession(context, tools, job, talk));
  }
}

async function confirmWrite(
  context: Context,
  talk: Dialogue,
  jobs: readonly JobRecord[],
  target: ImportTarget,
  name: string,
): Promise<void> {
  const { resolved, unresolved } = totalsOf(jobs);
  if (resolved === 0) {
    requireFound(context, jobs, false);
    throw new RelayError('RESOLUTION_FAILED', 'No song is left to write.');
  }
  const were = unresolved === 1 ? 'was' : 'were';
  const without = unresolved === 0 ? '' : `, without the ${unresolved} that ${were} not found`;
  const place = target.kind === 'saved' ? 'Liked Songs' : `"${name}"`;
  if (await talk.confirm(`Write ${counted(resolved, 'song')} to ${place}${without}?`, true)) return;
  throw notWritten(jobs);
}

/** Throws the given error again, or after a "no" an error that says that the jobs are kept. */
function refusedWrite({ signal }: Context, error: unknown, jobs: readonly JobRecord[]): never {
  const isNo = error instanceof RelayError && error.code === 'INTERRUPTED' && !signal.aborted;
  throw isNo ? notWritten(jobs) : error;
}

function notWritten(jobs: readonly JobRecord[]): RelayError {
  const commands = jobs.filter((job) => job.resolved > 0).map(commitWords);
  const shown = commands.slice(0, COMMANDS_SHOWN);
  const more = commands.length > shown.length;
  const places = shown.map((_words, index) => `{${index + 1}}`).join(', ');
  return new RelayError('INTERRUPTED', 'Nothing is written. What was found is kept.', {
    remedy: {
      text: 'To write it later: {command}.',
      command: commands[0],
      terminal: {
        text: `To write it later: ${places}${more ? `; {${shown.length + 1}} lists the other jobs` : ''}.`,
        commands: [...shown, ['jobs']],
      },
    },
  });
}
