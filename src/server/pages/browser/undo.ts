/** Undoes a change, after showing what the undo would do. */
import type { ChangeEntry, UndoAnswer } from '../../../domain/localApi.ts';
import { type App, button, plainButton, problemOf, row, soft } from './app.ts';
import { type Child, h } from './dom.ts';
import { number } from './format.ts';
import { ask, hasCode } from './session.ts';

/** True if the person has asked what undoing the change does. Another tab may have undone it meanwhile. */
export function isAskedToUndo({ doing }: App, { change_id, can_undo }: ChangeEntry): boolean {
  return doing.undo?.change === change_id && (can_undo || isUnderWay(doing));
}

const isUnderWay = ({ busy }: App['doing']) => busy.has(UNDO) || busy.has(FORCE);

/** Names of the actions. */
const [UNDO, FORCE] = ['undo now', 'undo force'];

export function undoPart(app: App, change: string): Child {
  const { doing } = app;
  const asked = doing.undo;
  if (asked === null || asked.change !== change) return null;
  const undo = (force: boolean) => async () => {
    try {
      const answer = await ask('changes/undo', { change, force, dryRun: false });
      doing.undo = null;
      app.tell(doneWords(answer));
    } catch (error) {
      if (!hasCode(error, 'CONFLICT')) {
        // A part may be undone by now, so the preview may not be right any more.
        doing.undo = null;
        throw error;
      }
      // The playlist has changed since the preview. A new preview may ask whether to undo anyway.
      await previewUndo(app, change);
      if (doing.undo?.conflict == null) throw error;
    }
  };
  if (asked.preview === null && asked.conflict === null) return soft('Reading what would be undone …');
  return h.div(
    {
      id: 'undo-asked',
      class: 'notice',
      tabindex: '-1',
      role: 'group',
      'aria-label': 'What undoing it does',
    },
    asked.conflict !== null && h.p(asked.conflict),
    asked.preview !== null && h.ul(asked.preview.map((line) => h.li({ key: line }, line))),
    row(
      asked.conflict === null
        ? button(app, UNDO, 'Undo now', undo(false), { kind: 'primary' })
        : button(app, FORCE, 'Undo anyway', undo(true), { kind: 'danger' }),
      !isUnderWay(doing) && plainButton('Keep it', () => app.set({ undo: null })),
    ),
  );
}

export async function previewUndo(app: App, change: string): Promise<void> {
  const { doing } = app;
  app.set({ undo: { change, preview: null, conflict: null } });
  try {
    const answer = await ask('changes/undo', { change, force: false, dryRun: true });
    doing.undo = { change, preview: previewWords(answer), conflict: null };
  } catch (error) {
    const isForceable =
      hasCode(error, 'CONFLICT') && ('present_count' in error.details || 'expected' in error.details);
    doing.undo = isForceable ? { change, preview: null, conflict: problemOf(error) } : null;
    if (!isForceable) throw error;
  }
  // The button that was pressed is gone, so people who use the keyboard continue here.
  app.redraw();
  document.getElementById('undo-asked')?.focus();
}

function previewWords({ summary, added, taken, notes }: UndoAnswer): string[] {
  return [summary, ...songWords(added, 'Back'), ...songWords(taken, 'Gone'), ...notes];
}

function songWords({ count: all, first }: UndoAnswer['added'], what: string): string[] {
  if (first.length === 0) return [];
  const more = all - first.length;
  return [`${what}: ${first.join('; ')}${more > 0 ? ` and ${number(more)} more` : ''}`];
}

function doneWords(answer: UndoAnswer): string {
  return answer.job_id === undefined ? answer.summary : 'Undoing continues as a job.';
}
