/** The matches that were remembered. */
import { type App, button, card, entry, list, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow } from '../format.ts';
import { ask } from '../session.ts';

export function rememberedCard(app: App): Child {
  const { remembered, rememberedTotal } = app.state;
  if (remembered.length === 0) return null;
  return card(
    'remembered',
    'Remembered matches',
    soft('The tracks that relay uses for a title and an artist without searching.'),
    list(
      remembered.map(({ id, title, artist, confirmed, track, by, at }) =>
        entry(
          id,
          [
            h.p(`${title} by ${artist}`, confirmed && h.span({ class: 'pill' }, 'differs')),
            soft(`${track.name} by ${track.artists}; ${by}, ${fromNow(at)}`),
          ],
          button(app, `forget ${id}`, 'Forget', () => ask('remembered/forget', { id }), {
            about: title,
            done: `${title} is forgotten.`,
            kind: 'quiet',
          }),
        ),
      ),
    ),
    rememberedTotal > remembered.length &&
      soft(`And ${rememberedTotal - remembered.length} more: relay remembered lists them.`),
  );
}
