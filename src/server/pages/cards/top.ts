/** The first line of the page: whether all is well, what is playing, and the ways from here. */
import type { StatusEntry } from '../../../domain/localApi.ts';
import type { PageState, View } from '../../owner/pageState.ts';
import { type Html, html, type Value } from '../html.ts';
import { button, menu, name } from '../parts.ts';
import { partTitle } from './diagnostics.ts';
import { showsSteps } from './steps.ts';

/** How long the player is believed to be where it was read, beyond the end of the song. */
const GRACE_MS = 2_000;

export function topPart(state: PageState): Html {
  return html`<div id="top" class="top"><div class="grow">${statusPart(state)}${playingPart(state)}</div>
<nav class="row" aria-label="Views">${viewLink(state, 'home', 'Home')}${viewLink(state, 'diagnostics', 'Diagnostics')}${menu(
    'More',
    'this page',
    state.report.account.connected && button('What is playing?', 'player/look', {}),
    button(state.covers ? 'Hide covers' : 'Show covers', 'covers/choose', { show: !state.covers }),
    button('Sign out', 'sign-out', {}),
  )}</nav>${autoLook(state)}</div>`;
}

function viewLink({ view }: PageState, to: View, text: string): Html {
  return html`<a href="#${to}" id="to-${to}"${view === to && html` aria-current="page"`}>${text}</a>`;
}

/** The state of relay in words that name the worst part of it, and lead there. */
function statusPart(state: PageState): Html {
  const { entries, account } = state.report;
  const bad = entries.filter((entry) => entry.state === 'bad');
  const warnings = entries.filter((entry) => entry.state === 'warning');
  const [worst, ...others] = [...bad, ...warnings];
  if (!worst)
    return html`<h1 class="status"><span class="dot ok" aria-hidden="true"></span>relay is running</h1>`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const words = !account.connected ? accountWords(account.reauthorizationRequired) : wordsOf(worst);
  const waits = showsSteps(state) ? '#steps' : '#needs';
  const to = ['account', 'kept', 'jobs'].includes(worst.part) ? waits : '#diagnostics';
  return html`<h1 class="status"><span class="dot ${worst.state}" aria-hidden="true"></span><a href="${to}">${words}${more}</a></h1>`;
}

function accountWords(hasEnded: boolean): string {
  return hasEnded ? 'Spotify has ended the login' : 'No Spotify account is connected';
}

const WARNINGS: Partial<Record<StatusEntry['part'], string>> = {
  account: 'The login needs you',
  database: 'The state cannot be saved',
  errors: 'A request to Spotify failed',
  jobs: 'A list waits for your decision',
  kept: 'A kept playlist waits for you',
  rate_limits: 'Spotify asks relay to wait',
};

function wordsOf({ part }: StatusEntry): string {
  return WARNINGS[part] ?? `${partTitle(part)} needs attention`;
}

/** What is playing, if that is still true; otherwise nothing. */
function playingPart({ playing, now, report }: PageState): Value {
  const { state = null, at = 0 } = playing ?? {};
  if (!report.account.connected || state?.item == null || !state.is_playing) return null;
  const { item, progress_ms: done, device } = state;
  if (done === null || item.duration_ms === null) return null;
  if (now > at + item.duration_ms - done + GRACE_MS) return null;
  const by =
    'artists' in item ? item.artists.map((artist) => artist.name).join(', ') : (item.show.name ?? '');
  return html`<p class="playing"><span aria-hidden="true">♪</span> ${name(item.name)}${by !== '' && [' by ', name(by)]}${
    device !== null && html`<span class="soft"> on ${name(device.name, 60)}</span>`
  }</p>`;
}

/** What the page asks by itself: the player, if relay has started something, and names of playlists that it does not know. */
function autoLook({ playing, unnamed, report: { account } }: PageState): Value {
  if (!account.connected) return null;
  const names = unnamed.slice(0, 50);
  return [
    playing?.isDue === true &&
      html`<i hidden data-auto="player/look" data-given="${JSON.stringify({ since: playing.at })}"></i>`,
    names.length > 0 &&
      html`<i hidden data-auto="playlists/names" data-given="${JSON.stringify({ ids: names })}"></i>`,
  ];
}
