/** Errors of Spotify that no later success has ended. */
import { type App, card, list, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, withLocalTimes } from '../format.ts';

export function errorsCard({ state }: App): Child {
  return card(
    'errors',
    'Recent errors',
    list(
      state.errors.map(({ code, request, message, remedy, at, occurrences }) =>
        h.li(
          { key: `${code} ${request}` },
          h.p(h.strong(withLocalTimes(message))),
          remedy !== null && h.p(withCode(remedy)),
          soft(`${request}, ${fromNow(at)}`, occurrences > 1 && `, ${count(occurrences, 'time')}`),
        ),
      ),
      'No unresolved errors.',
    ),
  );
}
