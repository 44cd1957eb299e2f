/** The Spotify account. */
import type { PageState } from '../../owner/pageState.ts';
import { type Html, html } from '../html.ts';
import { button, card, count, menu, name, row, soft, when } from '../parts.ts';

export function accountCard({ report: { account }, app }: PageState): Html {
  const connect = (text: string, switchAccount: boolean, kind: 'primary' | 'quiet') =>
    button(text, 'account/connect', { switchAccount }, { kind });
  if (!account.connected) {
    const none =
      account.name === null
        ? 'No account is connected yet.'
        : [name(account.name), ' was connected; Spotify has ended that login.'];
    const first = app.isSet
      ? row(connect('Connect', false, 'quiet'))
      : soft('First set up your Spotify app, above.');
    return card('account', 'Spotify account', html`<p>${none}</p>`, first);
  }
  const isSoon = (account.daysLeft ?? 99) < 14;
  const until =
    account.loginExpiresAt !== null &&
    html`<p class="${isSoon ? 'warn' : 'soft'}">Logged in until ${when(account.loginExpiresAt, 'date')} (${count(account.daysLeft ?? 0, 'day')}).</p>`;
  return card(
    'account',
    'Spotify account',
    html`<div class="line"><div class="grow"><p class="big">${name(account.name ?? 'Connected')}</p>${until}</div>${menu(
      'More',
      'the account',
      connect('Connect again', false, 'quiet'),
      connect('Use another account', true, 'quiet'),
      button('Disconnect', 'account/disconnect', {}, { sure: 'Disconnect now' }),
      button(
        'Disconnect and forget everything',
        'account/disconnect',
        { erase: true },
        { sure: 'Forget all of it now' },
      ),
      soft(
        'Forgetting everything deletes remembered matches, lists, changes, kept playlists (their songs stay), versions and plays. Backups stay, and so do the files that a restore or a repair has kept in relay’s directory.',
      ),
    )}</div>`,
  );
}
