/** The copy of the library, and the playlists that are kept by a rule. */
import type { KeepRecord } from '../../../domain/keep.ts';
import type { PageState } from '../../owner/pageState.ts';
import { type Html, html } from '../html.ts';
import { button, card, count, list, menu, name, number, progress, row, soft, told, when } from '../parts.ts';
import { wordsOfReason } from './jobs.ts';

export function libraryCard({ library, report }: PageState): Html | null {
  const { saved, coverage, as_of: asOf, state, until, reason, progress: at } = library;
  const { playlists } = coverage;
  const isEmpty = coverage.saved === 'none' && playlists.read === 0;
  const { connected } = report.account;
  if (!connected && isEmpty) return null;
  const hidden = playlists.unreadable > 0 && ` (${number(playlists.unreadable)} that Spotify does not show)`;
  const known = html`<p>${count(saved, 'saved song')}${coverage.saved !== 'complete' && ' so far'} and ${number(playlists.read)} of ${count(playlists.total, 'playlist')}${hidden}${asOf !== null && [', read ', when(asOf)]}.</p>`;
  const waiting = html`<p class="warn">The reading waits${until !== null && [' until ', when(until, 'time')]}: ${wordsOfReason(reason ?? 'PROVIDER_UNAVAILABLE')}.</p>`;
  return card(
    'library',
    'Library',
    isEmpty ? soft('Not read yet. Once it is, AI clients can ask about it in one call.') : known,
    state === 'reading' && [
      progress(at.done, at.total, 'Reading the library'),
      soft(`${number(at.done)} of about ${count(at.total, 'request')}`),
    ],
    state === 'waiting' && waiting,
    row(
      connected && button(isEmpty ? 'Read it' : 'Update', 'library/sync', {}, { about: 'the library' }),
      !isEmpty &&
        menu(
          'More',
          'the library',
          button('Forget the copy', 'library/forget', {}, { sure: 'Forget it now' }),
        ),
    ),
  );
}

export function keptCard({ kept }: PageState): Html | null {
  return kept.length === 0 ? null : card('kept', 'Kept playlists', list(kept.map(keptRow)));
}

const WORDS = {
  active: '',
  waiting: 'Waiting',
  review: 'Waits for you',
  paused: 'Paused',
  stopped: 'Stopped',
} as const;

function keptRow(keep: KeepRecord): Html {
  const { id, status, reason, sql, rule, every, last_run_at, last_result, next_run_at } = keep;
  const act = (text: string, action: string, sure?: string) =>
    button(text, 'keeps/act', { id, action }, { about: keep.name, ...(sure === undefined ? {} : { sure }) });
  const isOpen = (status === 'review' || status === 'waiting') && reason !== undefined;
  return html`<li id="kept-${id ?? keep.name}"><div class="line"><div class="grow"><p><strong>${name(keep.name)}</strong>${WORDS[status] !== '' && html` <span class="pill">${WORDS[status]}</span>`}</p>
<p>${rule === undefined ? 'A query of its own' : name(rule, 300)}, every ${every}</p>${isOpen && html`<p class="warn">${told(reason, 400)}</p>`}${soft(
    next_run_at !== null && ['Next ', when(next_run_at)],
    last_run_at !== null && [
      next_run_at === null ? 'Last ' : ' · last ',
      when(last_run_at),
      ': ',
      told(last_result ?? 'nothing changed'),
    ],
  )}</div>${menu(
    'More',
    keep.name,
    act('Update now', 'run'),
    status === 'paused' ? act('Go on', 'resume') : act('Pause', 'pause'),
    act('Stop', 'stop', 'Stop keeping it'),
  )}</div><details><summary>Query</summary><pre>${sql}</pre></details></li>`;
}
