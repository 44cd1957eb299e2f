/** What happened: lists under way, then jobs and changes in one stream, newest first, in sentences. */
import { capital } from '../../../base/lists.ts';
import { isWorking } from '../../../domain/job.ts';
import type { PageChange, PageEvent } from '../../owner/events.ts';
import { NAME } from '../../owner/events.ts';
import { MAX_EVENTS, type PageState } from '../../owner/pageState.ts';
import { type Html, html, type Value } from '../html.ts';
import {
  button,
  card,
  coverPart,
  link,
  list,
  menu,
  more,
  name,
  names,
  number,
  placeName,
  row,
  shortened,
  soft,
  told,
  when,
} from '../parts.ts';
import { countsOf, jobRow, needsOwner, stateOf, titleOf, titleText } from './jobs.ts';

export function eventsCard(state: PageState): Html {
  const { jobs, events, program, tab } = state;
  const { items, more: hasMore } = events;
  const own = new Set(tab.imported?.jobs);
  const moving = jobs
    .filter((job) => !needsOwner(job) && !own.has(job.job_id))
    .map((job) => jobRow(state, job));
  const first = shortened(moving, state.shown('moving'), 'moving', 'lists under way');
  const none = 'What relay does is listed here. The last 200 changes can be undone for 30 days.';
  return card(
    'events',
    'What happened',
    list([...first, ...items.map((event) => eventRow(state, event))], none),
    hasMore &&
      items.length >= MAX_EVENTS &&
      soft(html`<code>${program} jobs list --all</code> lists older ones.`),
    row(
      hasMore && items.length < MAX_EVENTS && more('events', 'what happened', null),
      items.some(({ job }) => job !== null) &&
        menu(
          'More',
          'what happened',
          button('Clear finished lists', 'events/clear', {}, { sure: 'Clear them now' }),
        ),
    ),
  );
}

function eventRow(state: PageState, { id, at, place, job, change }: PageEvent): Html {
  const { undo } = state.tab;
  const isAsked = change !== null && undo?.change === change.change_id && change.can_undo;
  const sentence = change === null ? (job ? titleOf(job) : []) : sentenceOf(change, place);
  const label = change?.kind === 'undo' ? 'Redo' : 'Undo';
  const about =
    change === null
      ? job
        ? titleText(job)
        : ''
      : capital(change.words.replaceAll(`"${NAME}"`, place.name ?? 'a playlist'));
  const facts: Value[] = [
    when(at),
    change?.asked_by === 'command line' && ' · in the terminal',
    place.name === null && place.url !== null && [' · ', link(place.url, 'Liked Songs')],
    change === null && job !== null && countsOf(job) !== '' && ` · ${countsOf(job)}`,
  ];
  return html`<li id="event-${id}" class="event"><div class="line">${coverPart(place)}<div class="grow"><p>${sentence}${marksOf(job, change)}</p>${
    change !== null && change.songs.first.length > 0 && soft(names(change.songs.first, change.songs.all))
  }${soft(facts)}</div>${
    change?.can_undo === true &&
    !isAsked &&
    button(label, 'changes/look', { id: change.change_id }, { about })
  }</div>${isAsked && undoPart(state, label)}</li>`;
}

/** The change as a sentence: `Claude added 24 songs to Carousel`. */
function sentenceOf({ words, asked_by }: PageChange, place: PageEvent['place']): Value[] {
  // Large numbers are written as everywhere on the page. The name is not in the words yet.
  const parts = words.replace(/\d{4,}/g, (digits) => number(Number(digits))).split(`"${NAME}"`);
  const playlist = place.name === null ? 'a playlist' : placeName(place.name, place);
  return [
    askerOf(asked_by),
    ' ',
    ...parts.flatMap((part, index) => (index === 0 ? [part] : [playlist, part])),
  ];
}

function askerOf(askedBy: string): Value {
  if (askedBy === 'owner page' || askedBy === 'command line') return 'You';
  if (askedBy === 'API key') return 'A client with the API key';
  if (askedBy === 'relay' || askedBy === 'relay stdio' || askedBy.startsWith('keep ')) return 'relay';
  return html`<strong>${name(askedBy, 60)}</strong>`;
}

function undoPart({ tab: { undo }, style: _ }: PageState, label: string): Value {
  if (undo === null) return null;
  const [first = '', ...rest] = undo.lines.filter((line) => line !== '');
  const given = { change: undo.change, force: undo.force, dryRun: false };
  return html`<div id="undo-asked" class="notice" tabindex="-1" data-focus role="group" aria-label="What this does"><p>${told(first)}</p>${
    rest.length > 0 && html`<ul>${rest.map((line) => html`<li>${told(line)}</li>`)}</ul>`
  }${row(
    button(undo.force ? `${label} anyway` : `${label} now`, 'changes/undo', given, {
      kind: undo.force ? 'danger' : 'primary',
    }),
    button('Leave it', 'view/keep', {}),
  )}</div>`;
}

/** Marks for what the sentence does not say. */
function marksOf(job: PageEvent['job'], change: PageChange | null): Value {
  const marks: Array<readonly [string, string]> = [];
  if (job !== null && !isWorking(job.status) && (change === null || job.status === 'cancelled'))
    marks.push(stateOf(job));
  if (change?.undone_by !== undefined) marks.push([change.beingUndone ? 'Not undone yet' : 'Undone', '']);
  else if (change?.state === 'review') marks.push(['Someone else changed it', 'warn']);
  else if (change?.state === 'partial') marks.push(['Stopped part-way', 'warn']);
  else if (change?.state === 'rolled_back') marks.push(['Taken back', '']);
  else if (change !== null && change.state !== 'done') marks.push(['Not finished yet', '']);
  return marks.map(([words, mood]) => html` <span class="pill ${mood}">${words}</span>`);
}
