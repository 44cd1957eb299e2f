/** The player as it was when something asked for it last. */
import type { PagePlaying } from '../../../../domain/ownerPage.ts';
import { type App, button, card, name, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow, minutes } from '../format.ts';
import { ask } from '../session.ts';

export function playingCard(app: App): Child {
  const { playing, account } = app.state;
  if (!account.connected) return null;
  const look = button(app, 'look', 'Look now', () => ask('player/look', {}), { kind: 'quiet' });
  if (playing === null) {
    return card(
      'playing',
      'Playing',
      soft('Nothing has been read from Spotify yet. This takes one request.'),
      h('div', { class: 'row' }, look),
    );
  }
  const at = positionOf(playing);
  return card(
    'playing',
    'Playing',
    playing.title === null
      ? h('p', null, 'Nothing was playing.')
      : [
          h('p', { class: 'big' }, name(playing.title)),
          h(
            'p',
            { class: 'soft' },
            playing.by !== null && name(playing.by),
            playing.device !== null && [' on ', name(playing.device)],
          ),
          at !== null &&
            playing.durationMs !== null &&
            h(
              'div',
              { class: 'track' },
              h('progress', { max: playing.durationMs, value: at, 'aria-label': 'Position in the track' }),
              h('span', { class: 'soft' }, `${minutes(at)} of ${minutes(playing.durationMs)}`),
            ),
        ],
    h(
      'div',
      { class: 'row' },
      look,
      h(
        'span',
        { class: 'soft' },
        `${playing.title === null ? 'Looked' : playing.isPlaying ? 'Playing, seen' : 'Paused, seen'} ${fromNow(playing.at)}`,
      ),
    ),
  );
}

/** Where the track has come to since; null where that is not known. */
function positionOf({ at, isPlaying, progressMs, durationMs }: PagePlaying): number | null {
  if (progressMs === null) return null;
  const passed = isPlaying ? Math.max(0, Date.now() - Date.parse(at)) : 0;
  return Math.min(progressMs + passed, durationMs ?? progressMs);
}
