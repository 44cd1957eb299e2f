/** The cards of the view "Diagnostics": the parts of the program, errors, remembered matches, limits, browsers. */
import { isoOf } from '../../../base/clock.ts';
import { hashOf } from '../../../base/digest.ts';
import { capital } from '../../../base/lists.ts';
import type { ErrorCode } from '../../../domain/errors.ts';
import { asCommandLine, remedyText } from '../../../domain/remedy.ts';
import type { PageState } from '../../owner/pageState.ts';
import { type Html, html } from '../html.ts';
import {
  button,
  card,
  command,
  count,
  entry,
  list,
  name,
  number,
  shortened,
  soft,
  told,
  when,
} from '../parts.ts';
import { wordsOfReason } from './jobs.ts';

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
    const way = remedy !== null && soft(isCommand ? command(text.replaceAll('`', '')) : told(text));
    return html`<div><dt><span class="dot ${state}" aria-hidden="true"></span>${partTitle(part)}</dt><dd><span class="hidden-text">${STATE_WORDS[state]}: </span>${told(summary)}${way}</dd></div>`;
  });
  return card('health', 'Health', html`<dl class="parts">${rows}</dl>`, soft(`relay ${report.version}`));
}

/** What the owner can do about an error; the error history stores no remedies. */
const REMEDIES: Partial<Record<ErrorCode, string>> & Record<string, string | undefined> = {
  LOGIN_REQUIRED: 'Connect the account again.',
  SCOPE_MISSING: 'Connect the account again and grant every permission.',
  FORBIDDEN: 'Spotify does not allow this for your account or your app; another request may work.',
  PREMIUM_REQUIRED: 'This needs Spotify Premium.',
  APP_OWNER_PREMIUM_REQUIRED: 'The owner of the Spotify app must have Premium.',
  USER_NOT_REGISTERED:
    'Add the account to the user list of your Spotify app, in its dashboard under User Management.',
  NO_ACTIVE_DEVICE: 'Open Spotify on a device and play something there.',
  DEVICE_NOT_FOUND: 'Open Spotify on that device.',
  RATE_LIMITED: 'Wait: Health shows what is blocked, and jobs continue by themselves.',
  QUOTA_EXCEEDED: 'Wait until the daily quota resets. Jobs continue by themselves.',
  PROVIDER_UNAVAILABLE: 'Check the network connection. If it works, Spotify is down; try again later.',
  PROVIDER_TIMEOUT: 'Check the network connection. If it works, Spotify is slow; try again later.',
  PROVIDER_INVALID_RESPONSE: 'If it keeps happening, look for a newer version of relay.',
  NOT_FOUND: 'The item does not exist, or Spotify does not show it to apps.',
};

export function errorsCard({ errors }: PageState): Html {
  const rows = errors.map(({ code, method, path, message, lastSeenAt, occurrences }) => {
    const times = occurrences > 1 && `, ${count(occurrences, 'time')}`;
    const remedy = html`<p>${told(REMEDIES[code] ?? '')}</p>`;
    return html`<li><p><strong>${told(message, 400)}</strong></p>${code in REMEDIES && remedy}${soft(`${method} ${path}, `, when(isoOf(lastSeenAt)), times)}</li>`;
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
  const { requests24h: total } = report.rateLimits;
  const rows = Object.entries(requests).map(
    ([scope, some]) => html`<div><dt>${scope}</dt><dd>${number(some)}</dd></div>`,
  );
  const all = soft(`${count(total, 'request')} in the last 24 hours`);
  return card(
    'limits',
    'Requests to Spotify',
    blocked,
    all,
    total > 0 && html`<dl class="parts">${rows}</dl>`,
  );
}

export function browsersCard({ browsers }: PageState): Html {
  const rows = browsers.map(({ id, label, isThis, origin, lastUsedAt }) => {
    const about = [
      html`<p>${name(label)}${isThis && html` <span class="pill">this one</span>`}</p>`,
      // Viewing the page is a use too, and should rarely draw the card again.
      soft(origin, ', used ', when(`${lastUsedAt.slice(0, 16)}Z`)),
    ];
    const forget = button('Forget', 'browsers/forget', { id }, { about: label });
    return entry(`browser-${id}`, about, !isThis && forget);
  });
  const what = soft('They open this page and approve clients without the owner code.');
  return card('browsers', 'Remembered browsers', what, list(rows));
}

export function rememberedCard({ remembered: { items, left } }: PageState): Html | null {
  if (items.length === 0) return null;
  const rows = items.map(({ key, words, track, by, namesDiffer, at }) => {
    const about = [
      html`<p>${name(words)}${namesDiffer && html` <span class="pill">names differ</span>`}</p>`,
      soft(name(track), ' · settled by ', name(by), ', ', when(at)),
    ];
    const forget = button('Forget', 'remembered/forget', { key }, { about: words });
    return entry(`match-${hashOf(key).slice(0, 8)}`, about, forget);
  });
  const what = soft('The tracks that relay uses for a title and an artist without searching.');
  const all = list(shortened(rows, left, 'remembered', 'remembered matches'));
  return card('remembered', 'Remembered matches', what, all);
}
