/** The end of an import: what was written, what is left, and errors that say how to continue. */
import { counted } from '../../base/lists.ts';
import { isErrorCode, RelayError } from '../../domain/errors.ts';
import { type JobRecord, shortId, unresolvedOf } from '../../domain/job.ts';
import type { ImportTarget } from '../../domain/listImport.ts';
import type { Context } from '../context.ts';
import { commitWords, loginWords, needsLogin } from '../jobs/jobText.ts';
import { note } from '../terminal/output.ts';
import { commandLine } from '../usage/commandLine.ts';
import { totalsOf, unresolvedText, waysOn } from './importText.ts';

/** @throws RelayError for a job that has failed, was cancelled or waits for a login */
export function requireGoing(context: Context, job: JobRecord): void {
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
  const became = job.status === 'failed' ? 'has failed' : 'was cancelled';
  if (!context.json) note(context.io, `Job ${id} ${became}.`);
  throw new RelayError(isErrorCode(code) ? code : 'JOB_STATE', message, {
    remedy: { text: `${job.status === 'failed' ? 'To continue' : 'To see it'}: {command}`, command },
  });
}

/** @throws RelayError `RESOLUTION_FAILED` if nothing may be written yet */
export function requireFound(context: Context, jobs: readonly JobRecord[], skipUnresolved: boolean): void {
  const { unresolved, resolved } = totalsOf(jobs);
  if (unresolved === 0 || (skipUnresolved && resolved > 0)) return;
  const open = jobs.filter((job) => unresolvedOf(job) > 0);
  if (!context.json) {
    for (const job of open) for (const line of waysOn(job, context)) note(context.io, line);
  }
  throw new RelayError('RESOLUTION_FAILED', `${unresolvedText(jobs)}, so nothing is written yet.`, {
    remedy: { text: 'Continue with {command}.', command: ['jobs', 'fix', shortId(open[0]?.job_id ?? '')] },
    details: { unresolved, resolved },
  });
}

/** Maximum number of commands to show. A file with many playlists has one job, and so one command, for each. */
export const COMMANDS_SHOWN = 3;

/**
 * Adds the IDs of the jobs to an error, so that a script can continue the jobs. After an interrupt, the error says that the
 * server continues without the command; if the server has gone, that the job is kept. After an error about one job, a note says
 * how to write the others.
 */
export function withJobs(context: Context, error: unknown, jobs: readonly JobRecord[]): unknown {
  const { signal, json, io } = context;
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
  if (error.code === 'NO_SERVER') {
    return new RelayError('NO_SERVER', error.message, {
      remedy: {
        text: 'Start the server again. The job is kept and then continues: {command} follows it and says what to do next.',
        command: follow,
        terminal: {
          text: 'Start the server with {1}. The job is kept and then continues: {2} follows it and says what to do next.',
          commands: [['serve'], follow],
        },
      },
      details,
      cause: error,
    });
  }
  if (!json && error.code !== 'INTERRUPTED') for (const line of readyLines(context, jobs)) note(io, line);
  return error.with({ details: { ...error.details, ...details } });
}

/** Says how to write the jobs that only wait to be committed, since the error is about another job. */
function readyLines(context: Context, jobs: readonly JobRecord[]): string[] {
  const ready = jobs.filter((job) => job.status === 'ready' && job.resolved > 0 && unresolvedOf(job) === 0);
  const commands = ready.slice(0, COMMANDS_SHOWN).map((job) => commandLine(context, ...commitWords(job)));
  if (ready.length > commands.length) commands.push(`${commandLine(context, 'jobs')} lists the other jobs`);
  return commands.length === 0 ? [] : [`To write what is ready: ${commands.join('; ')}`];
}

export function doneLines(target: ImportTarget, name: string, jobs: readonly JobRecord[]): string[] {
  const { skipped, written } = totalsOf(jobs);
  const left = skipped === 0 ? '' : `; ${counted(skipped, 'duplicate')} left out`;
  const songs = counted(written, 'song');
  if (target.kind === 'saved') return [`Saved ${songs} in Liked Songs${left}.`];
  const ids = [...new Set(jobs.flatMap(({ playlist_id }) => playlist_id ?? []))];
  const replaces = target.kind === 'playlist' && target.replace;
  // A replacement by the very rows that are there writes nothing. If Spotify had refused all songs, they would be unresolved.
  const isSame = replaces && written === 0 && jobs.some(({ resolved }) => resolved > 0);
  const verb = replaces ? 'Replaced the content of' : 'Added to';
  return [
    isSame
      ? `Nothing changed: "${name}" has exactly these songs${left}.`
      : `${verb} "${name}": ${songs}${left}.`,
    ...ids.map((id) => `https://open.spotify.com/playlist/${id}`),
  ];
}

/** Says how many songs were left out, or found only by forgiving a typo, and which commands show them. */
export function doubtLines(context: Context, jobs: readonly JobRecord[]): string[] {
  const forgiven = jobs.reduce((sum, { spelling = 0 }) => sum + spelling, 0);
  const isLeft = totalsOf(jobs).unresolved > 0;
  const doubtful = jobs.filter((job) => unresolvedOf(job) > 0 || job.spelling);
  return [
    ...(isLeft ? [`${unresolvedText(jobs)}, and left out.`] : []),
    ...(forgiven > 0
      ? [`${counted(forgiven, 'song')} ${forgiven === 1 ? 'was' : 'were'} found by forgiving a typo.`]
      : []),
    ...doubtful.map((job) => `To see them: ${commandLine(context, 'jobs', 'show', shortId(job.job_id))}`),
  ];
}
