/** The first run as three steps. A step is ticked off once the program sees that it is done. */
import type { PageState } from '../../owner/pageState.ts';
import { type Html, html, type Value } from '../html.ts';
import { button, command, link, row, soft } from '../parts.ts';

function stepsDone({ app, report, clients, mcpUsed, tab }: PageState): boolean[] {
  const { connected } = report.account;
  // The first step is open again while the person gives another client ID.
  return [app.isSet && (connected || !tab.editsClientId), connected, clients.length > 0 || mcpUsed];
}

/** True if the page shows the steps. A login that has ended does not begin them again. */
export function showsSteps(state: PageState): boolean {
  return (
    !state.tab.hidesSteps && !state.report.account.reauthorizationRequired && !stepsDone(state).every(Boolean)
  );
}

const STEPS: ReadonlyArray<readonly [title: string, body: (state: PageState) => Value]> = [
  ['Set up your Spotify app', appStep],
  ['Connect your account', accountStep],
  ['Connect a client', clientStep],
];

export function stepsCard(state: PageState): Html | null {
  if (!showsSteps(state)) return null;
  const done = stepsDone(state);
  const next = done.indexOf(false);
  const rows = STEPS.map(([title, body], index) => {
    const mark = done[index] ? html` class="done"` : index === next && html` class="now" aria-current="step"`;
    return html`<li${mark}><p><strong>${title}</strong>${done[index] === true && html`<span class="hidden-text"> (done)</span>`}</p>${index === next && body(state)}</li>`;
  });
  return html`<section class="card" id="steps" aria-labelledby="steps-title"><div class="line"><h2 id="steps-title" tabindex="-1">Three steps to begin</h2>${
    next === 2 && button('Hide', 'view/steps', { hide: true })
  }</div><ol class="steps">${rows}</ol></section>`;
}

const DASHBOARD = 'https://developer.spotify.com/dashboard';

function appStep({ app: { redirectUri } }: PageState): Value {
  return html`<p>At ${link(DASHBOARD, 'developer.spotify.com/dashboard')} create an app, tick “Web API”, and give it this redirect URI:</p>
<p>${command(redirectUri, 'redirect URI')}</p>
<form data-call="app/set"><label for="client-id">Client ID of the app</label><div class="row"><input id="client-id" name="clientId" required autocomplete="off" spellcheck="false" maxlength="200"><button class="primary">Save</button></div></form>`;
}

function accountStep({ app }: PageState): Value {
  return [
    soft('Spotify asks whether relay may use your account.'),
    row(
      button('Connect', 'account/connect', { switchAccount: false }, { kind: 'primary' }),
      !app.isFixed && button('Change client ID', 'view/steps', { edit: true }),
    ),
  ];
}

function clientStep(): Value {
  return [
    soft('Choose your AI client; it asks for your approval once.'),
    html`<a class="button" href="#setup-client" data-go="setup-client">Choose a client</a>`,
  ];
}
