/** The first run as three steps. A step is ticked off once the program sees that it is done. */
import { looksLikeClientId } from '../../../../domain/ids.ts';
import type { OwnerState } from '../../../../domain/ownerPage.ts';
import { type App, button, copyButton, plainButton, row, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { ask } from '../session.ts';
import { goToLogin } from './account.ts';

function stepsDone({ app, account, clients, mcpUsed }: OwnerState): boolean[] {
  return [app.isSet, account.connected, clients.length > 0 || mcpUsed];
}

/** True if the first run is not over. A login that has ended does not begin it again. */
function isSettingUp(state: OwnerState): boolean {
  return !stepsDone(state).every(Boolean) && !state.account.reauthorizationRequired;
}

/** True if the page shows the steps. */
export function showsSteps({ state, doing }: App): boolean {
  return isSettingUp(state) && !doing.hidesSteps;
}

export function stepsCard(app: App): Child {
  const { state, doing } = app;
  if (!showsSteps(app)) return null;
  const done = stepsDone(state);
  const bodies = [appStep, accountStep, clientStep];
  // The first step is open again while the person gives another client ID.
  if (doing.editsClientId && !state.account.connected) done[0] = false;
  const next = done.indexOf(false);
  return h.section(
    { key: 'steps', id: 'steps', class: 'card', 'aria-labelledby': 'steps-title' },
    h.div(
      { class: 'line' },
      h.h2({ id: 'steps-title', tabindex: '-1' }, 'Three steps to begin'),
      next === 2 && plainButton('Hide', () => app.set({ hidesSteps: true })),
    ),
    h.ol(
      { class: 'steps' },
      TITLES.map((title, index) => {
        const isDone = done[index] === true;
        return h.li(
          {
            key: title,
            class: isDone ? 'done' : index === next ? 'now' : '',
            'aria-current': index === next ? 'step' : null,
          },
          h.p(h.strong(title), isDone && h.span({ class: 'hidden-text' }, ' (done)')),
          index === next && bodies[index]?.(app),
        );
      }),
    ),
  );
}

const TITLES = ['Set up your Spotify app', 'Connect your account', 'Connect a client'];

const DASHBOARD = 'https://developer.spotify.com/dashboard';

function appStep(app: App): Child {
  const { redirectUri } = app.state.app;
  const save = (event: Event) => {
    event.preventDefault();
    const clientId = (document.getElementById('client-id') as HTMLInputElement).value.trim();
    const odd = looksLikeClientId(clientId.toLowerCase()) ? '' : ' Most have 32 characters, 0-9 and a-f.';
    const saved = async () => {
      await ask('app/set', { clientId });
      app.doing.editsClientId = false;
    };
    app.act('client-id', saved, `The client ID is saved.${odd}`);
  };
  return [
    h.p(
      'At ',
      h.a({ href: DASHBOARD, target: '_blank', rel: 'noreferrer' }, 'developer.spotify.com/dashboard'),
      ' create an app, tick “Web API”, and give it this redirect URI:',
    ),
    h.p({ class: 'address' }, h.code(redirectUri), copyButton(app, redirectUri, 'redirect URI')),
    h.form(
      { onsubmit: save },
      h.label({ for: 'client-id' }, 'Client ID of the app'),
      row(
        h.input({
          id: 'client-id',
          required: true,
          autocomplete: 'off',
          spellcheck: 'false',
          maxlength: 200,
        }),
        h.button({ class: 'primary' }, 'Save'),
      ),
    ),
  ];
}

function accountStep(app: App): Child {
  return [
    soft('Spotify asks whether relay may use your account.'),
    row(
      button(app, 'connect first', 'Connect', () => goToLogin(false), { kind: 'primary' }),
      !app.state.app.isFixed && plainButton('Change client ID', () => app.set({ editsClientId: true })),
    ),
  ];
}

function clientStep(): Child {
  const go = () => document.getElementById('setup-client')?.focus();
  return [
    soft('Choose your AI client; it asks for your approval once.'),
    row(plainButton('Choose a client', go, 'primary')),
  ];
}
