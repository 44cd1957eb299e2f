/** What happened: jobs under way, then jobs and changes in one stream, newest first. */
import { capital } from '../../../../base/lists.ts';
import type { ChangeEntry } from '../../../../domain/localApi.ts';
import type { PageEvent } from '../../../../domain/ownerPage.ts';
import { type App, button, card, coverPart, list, name, placeLink, row, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow } from '../format.ts';
import { countsOf, jobRow, needsOwner, stateOf } from '../jobs.ts';
import { ask, RELAY } from '../session.ts';
import { isAskedToUndo, previewUndo, undoPart } from '../undo.ts';

/** Number of further events that "Show older" shows. */
const MORE = 50;

/** Maximum number of events to ask for, which is the server's limit. */
export const MAX_EVENTS = 500;

export function eventsCard(app: App): Child {
  const { state, doing } = app;
  // Events beyond the first page are read on request, and again with each new state.
  const { items, more } = doing.events ?? state.events;
  const moving = state.jobs.filter((job) => !needsOwner(job));
  const offersCovers = !state.covers || items.some(({ place }) => place.cover !== null);
  const hasJobs = items.some(({ job }) => job !== null);
  return card(
    'events',
    'What happened',
    list(
      [...moving.map((job) => jobRow(app, job)), ...items.map((event) => eventRow(app, event))],
      'What relay does is listed here. The last 200 changes can be undone for 30 days.',
    ),
    more && items.length >= MAX_EVENTS && soft(h.code(`${RELAY} jobs list --all`), ' lists older jobs.'),
    (more || hasJobs || offersCovers) &&
      row(
        more &&
          items.length < MAX_EVENTS &&
          button(app, 'older', 'Show older', () => app.showEvents(items.length + MORE), {
            about: 'what happened',
            kind: 'quiet',
          }),
        hasJobs &&
          button(app, 'clear', 'Clear finished jobs', () => clear(app), {
            confirm: 'Clear them now',
            kind: 'quiet',
          }),
        offersCovers &&
          button(app, 'covers', state.covers ? 'Hide covers' : 'Show covers', () => switchCovers(app), {
            kind: 'quiet',
          }),
      ),
  );
}

/** Shows or hides covers. The page is loaded again, since its content policy names the hosts that it may load covers from. */
async function switchCovers({ state }: App): Promise<void> {
  await ask('covers/choose', { show: !state.covers });
  location.reload();
}

async function clear(app: App): Promise<void> {
  const { cleared } = await ask('events/clear', {});
  await app.showEvents(null);
  app.tell(
    `${cleared === 1 ? 'One finished job is' : `${cleared} finished jobs are`} cleared. What they wrote can still be undone.`,
  );
}

function eventRow(app: App, { id, at, place, job, change }: PageEvent): Child {
  const title = change === null ? (job?.title ?? '') : capital(change.what);
  const asked = change !== null && isAskedToUndo(app, change);
  return h.li(
    { key: id, id: `event-${id}`, class: 'event' },
    h.div(
      { class: 'line' },
      coverPart(place),
      h.div(
        { class: 'grow' },
        h.p(name(title), marksOf(job, change)),
        soft(
          [...(job === null || job.total === 0 ? [] : [countsOf(job)]), fromNow(at)].join(' · '),
          job === null && change !== null && h.span({ class: 'aside' }, ` · by ${change.who}`),
          placeLink(place, title),
        ),
      ),
      change?.can_undo &&
        !asked &&
        button(app, `undo ${change.change_id}`, 'Undo', () => previewUndo(app, change.change_id), {
          about: title,
          kind: 'quiet',
        }),
    ),
    change !== null && asked && undoPart(app, change.change_id),
  );
}

/** Marks for what the title does not say. */
function marksOf(job: PageEvent['job'], change: ChangeEntry | null): Child {
  const marks: Array<readonly [string, string]> = [];
  if (job !== null && (change === null || job.status === 'cancelled')) marks.push(stateOf(job));
  if (change?.undone_by !== undefined) marks.push([change.being_undone ? 'Not undone yet' : 'Undone', '']);
  else if (change?.state === 'review') marks.push(['Someone else changed it', 'warn']);
  else if (change?.state === 'partial') marks.push(['Stopped part-way', 'warn']);
  else if (change?.state === 'rolled_back') marks.push(['Taken back', '']);
  else if (change !== null && change.state !== 'done') marks.push(['Not finished yet', '']);
  return marks.map(([words, mood]) => h.span({ key: words, class: `pill ${mood}` }, words));
}
