/** A job on the page: how far it has come, in words, and what a person can do about it. */
import { capital } from '../../../base/lists.ts';
import { jobWords } from '../../../domain/changeWords.ts';
import { withPlaylistName } from '../../../domain/errors.ts';
import { isWorking } from '../../../domain/job.ts';
import { pageText } from '../../../domain/remedy.ts';
import { NAME, type PageJob, type PageState } from '../../owner/pageState.ts';
import { type Html, html, type Value } from '../html.ts';
import { button, name, number, placeName, progress, row, soft, songs, told, when } from '../parts.ts';
import { settlingPart } from './settling.ts';

export function stateOf(job: PageJob): readonly [words: string, mood: 'good' | 'warn' | 'bad' | ''] {
  switch (job.status) {
    case 'pending':
    case 'resolving':
      return ['Finding songs', ''];
    case 'waiting':
      return ['Waiting', 'warn'];
    case 'ready':
      if (job.unresolved > 0) return [`${number(job.unresolved)} unclear`, 'warn'];
      return job.resolved > 0 ? ['Ready to add', 'good'] : ['Nothing to add', ''];
    case 'committing':
      return ['Adding', ''];
    case 'completed':
      if (job.payload.dry_run) return ['Only tried', ''];
      return job.written > 0 ? ['Done', 'good'] : ['Nothing to add', ''];
    case 'failed':
      return job.review_required ? ['Your decision', 'warn'] : ['Stopped', 'bad'];
    case 'cancelled':
      return ['Cancelled', ''];
  }
}

function titleText({ type, place }: PageJob): string {
  return capital(jobWords(type, place.name ?? 'a playlist'));
}

/** What the job does, with the name of its playlist as a link to Spotify. */
export function titleOf(job: PageJob): Value[] {
  const [before = '', after = ''] = capital(jobWords(job.type, NAME)).split(NAME);
  const { place } = job;
  return [
    before,
    place.name === null ? (before.endsWith(' ') ? 'a playlist' : '') : placeName(place.name, place),
    after,
  ];
}

/** @param state is needed to choose the unclear songs below the job */
export function jobRow(state: PageState, job: PageJob): Html {
  const [words, mood] = stateOf(job);
  const isOpen = state.tab.settling?.job === job.job_id;
  return html`<li id="job-${job.job_id}" class="job"><p class="line"><strong>${titleOf(job)}</strong><span class="pill ${mood}">${words}</span></p>
${progressOf(job)}
${soft(countsOf(job), ' · ', when(job.created_at))}
${waitOf(state, job)}${errorOf(state, job)}
${isOpen ? settlingPart(state) : row(actionsOf(job))}</li>`;
}

function progressOf(job: PageJob): Value {
  if (!isWorking(job.status) && job.status !== 'waiting') return null;
  const [done, of] =
    job.phase === 'commit'
      ? [job.written, job.resolved - job.skipped_existing]
      : [job.total_items - job.pending, job.total_items];
  return progress(done, of, `${titleText(job)}: ${stateOf(job)[0]}`);
}

/** The counts of a job in words: `300 songs: 267 found, 33 unclear`. */
export function countsOf(job: PageJob): string {
  if (job.total_items === 0) return '';
  const left = job.skipped + job.skipped_existing;
  const parts = [
    job.written > 0 ? `${number(job.written)} added` : `${number(job.resolved)} found`,
    ...(job.unresolved > 0 ? [`${number(job.unresolved)} unclear`] : []),
    ...(left > 0 ? [`${number(left)} left out`] : []),
  ];
  const all =
    job.pending > 0
      ? `${number(job.total_items - job.pending)} of ${songs(job.total_items)} looked up`
      : songs(job.total_items);
  return `${all}: ${parts.join(', ')}`;
}

function waitOf({ now }: PageState, { status, reason, run_after }: PageJob): Value {
  if (status !== 'waiting') return null;
  const why = reason === null ? '' : `: ${wordsOfReason(reason)}`;
  if (run_after === null) return html`<p class="warn">It waits${why}.</p>`;
  // After the computer has slept, the server may take some minutes to notice that the time has come.
  const time = Date.parse(run_after) > now ? when(run_after) : 'soon';
  return html`<p class="warn">It goes on by itself ${time}${why}.</p>`;
}

function errorOf({ style }: PageState, job: PageJob): Value {
  const { error, review_required: isReview, result } = job;
  if (error === null) return null;
  const message = withPlaylistName(
    error.message,
    job.payload.playlist_id ?? job.playlist_id,
    job.place.name ?? undefined,
  );
  const side = (what: string, some: unknown) =>
    Array.isArray(some) &&
    some.length > 0 &&
    html`<p class="soft">${what}: ${some.slice(0, 10).map((one, index) => [index > 0 && ', ', name(String(one))])}</p>`;
  const remedy = error.fix === undefined ? error.remedy : pageText(error.fix, style);
  return html`<p class="${isReview ? 'warn' : 'bad'}">${told(message)}${!isReview && remedy !== undefined && [' ', told(remedy)]}</p>
${isReview && [side('Would come', result?.missing), side('Would go', result?.extra)]}`;
}

function actionsOf(job: PageJob): Value[] {
  const { job_id: id, status } = job;
  const about = titleText(job);
  const resume = (text: string, review: 'continue' | 'keep' | 'undo' | null, kind: 'primary' | 'quiet') =>
    button(text, 'jobs/resume', { id, review }, { about, kind });
  const cancel = button('Cancel', 'jobs/cancel', { id }, { about, sure: 'Cancel now' });
  if (job.review_required && status === 'failed') {
    return [
      resume('Make it as asked', 'continue', 'primary'),
      resume('Keep it as it is', 'keep', 'quiet'),
      resume('Back to how it was', 'undo', 'quiet'),
    ];
  }
  if (status === 'ready') {
    const text = job.unresolved > 0 ? `Add the ${number(job.resolved)} found` : `Add ${songs(job.resolved)}`;
    const skipUnresolved = job.payload.strict && job.unresolved > 0;
    const add = (kind: 'primary' | 'quiet') =>
      job.resolved > 0 && button(text, 'jobs/commit', { ids: [id], skipUnresolved }, { about, kind });
    if (job.unresolved === 0) return [add('primary'), cancel];
    const choose = `Choose ${number(job.unresolved)} unclear`;
    return [button(choose, 'settle/open', { id }, { about, kind: 'primary' }), add('quiet'), cancel];
  }
  if (status === 'waiting') return [resume('Try now', null, 'quiet'), cancel];
  if (status === 'failed') return [resume('Try again', null, 'primary'), cancel];
  return isWorking(status) ? [cancel] : [];
}

const REASONS: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'Spotify asks relay to wait',
  QUOTA_EXCEEDED: 'the day’s quota is used up',
  BUDGET: 'its requests for 24 hours are used up',
  LOGIN_REQUIRED: 'its account is not connected',
  PROVIDER_UNAVAILABLE: 'Spotify does not answer',
  PROVIDER_TIMEOUT: 'Spotify does not answer',
  STORE_ERROR: 'the state cannot be saved',
  SCOPE_MISSING: 'a permission is missing',
  FORBIDDEN: 'Spotify refuses it',
  NOT_FOUND: 'Spotify cannot find it',
  PREMIUM_REQUIRED: 'the account needs Premium',
  APP_OWNER_PREMIUM_REQUIRED: 'the owner of the Spotify app needs Premium',
  USER_NOT_REGISTERED: 'the account is not on the user list of the Spotify app',
  PROVIDER_INVALID_RESPONSE: 'Spotify’s answer cannot be read',
};

/** Why something waits, from the code of an error. */
export function wordsOfReason(code: string): string {
  return REASONS[code] ?? code;
}
