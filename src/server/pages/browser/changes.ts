/** What relay has changed, and taking it back. */
import type { ChangeEntry, UndoAnswer } from '../../../domain/localApi.ts';
import { type App, button, card, name, problemOf, soft } from './app.ts';
import { type Child, h } from './dom.ts';
import { count, fromNow } from './format.ts';
import { ask, Refused } from './session.ts';

const WHAT: Readonly<Record<ChangeEntry['kind'], (change: ChangeEntry) => string>> = {
  add: ({ written }) => `Added ${count(written, 'track')}`,
  remove: ({ written }) => `Removed ${count(written, 'track')}`,
  reorder: () => 'Changed the order',
  replace: ({ written }) => `Replaced all with ${count(written, 'track')}`,
  deduplicate: ({ written }) => `Removed ${count(written, 'duplicate')}`,
  create: ({ written }) => `Created a playlist with ${count(written, 'track')}`,
  delete: () => 'Deleted a playlist',
  details: () => 'Changed the details',
  save: ({ written }) => `Saved ${count(written, 'track')}`,
  unsave: ({ written }) => `Removed ${count(written, 'saved track')}`,
  undo: () => 'Took a change back',
};

export function changesCard(app: App): Child {
  const { changes, changesTotal } = app.state;
  return card(
    'changes',
    'Changes',
    changes.length === 0
      ? soft('What relay writes to your playlists and library is listed here, and can be undone for 30 days.')
      : h(
          'ul',
          { class: 'list' },
          changes.map((change) => changeRow(app, change)),
        ),
    changesTotal > changes.length &&
      soft(`${count(changesTotal - changes.length, 'older change')}: relay history`),
  );
}

function changeRow(app: App, change: ChangeEntry): Child {
  const { doing } = app;
  const asked = doing.undo?.change === change.change_id ? doing.undo : null;
  const title = WHAT[change.kind](change);
  return h(
    'li',
    { key: change.change_id },
    h(
      'div',
      { class: 'line' },
      h(
        'div',
        null,
        h('p', null, title, ' ', target(change)),
        soft(`${fromNow(change.at)}, by ${askedBy(change.asked_by)}`, stateWords(change)),
      ),
      change.can_undo &&
        asked === null &&
        button(app, `undo ${change.change_id}`, 'Undo', () => preview(app, change.change_id), {
          about: `${title}, ${fromNow(change.at)}`,
          kind: 'quiet',
        }),
    ),
    asked !== null && undoPart(app, change.change_id),
  );
}

function target(change: ChangeEntry): Child {
  if (change.playlist_id === null) return h('span', { class: 'soft' }, 'in your library');
  return change.playlist_name === undefined
    ? h('span', { class: 'soft' }, 'in ', h('code', null, change.playlist_id))
    : [h('span', { class: 'soft' }, 'in '), name(change.playlist_name)];
}

/** `tool NAME`, `job ID` or a command. */
function askedBy(text: string): string {
  return text.startsWith('job ') ? 'a job' : text.replace(/^tool /, '');
}

function stateWords(change: ChangeEntry): string {
  if (change.undone_by !== undefined) return ', undone';
  if (change.state === 'done' || change.state === 'unchanged') return '';
  if (change.state === 'review') return ', stopped: someone else changed the playlist';
  if (change.state === 'partial') return ', stopped part-way';
  if (change.state === 'rolled_back') return ', taken back';
  return ', not finished yet';
}

function undoPart(app: App, change: string): Child {
  const { doing } = app;
  const asked = doing.undo;
  if (asked === null || asked.change !== change) return null;
  const close = () => {
    doing.undo = null;
    app.redraw();
  };
  const undo = (force: boolean) => async () => {
    const answer = await ask('changes/undo', { change, force, dryRun: false });
    doing.undo = null;
    app.tell(doneWords(answer));
  };
  if (asked.preview === null && asked.conflict === null) return soft('Reading what would be undone …');
  return h(
    'div',
    { class: 'notice' },
    asked.conflict !== null && h('p', null, asked.conflict),
    asked.preview !== null &&
      h(
        'ul',
        null,
        asked.preview.map((line) => h('li', { key: line }, line)),
      ),
    h(
      'div',
      { class: 'row' },
      asked.conflict === null
        ? button(app, 'undo now', 'Undo now', undo(false), { kind: 'primary' })
        : button(app, 'undo force', 'Undo anyway', undo(true), { kind: 'danger' }),
      h('button', { type: 'button', class: 'quiet', onclick: close }, 'Keep it'),
    ),
  );
}

async function preview(app: App, change: string): Promise<void> {
  const { doing } = app;
  doing.undo = { change, preview: null, conflict: null };
  app.redraw();
  try {
    const answer = await ask('changes/undo', { change, force: false, dryRun: true });
    doing.undo = { change, preview: previewWords(answer), conflict: null };
  } catch (error) {
    const isConflict = error instanceof Refused && error.code === 'CONFLICT';
    doing.undo = isConflict ? { change, preview: null, conflict: problemOf(error) } : null;
    if (!isConflict) throw error;
  }
}

function previewWords({ rows, removed, requests, notes }: UndoAnswer): string[] {
  return [
    ...(rows === null ? [] : [`The playlist has ${count(rows, 'row')} afterwards.`]),
    ...(removed === null || removed === 0
      ? []
      : [`${count(removed, 'row')} ${removed === 1 ? 'goes' : 'go'} away.`]),
    `It takes ${count(requests, 'request')}.`,
    ...notes,
  ];
}

function doneWords(answer: UndoAnswer): string {
  return answer.job_id === undefined ? 'Undone.' : 'Undoing continues as a job.';
}
