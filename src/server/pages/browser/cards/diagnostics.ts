/** The cards of the view "Diagnostics": the parts of the program, errors, limits, browsers and remembered matches. */
import { capital } from '../../../../base/lists.ts';
import type { PageLimits } from '../../../../domain/ownerPage.ts';
import { inputWords } from '../../../../domain/settling.ts';
import { type App, button, card, command, entry, isolated, list, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, number, short, timeOf, withLocalTimes, wordsOfReason } from '../format.ts';
import { ask, RELAY } from '../session.ts';

/** Titles of the parts whose key would not do as a title. */
const PART_NAMES: Readonly<Record<string, string>> = {
  mcp: 'MCP',
  rate_limits: 'Limits',
  kept: 'Kept playlists',
};

export function partTitle(part: string): string {
  return PART_NAMES[part] ?? capital(part);
}

const STATE_WORDS = { ok: 'fine', warning: 'note', bad: 'bad', off: 'off' } as const;

/** The state of each part of the program, with what to do about a problem. */
export function healthCard(app: App): Child {
  return card(
    'health',
    'Health',
    h.dl(
      { class: 'parts' },
      app.state.parts.map((part) =>
        h.div(
          { key: part.part },
          h.dt(h.span({ class: `dot ${part.state}`, 'aria-hidden': 'true' }), partTitle(part.part)),
          h.dd(
            h.span({ class: 'hidden-text' }, `${STATE_WORDS[part.state]}: `),
            isolated(short(withLocalTimes(part.summary), 300), app.state.account.name),
            part.remedy !== null &&
              h.p(
                { class: 'soft' },
                part.remedy.command === null ? withCode(part.remedy.text) : command(app, part.remedy.command),
              ),
          ),
        ),
      ),
    ),
    soft(`relay ${app.state.version}`),
  );
}

/** Errors from Spotify that no later success has resolved. */
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

/** Requests of the last 24 hours by scope, and what is blocked. */
export function limitsCard({ state }: App): Child {
  const { limits } = state;
  const total = limits.scopes.reduce((sum, { total: some }) => sum + some, 0);
  const highest = Math.max(1, ...limits.scopes.flatMap(({ hours }) => hours));
  return card(
    'limits',
    'Requests to Spotify',
    limits.blocked.map(({ scope, until, reason }) =>
      h.p(
        { class: 'notice', key: scope },
        h.strong(`${scope} is blocked`),
        ` until ${timeOf(until)} (${fromNow(until)})${reason === null ? '' : `: ${wordsOfReason(reason)}`}. ${scope === 'login' ? 'No request works until then, or until you connect again.' : 'Other requests continue.'}`,
      ),
    ),
    total === 0
      ? soft('No requests in the last 24 hours.')
      : h.table(
          { class: 'chart' },
          h.caption({ class: 'soft' }, `${count(total, 'request')} in the last 24 hours, by the hour`),
          h.tbody(limits.scopes.map((scope) => chartRow(scope, highest))),
        ),
  );
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

/** The browsers that are signed in. */
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

/** The matches that were remembered. */
export function rememberedCard(app: App): Child {
  const { remembered, rememberedTotal } = app.state;
  if (remembered.length === 0) return null;
  return card(
    'remembered',
    'Remembered matches',
    soft('The tracks that relay uses for a title and an artist without searching.'),
    list(
      remembered.map(({ id, confirmed, track, by, at, ...song }) =>
        entry(
          id,
          [
            h.p(inputWords(song), confirmed && h.span({ class: 'pill' }, 'names differ')),
            soft(`${track.name} by ${track.artists}; ${by}, ${fromNow(at)}`),
          ],
          button(app, `forget ${id}`, 'Forget', () => ask('remembered/forget', { id }), {
            about: song.title || inputWords(song),
            done: `${song.title || inputWords(song)} is forgotten.`,
            kind: 'quiet',
          }),
        ),
      ),
    ),
    rememberedTotal > remembered.length &&
      soft(
        `And ${number(rememberedTotal - remembered.length)} more: `,
        h.code(`${RELAY} remembered`),
        ' lists them.',
      ),
  );
}
