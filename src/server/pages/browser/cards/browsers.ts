/** The browsers that are signed in. */
import { type App, button, card, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow } from '../format.ts';
import { ask } from '../session.ts';

export function browsersCard(app: App): Child {
  return card(
    'browsers',
    'Remembered browsers',
    soft('They open this page and approve clients without the owner code.'),
    h.ul(
      { class: 'list' },
      app.state.browsers.map((browser) =>
        h.li(
          { key: browser.id, class: 'line' },
          h.div(
            h.p(browser.label, browser.current && h.span({ class: 'pill' }, 'this one')),
            soft(`${browser.origin}, used ${fromNow(browser.lastUsedAt)}`),
          ),
          !browser.current &&
            button(app, `forget ${browser.id}`, 'Forget', () => ask('browsers/forget', { id: browser.id }), {
              about: browser.label,
              done: `${browser.label} is forgotten.`,
              kind: 'quiet',
            }),
        ),
      ),
    ),
  );
}
