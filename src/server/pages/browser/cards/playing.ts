/** The player as it was when it was last read. */
import type { PagePlaying } from '../../../../domain/ownerPage.ts';
import { type App, button, card, name, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow, minutes } from '../format.ts';
import { ask } from '../session.ts';

export function playingCard(app: App): Child {
  const { playing, account } = app.state;
  if (!account.connected) return null;
  return card(
    'playing',
    'Playing',
    h.div(
      { class: 'line' },
      h.div({ class: 'grow' }, playing === null ? soft('Not checked yet.') : playingLines(playing)),
      button(
        app,
        'look',
        playing === null ? 'See what’s playing' : 'Look again',
        () => ask('player/look', {}),
        {
          kind: 'quiet',
        },
      ),
    ),
    playing !== null && positionPart(playing),
  );
}

function playingLines({ title, by, device, isPlaying, at }: PagePlaying): Child {
  if (title === null) return [h.p('Nothing was playing.'), soft(`Checked ${fromNow(at)}`)];
  return [
    h.p(h.strong(name(title))),
    h.p(
      { class: 'soft' },
      by !== null && [name(by), ', '],
      isPlaying ? 'playing' : 'paused',
      device !== null && [' on ', name(device)],
      ` ${fromNow(at)}`,
    ),
  ];
}

function positionPart(playing: PagePlaying): Child {
  const at = positionOf(playing);
  if (at === null || playing.durationMs === null || playing.title === null) return null;
  return h.div(
    { class: 'track' },
    h.progress({ max: playing.durationMs, value: at, 'aria-label': 'Position in the track' }),
    h.span({ class: 'soft' }, `${minutes(at)} of ${minutes(playing.durationMs)}`),
  );
}

/** The current position in the track; null if it is not known. */
function positionOf({ at, isPlaying, progressMs, durationMs }: PagePlaying): number | null {
  if (progressMs === null) return null;
  const passed = isPlaying ? Math.max(0, Date.now() - Date.parse(at)) : 0;
  return Math.min(progressMs + passed, durationMs ?? progressMs);
}
