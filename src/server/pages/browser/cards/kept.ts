/** Kept playlists: what each follows, when it runs next, what the last run did, and what to do about it. */
import {
  isApprovable,
  isEmptyPreview,
  type KeepAction,
  type KeepPreview,
  type KeepRecord,
} from '../../../../domain/keep.ts';
import { type App, button, card, list, name, row, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, number, short, timeOf } from '../format.ts';
import { ask } from '../session.ts';

export function keptCard(app: App): Child {
  const { kept } = app.state;
  if (kept.length === 0) return null;
  return card(
    'kept',
    'Kept playlists',
    list(kept.map((keep) => h.li({ key: keep.id ?? keep.name }, keptRow(app, keep)))),
  );
}

function keptRow(app: App, keep: KeepRecord): Child {
  const { status, reason, sql, rule, every, last_run_at, last_result, next_run_at } = keep;
  const isOpen = status === 'review' || status === 'waiting';
  return [
    h.p(name(keep.name), status !== 'active' && h.span({ class: 'pill' }, WORDS[status])),
    isOpen && reason !== undefined && h.p({ class: 'warn' }, reason),
    h.p({ class: 'soft', title: sql }, rule ?? h.code(short(sql, 200))),
    soft(
      `Every ${every}`,
      next_run_at !== null && `, next ${timeOf(next_run_at)}`,
      last_run_at !== null && `. Last run ${fromNow(last_run_at)}: ${last_result ?? 'nothing written'}`,
      '.',
    ),
    row(
      acting(app, 'kept', keep, 'run', 'Run now'),
      status === 'paused'
        ? acting(app, 'kept', keep, 'resume', 'Resume')
        : acting(app, 'kept', keep, 'pause', 'Pause'),
      acting(app, 'kept', keep, 'stop', 'Stop', 'Stop keeping it'),
    ),
  ];
}

const WORDS = {
  active: 'Active',
  waiting: 'Waiting',
  review: 'To review',
  paused: 'Paused',
  stopped: 'Stopped',
} as const;

/** @param card where the button is: a second one elsewhere must not ask as well */
function acting(
  app: App,
  card: 'kept' | 'needs',
  keep: KeepRecord,
  action: KeepAction,
  text: string,
  confirm?: string,
): Child {
  const id = keep.id ?? '';
  return button(app, `${card} ${action} ${id}`, text, () => ask('keeps/act', { id, action }), {
    about: keep.name,
    kind: 'quiet',
    ...(confirm === undefined ? {} : { confirm }),
  });
}

/** The kept playlists whose next run a person has to approve, for the card "Needs you". */
export function keptNeeds(app: App): Child[] {
  return app.state.kept
    .filter(({ status }) => status === 'review')
    .map((keep) =>
      h.li(
        { key: `kept ${keep.id}` },
        h.p(name(keep.name), ': ', keep.reason ?? 'a run waits for your review.'),
        keep.preview !== undefined && !isEmptyPreview(keep.preview) && soft(wouldHave(keep.preview)),
        row(
          isApprovable(keep)
            ? acting(app, 'needs', keep, 'accept', 'Approve once', 'Approve it now')
            : acting(app, 'needs', keep, 'run', 'Try again'),
          acting(app, 'needs', keep, 'stop', 'Stop', 'Stop keeping it'),
        ),
      ),
    );
}

function wouldHave({ total, added_count, removed_count, moved_count = 0, left_out }: KeepPreview): string {
  const moved = moved_count === 0 ? '' : `, ${number(moved_count)} moved`;
  const left = left_out === 0 ? '' : ` ${count(left_out, 'row')} left out.`;
  return `It would have ${count(total, 'song')}: ${number(added_count)} added, ${number(removed_count)} removed${moved}.${left}`;
}
