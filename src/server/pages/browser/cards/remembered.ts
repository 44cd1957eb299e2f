/** The matches that were remembered. */
import { type App, button, card, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow } from '../format.ts';
import { ask } from '../session.ts';

export function rememberedCard(app: App): Child {
  const { remembered, rememberedTotal } = app.state;
  if (remembered.length === 0) return null;
  return card(
    'remembered',
    'Remembered matches',
    soft('The track that relay takes for a title and an artist, without searching.'),
    h.ul(
      { class: 'list' },
      remembered.map((match) =>
        h.li(
          { key: match.id, class: 'line' },
          h.div(
            h.p(`${match.title} by ${match.artist}`, match.confirmed && h.span({ class: 'pill' }, 'differs')),
            soft(`${match.track.name} by ${match.track.artists}; ${match.by}, ${fromNow(match.at)}`),
          ),
          button(app, `forget ${match.id}`, 'Forget', () => ask('remembered/forget', { id: match.id }), {
            about: match.title,
            done: `${match.title} is forgotten.`,
            kind: 'quiet',
          }),
        ),
      ),
    ),
    rememberedTotal > remembered.length &&
      soft(`And ${rememberedTotal - remembered.length} more: relay remembered lists them.`),
  );
}
