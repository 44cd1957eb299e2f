/** Requests of the last 24 hours by scope, and what is blocked. */
import type { PageLimits } from '../../../../domain/ownerPage.ts';
import { type App, card, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, number, timeOf, wordsOfReason } from '../format.ts';

export function limitsCard({ state }: App): Child {
  const { limits } = state;
  const total = limits.scopes.reduce((sum, { total: some }) => sum + some, 0);
  return card(
    'limits',
    'Requests to Spotify',
    limits.blocked.map(({ scope, until, reason }) =>
      h.p(
        { class: 'notice', key: scope },
        h.strong(`${scope} is blocked`),
        ` until ${timeOf(until)} (${fromNow(until)})${reason === null ? '' : `: ${wordsOfReason(reason)}`}. Other requests continue.`,
      ),
    ),
    total === 0
      ? soft('No requests in the last 24 hours.')
      : h.table(
          { class: 'chart' },
          h.caption({ class: 'soft' }, `${count(total, 'request')} in the last 24 hours, by the hour`),
          h.tbody(limits.scopes.map((scope) => chartRow(scope, highest(limits)))),
        ),
  );
}

function highest({ scopes }: PageLimits): number {
  return Math.max(1, ...scopes.flatMap(({ hours }) => hours));
}

const BAR = 6;
const HEIGHT = 24;

function chartRow({ scope, total, hours }: PageLimits['scopes'][number], max: number): Child {
  return h.tr(
    { key: scope },
    h.th({ scope: 'row' }, scope),
    h.td(
      h.svg(
        {
          viewBox: `0 0 ${hours.length * BAR} ${HEIGHT}`,
          'aria-hidden': 'true',
          preserveAspectRatio: 'none',
        },
        h.path({ class: 'base', d: `M0 ${HEIGHT - 0.5}H${hours.length * BAR}` }),
        hours.map((value, hour) => {
          const height = value === 0 ? 0 : Math.max(2, Math.round((value / max) * HEIGHT));
          return h.rect({ x: hour * BAR + 1, y: HEIGHT - height, width: BAR - 2, height, rx: 1 });
        }),
      ),
    ),
    h.td({ class: 'count' }, number(total)),
  );
}
