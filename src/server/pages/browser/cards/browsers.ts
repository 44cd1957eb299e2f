/** The browsers that are signed in. */
import { type App, button, card, entry, list, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow } from '../format.ts';
import { ask } from '../session.ts';

export function browsersCard(app: App): Child {
  return card(
    'browsers',
    'Remembered browsers',
    soft('They open this page and approve clients without the owner code.'),
    list(
      app.state.browsers.map(({ id, label, current, origin, lastUsedAt }) =>
        entry(
          id,
          [
            h.p(label, current && h.span({ class: 'pill' }, 'this one')),
            soft(`${origin}, used ${fromNow(lastUsedAt)}`),
          ],
          !current &&
            button(app, `forget ${id}`, 'Forget', () => ask('browsers/forget', { id }), {
              about: label,
              done: `${label} is forgotten.`,
              kind: 'quiet',
            }),
        ),
      ),
    ),
  );
}
