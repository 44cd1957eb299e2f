/** The first line of the page, and the first run as three steps. */
import type { StatusEntry } from '../../../domain/localApi.ts';
import type { PageState } from '../../owner/pageState.ts';
import { type Html, html, type Value } from '../html.ts';
import { auto, button, command, link, menu, name, row, soft } from '../parts.ts';
import { partTitle } from './diagnostics.ts';

/** How long the player is believed to be where it was read, beyond the end of the song. */
const GRACE_MS = 2_000;

/** Whether all is well, what is playing, and the ways from here. */
export function topPart(state: PageState): Html {
  const { view, report, playing, unnamed, covers } = state;
  const { connected } = report.account;
  const to = (id: string, text: string) =>
    html`<a href="#${id}" id="to-${id}"${view === id && html` aria-current="page"`}>${text}</a>`;
  return html`<div id="top" class="top"><div class="grow">${statusPart(state)}${playingPart(state)}</div>
<nav class="row" aria-label="Views">${to('home', 'Home')}${to('diagnostics', 'Diagnostics')}${menu(
    'this page',
    connected && button('What is playing?', 'player/look'),
    button(covers ? 'Hide covers' : 'Show covers', 'covers/choose', { show: !covers }),
    button('Sign out', 'sign-out'),
  )}</nav>${connected && playing?.isDue === true && auto('player/look', { since: playing.at })}${
    connected && unnamed.length > 0 && auto('playlists/names', { ids: unnamed.slice(0, 50) })
  }</div>`;
}

/** The state of relay in words that name the worst part of it, and lead there. */
function statusPart(state: PageState): Html {
  const { entries, account } = state.report;
  const [worst, ...others] = [
    ...entries.filter((entry) => entry.state === 'bad'),
    ...entries.filter((entry) => entry.state === 'warning'),
  ];
  if (!worst)
    return html`<h1 class="status"><span class="dot ok" aria-hidden="true"></span>relay is running</h1>`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const ended = account.reauthorizationRequired
    ? 'Spotify has ended the login'
    : 'No Spotify account is connected';
  const words = WARNINGS[worst.part] ?? `${partTitle(worst.part)} needs attention`;
  const waits = showsSteps(state) ? '#steps' : '#needs';
  const to = ['account', 'kept', 'jobs'].includes(worst.part) ? waits : '#diagnostics';
  return html`<h1 class="status"><span class="dot ${worst.state}" aria-hidden="true"></span><a href="${to}">${account.connected ? words : ended}${more}</a></h1>`;
}

const WARNINGS: Partial<Record<StatusEntry['part'], string>> = {
  account: 'The login needs you',
  database: 'The state cannot be saved',
  errors: 'A request to Spotify failed',
  jobs: 'A list waits for your decision',
  kept: 'A kept playlist waits for you',
  rate_limits: 'Spotify asks relay to wait',
};

/** What is playing, if that is still true; otherwise nothing. */
function playingPart({ playing, now, report }: PageState): Value {
  const { state = null, at = 0 } = playing ?? {};
  if (!report.account.connected || state?.item == null || !state.is_playing) return null;
  const { item, progress_ms: done, device } = state;
  if (done === null || item.duration_ms === null || now > at + item.duration_ms - done + GRACE_MS)
    return null;
  const by = 'artists' in item ? item.artists.map((artist) => artist.name).join(', ') : item.show.name;
  return html`<p class="playing"><span aria-hidden="true">♪</span> ${name(item.name)}${by && [' by ', name(by)]}${
    device !== null && html`<span class="soft"> on ${name(device.name, 60)}</span>`
  }</p>`;
}

/** True if the page shows the steps. A login that has ended does not begin them again. */
export function showsSteps(state: PageState): boolean {
  return !state.report.account.reauthorizationRequired && !stepsDone(state).every(Boolean);
}

function stepsDone({ app, report, clients, events, mcpUsed }: PageState): boolean[] {
  const { connected } = report.account;
  return [app.isSet || connected, connected, clients.length > 0 || mcpUsed || events.items.length > 0];
}

/** A step is ticked off once the program sees that it is done. */
export function stepsCard(state: PageState): Html | null {
  if (!showsSteps(state)) return null;
  const done = stepsDone(state);
  const next = done.indexOf(false);
  const step = (title: string, index: number, body: Value) => {
    const mark = done[index] ? html` class="done"` : index === next && html` aria-current="step"`;
    return html`<li${mark}><p><strong>${title}</strong>${done[index] === true && html`<span class="hidden-text"> (done)</span>`}</p>${index === next && body}</li>`;
  };
  const { app } = state;
  const connect = button('Connect', 'account/connect', { switchAccount: false }, { kind: 'primary' });
  return html`<section class="card" id="steps" aria-labelledby="steps-title"><h2 id="steps-title" tabindex="-1">Three steps to begin</h2><ol class="steps">${[
    step('Set up your Spotify app', 0, appStep(app)),
    step('Connect your account', 1, [
      soft('Spotify asks whether relay may use your account.'),
      row(connect),
      !app.isFixed && html`<details><summary>Change client ID</summary>${appForm}</details>`,
    ]),
    step('Connect a client', 2, [
      soft('Choose your AI client; it asks for your approval once.'),
      html`<a class="button" href="#setup-client">Choose a client</a>`,
    ]),
  ]}</ol></section>`;
}

function appStep({ redirectUri }: PageState['app']): Html {
  const at = link('https://developer.spotify.com/dashboard', 'developer.spotify.com/dashboard');
  return html`<p>At ${at} create an app, tick “Web API”, and give it this redirect URI:</p>
<p>${command(redirectUri, 'redirect URI')}</p>${appForm}`;
}

const appForm = html`<form data-call="app/set"><label for="client-id">Client ID of the app</label><div class="row"><input id="client-id" name="clientId" required autocomplete="off" spellcheck="false" maxlength="200"><button class="primary">Save</button></div></form>`;
