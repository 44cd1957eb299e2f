/** What relay has changed, and taking it back. */
import type { ChangeEntry, UndoAnswer } from '../../../../domain/localApi.ts';
import { type App, button, card, name, problemOf, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow } from '../format.ts';
import { ask, Refused } from '../session.ts';

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
  const title = change.what.charAt(0).toUpperCase() + change.what.slice(1);
  return h(
    'li',
    { key: change.change_id },
    h(
      'div',
      { class: 'line' },
      h(
        'div',
        null,
        h('p', null, name(title)),
        soft(`${fromNow(change.at)}, by ${change.who}`, stateWords(change)),
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

function previewWords({ summary, added, taken, notes }: UndoAnswer): string[] {
  return [summary, ...songWords(added, 'Back'), ...songWords(taken, 'Gone'), ...notes];
}

function songWords({ count: all, first }: UndoAnswer['added'], what: string): string[] {
  if (first.length === 0) return [];
  const more = all - first.length;
  return [`${what}: ${first.join('; ')}${more > 0 ? ` and ${count(more, 'more', 'more')}` : ''}`];
}

function doneWords(answer: UndoAnswer): string {
  return answer.job_id === undefined ? answer.summary : 'Undoing continues as a job.';
}
