/** Errors of Spotify that no later success has ended. */
import { type App, card, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, withLocalTimes } from '../format.ts';

export function errorsCard({ state }: App): Child {
  return card(
    'errors',
    'Recent errors',
    state.errors.length === 0
      ? soft('No unresolved errors.')
      : h.ul(
          { class: 'list' },
          state.errors.map((error) =>
            h.li(
              { key: `${error.code} ${error.request}` },
              h.p(h.strong(withLocalTimes(error.message))),
              error.remedy !== null && h.p(withCode(error.remedy)),
              soft(
                `${error.request}, ${fromNow(error.at)}${error.occurrences > 1 ? `, ${count(error.occurrences, 'time')}` : ''}`,
              ),
            ),
          ),
        ),
  );
}
