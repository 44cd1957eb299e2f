/** The cards of the view "Diagnostics": the parts of the program, errors, limits, browsers and remembered matches. */
import { isoOf } from '../../../base/clock.ts';
import { capital } from '../../../base/lists.ts';
import { asCommandLine, remedyText } from '../../../domain/remedy.ts';
import { inputWords } from '../../../domain/settling.ts';
import { ERROR_REMEDIES } from '../../owner/errorRemedies.ts';
import type { PageState } from '../../owner/pageState.ts';
import { type Html, html } from '../html.ts';
import { button, card, command, count, entry, list, more, name, number, soft, told, when } from '../parts.ts';
import { wordsOfReason } from './jobs.ts';

/** Titles of the parts whose key would not do as a title. */
const PART_NAMES: Readonly<Record<string, string>> = {
  mcp: 'MCP',
  rate_limits: 'Limits',
  kept: 'Kept playlists',
  jobs: 'Lists',
};

export function partTitle(part: string): string {
  return PART_NAMES[part] ?? capital(part);
}

const STATE_WORDS = { ok: 'fine', warning: 'note', bad: 'bad', off: 'off' } as const;

/** The state of each part of the program, with what to do about a problem. */
export function healthCard({ report, style }: PageState): Html {
  const rows = report.entries.map(({ part, state, summary, remedy }) => {
    const text = remedy === null ? '' : remedyText(remedy, style);
    const isCommand = remedy !== null && asCommandLine(remedy)?.rest === '';
    const way =
      remedy !== null &&
      html`<p class="soft">${isCommand ? command(text.replaceAll('`', '')) : told(text)}</p>`;
    return html`<div><dt><span class="dot ${state}" aria-hidden="true"></span>${partTitle(part)}</dt><dd><span class="hidden-text">${STATE_WORDS[state]}: </span>${told(summary)}${way}</dd></div>`;
  });
  return card('health', 'Health', html`<dl class="parts">${rows}</dl>`, soft(`relay ${report.version}`));
}

/** Errors from Spotify that no later success has resolved. */
export function errorsCard({ errors }: PageState): Html {
  const rows = errors.map(({ code, method, path, message, lastSeenAt, occurrences }) => {
    const remedy = ERROR_REMEDIES[code];
    const times = occurrences > 1 && `, ${count(occurrences, 'time')}`;
    return html`<li><p><strong>${told(message, 400)}</strong></p>${remedy !== undefined && html`<p>${told(remedy)}</p>`}${soft(`${method} ${path}, `, when(isoOf(lastSeenAt)), times)}</li>`;
  });
  return card('errors', 'Recent errors', list(rows, 'No unresolved errors.'));
}

/** Requests of the last 24 hours by scope, and what is blocked. */
export function limitsCard({ requests, report }: PageState): Html {
  const blocked = report.rateLimits.blocked.map(({ scope, blockedUntil, reason }) => {
    const rest =
      scope === 'login'
        ? 'No request works until then, or until you connect again.'
        : 'Other requests continue.';
    return html`<p class="notice"><strong>${scope} is blocked</strong> until ${when(blockedUntil, 'time')} (${when(blockedUntil)})${reason !== null && `: ${wordsOfReason(reason)}`}. ${rest}</p>`;
  });
  const scopes = Object.entries(requests).map(
    ([scope, hours]) => [scope, hours.reduce((sum, some) => sum + some, 0)] as const,
  );
  const total = scopes.reduce((sum, [, some]) => sum + some, 0);
  const rows = scopes.map(
    ([scope, some]) =>
      html`<tr><th scope="row">${scope}</th><td><meter min="0" max="${Math.max(1, total)}" value="${some}" aria-label="${scope}"></meter></td><td class="count">${number(some)}</td></tr>`,
  );
  const table = html`<table class="chart"><caption class="soft">${count(total, 'request')} in the last 24 hours</caption><tbody>${rows}</tbody></table>`;
  return card(
    'limits',
    'Requests to Spotify',
    blocked,
    total === 0 ? soft('No requests in the last 24 hours.') : table,
  );
}

/** The browsers that are signed in. */
export function browsersCard({ browsers }: PageState): Html {
  const rows = browsers.map(({ id, label, isThis, origin, lastUsedAt }) => {
    const about = [
      html`<p>${name(label)}${isThis && html` <span class="pill">this one</span>`}</p>`,
      // Viewing the page is a use too, and should rarely draw the card again.
      soft(origin, ', used ', when(`${lastUsedAt.slice(0, 16)}Z`)),
    ];
    return entry(
      `browser-${id}`,
      about,
      !isThis && button('Forget', 'browsers/forget', { id }, { about: label }),
    );
  });
  return card(
    'browsers',
    'Remembered browsers',
    soft('They open this page and approve clients without the owner code.'),
    list(rows),
  );
}

/** The matches that were remembered. */
export function rememberedCard({ remembered, rememberedTotal }: PageState): Html | null {
  if (remembered.length === 0) return null;
  const rows = remembered.map(({ id, confirmed, track, by, at, ...song }) => {
    const text = inputWords(song);
    const about = [
      html`<p>${name(text)}${confirmed && html` <span class="pill">names differ</span>`}</p>`,
      soft(name(`${track.name} by ${track.artists}`), '; ', name(by), ', ', when(at)),
    ];
    return entry(`match-${id}`, about, button('Forget', 'remembered/forget', { id }, { about: text }));
  });
  const left = rememberedTotal - remembered.length;
  return card(
    'remembered',
    'Remembered matches',
    soft('The tracks that relay uses for a title and an artist without searching.'),
    list(rows),
    left > 0 && more('remembered', 'remembered matches', left),
  );
}
