/** What happened: lists under way, then jobs and changes in one stream, newest first, in sentences. */
import { capital } from '../../../base/lists.ts';
import { isWorking } from '../../../domain/job.ts';
import { NAME, type PageChange, type PageEvent, type PageState } from '../../owner/pageState.ts';
import { type Html, html, type Value } from '../html.ts';
import {
  button,
  card,
  coverPart,
  link,
  list,
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
import { countsOf, jobRow, stateOf, titleOf } from './jobs.ts';

export function eventsCard(state: PageState): Html {
  const { jobs, events } = state;
  const moving = jobs.moving.map((job) => jobRow(state, job));
  const rows = [
    ...shortened(moving, jobs.movingLeft, 'moving', 'lists under way'),
    ...events.items.map((event) => eventRow(state, event)),
  ];
  const none = 'What relay does is listed here. The last 200 changes can be undone for 30 days.';
  const older = row(events.more && more('events', 'what happened', null));
  return card('events', 'What happened', list(rows, none), older);
}

function eventRow({ tab: { undo } }: PageState, { id, at, job, change }: PageEvent): Html {
  const { place } = change ?? job ?? { place: { name: null, url: null, cover: null } };
  const label = change?.kind === 'undo' ? 'Redo' : 'Undo';
  const asked = change?.can_undo && undo?.change === change.change_id ? undo : null;
  const about = capital(change?.words.replaceAll(`"${NAME}"`, place.name ?? 'a playlist') ?? '');
  const undoButton = change?.can_undo && button(label, 'changes/look', { id: change.change_id }, { about });
  const facts: Value[] = [
    when(at),
    change?.asked_by === 'command line' && ' · in the terminal',
    place.name === null && place.url !== null && [' · ', link(place.url, 'Liked Songs')],
    change === null && job !== null && countsOf(job) !== '' && ` · ${countsOf(job)}`,
  ];
  return html`<li id="event-${id}" class="event"><div class="line">${coverPart(place)}<div class="grow"><p>${change ? sentenceOf(change) : job && titleOf(job)}${marksOf(job, change)}</p>${
    change !== null && change.songs.first.length > 0 && soft(names(change.songs.first, change.songs.all))
  }${soft(facts)}</div>${asked === null && (undoButton ?? null)}</div>${asked && undoPart(asked, label)}</li>`;
}

/** The change as a sentence: `Claude added 24 songs to Carousel`. */
function sentenceOf({ words, asked_by, place }: PageChange): Value[] {
  // Large numbers are written as everywhere on the page. The name is not in the words yet.
  const parts = words.replace(/\d{4,}/g, (digits) => number(Number(digits))).split(`"${NAME}"`);
  const playlist = place.name === null ? 'a playlist' : placeName(place.name, place);
  return [askerOf(asked_by), ' ', parts.map((part, index) => (index === 0 ? part : [playlist, part]))];
}

function askerOf(askedBy: string): Value {
  if (askedBy === 'owner page' || askedBy === 'command line') return 'You';
  if (askedBy === 'API key') return 'A client with the API key';
  if (askedBy === 'relay' || askedBy === 'relay stdio' || askedBy.startsWith('keep ')) return 'relay';
  return html`<strong>${name(askedBy, 60)}</strong>`;
}

function undoPart({ change, force, lines }: NonNullable<PageState['tab']['undo']>, label: string): Html {
  const [first = '', ...rest] = lines.filter((line) => line !== '');
  const what = rest.length > 0 && html`<ul>${rest.map((line) => html`<li>${told(line)}</li>`)}</ul>`;
  const kind = force ? 'danger' : 'primary';
  const given = { change, force, dryRun: false };
  return html`<div id="undo-asked" class="notice" tabindex="-1" data-focus role="group" aria-label="What this does"><p>${told(first)}</p>${what}${row(
    button(force ? `${label} anyway` : `${label} now`, 'changes/undo', given, { kind }),
    button('Leave it', 'view/set', { undo: null }),
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
