/** What waits for the owner, most urgent first: the login, clients, lists, kept playlists. No card if nothing waits. */
import { isoOf } from '../../../base/clock.ts';
import { capital } from '../../../base/lists.ts';
import { isApprovable, isEmptyPreview, type KeepPreview, type KeepRecord } from '../../../domain/keep.ts';
import { remedyText } from '../../../domain/remedy.ts';
import type { PageState } from '../../owner/pageState.ts';
import { shownName } from '../approve.ts';
import { type Html, html, type Value } from '../html.ts';
import {
  button,
  card,
  count,
  entry,
  list,
  name,
  number,
  row,
  shortened,
  soft,
  songs,
  told,
  when,
} from '../parts.ts';
import { partTitle } from './diagnostics.ts';
import { jobRow } from './jobs.ts';
import { showsSteps } from './top.ts';

export function needsCard(state: PageState): Html | null {
  const { jobs, kept } = state;
  const waiting = jobs.waiting.map((job) => jobRow(state, job));
  const rows = [
    ...loginNeeds(state),
    ...partNeeds(state),
    ...clientNeeds(state),
    ...shortened(waiting, jobs.waitingLeft, 'needs', 'lists that wait'),
    ...kept.filter(({ status }) => status === 'review').map(reviewRow),
  ];
  return rows.length === 0 ? null : card('needs', 'Waiting for you', list(rows));
}

/** A login is mentioned if it ends in fewer days than this. */
const SOON = 14;

function loginNeeds(state: PageState): Html[] {
  const { loginProblem, app, report } = state;
  const why = loginText(state);
  if (loginProblem === null && why === null) return [];
  const { connected, reauthorizationRequired } = report.account;
  const problem = html`<p class="bad"><strong>The last login failed.</strong> ${told(loginProblem ?? '')}</p>`;
  const connect = button(
    connected || reauthorizationRequired ? 'Connect again' : 'Connect',
    'account/connect',
    { switchAccount: false },
    { kind: 'primary', about: 'your Spotify account' },
  );
  return [
    html`<li id="need-login">${why !== null && html`<p>${why}</p>`}${loginProblem !== null && problem}${app.isSet && row(connect)}</li>`,
  ];
}

function loginText(state: PageState): Value {
  const { account } = state.report;
  const { missingScopes, daysLeft, loginExpiresAt } = account;
  if (account.reauthorizationRequired) {
    const whose = account.name !== null && [' of ', name(account.name)];
    const rest = '. Until you connect again, nothing can be read or written.';
    return [html`<strong>Spotify has ended the login</strong>`, whose, rest];
  }
  // During the first run, the steps above lead to the login.
  if (!account.connected)
    return showsSteps(state) ? null : html`<strong>No Spotify account is connected.</strong>`;
  if (missingScopes.length > 0)
    return html`<strong>A permission is missing.</strong> Connect again and grant ${name(missingScopes.join(', '))}.`;
  if (loginExpiresAt === null || (daysLeft ?? SOON) >= SOON) return null;
  return html`<strong>The login ends in ${count(daysLeft ?? 0, 'day')}</strong>, on ${when(loginExpiresAt, 'date')}.`;
}

/** What else keeps relay from working, such as a full disk. */
function partNeeds({ report, style }: PageState): Html[] {
  return report.entries
    .filter(({ state, part }) => state === 'bad' && part !== 'account')
    .map(({ part, summary, remedy }) => {
      const way = remedy !== null && soft(told(capital(remedyText(remedy, style))));
      return html`<li id="need-${part}"><p><strong>${partTitle(part)}:</strong> ${told(summary, 300)}.</p>${way}</li>`;
    });
}

function clientNeeds({ waitingClients }: PageState): Html[] {
  return waitingClients.map(({ clientId, name: given, address, at }) => {
    const text = shownName({ clientId, name: given });
    const about = [
      html`<p><strong>${name(text)}</strong> asks to use your account.</p>`,
      soft('Asked ', when(isoOf(at)), '. Approve it only if you started this.'),
    ];
    const review = html`<a class="button" href="${address}" aria-label="Review: ${text}">Review</a>`;
    return entry(`need-${clientId}`, about, review);
  });
}

function reviewRow(keep: KeepRecord): Html {
  const { id, name: about, reason = 'a run waits for your decision.', preview } = keep;
  const act = (label: string, action: string, kind: 'primary' | 'quiet', sure?: string) =>
    button(label, 'keeps/act', { id, action }, { about, kind, sure });
  const what = preview !== undefined && !isEmptyPreview(preview) && wouldBe(preview);
  return html`<li id="need-${id ?? about}"><p><strong>${name(about)}</strong>: ${told(reason)}</p>${what}${row(
    isApprovable(keep) ? act('Update it once', 'accept', 'primary') : act('Try again', 'run', 'primary'),
    act('Leave it and pause', 'pause', 'quiet'),
    act('Stop keeping it', 'stop', 'quiet', 'Stop it now'),
  )}</li>`;
}

/** What a run would do, with the names of the first songs that would come and go. */
export function wouldBe(preview: KeepPreview): Html {
  const { total, added, removed, added_count, removed_count, moved_count = 0, left_out } = preview;
  const side = (what: string, some: KeepPreview['added'], all: number) => {
    const shown = some.map(({ name: song, artist, uri }, index) => [
      index > 0 && '; ',
      name(song === undefined ? uri : artist === undefined ? song : `${song} – ${artist}`, 80),
    ]);
    const more = all > some.length && ` and ${number(all - some.length)} more`;
    return all > 0 && soft(html`<strong>${what} ${number(all)}:</strong> ${shown}${more}`);
  };
  return html`<div class="would">${soft(
    `It would have ${songs(total)}.`,
    moved_count > 0 && ` ${number(moved_count)} would move.`,
    left_out > 0 && ` ${count(left_out, 'row')} would be left out.`,
  )}${side('Would come,', added, added_count)}${side('Would go,', removed, removed_count)}</div>`;
}
