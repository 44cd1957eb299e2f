/** The account: who is connected, until when, and buttons to disconnect or change it. */
import { type App, button, card, name, row, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, dateOf } from '../format.ts';
import { ask } from '../session.ts';

export function accountCard(app: App): Child {
  const { account } = app.state;
  const connect = (text: string, switchAccount: boolean, kind: 'primary' | 'quiet') =>
    button(app, `connect ${text}`, text, () => goToLogin(switchAccount), { kind });
  if (!account.connected) {
    return card(
      'account',
      'Spotify account',
      h.p(
        account.name === null
          ? 'No account is connected yet.'
          : [name(account.name), ' was connected; Spotify has ended that login.'],
      ),
      app.state.app.isSet
        ? row(connect('Connect', false, 'primary'))
        : soft('First set up your Spotify app, above.'),
    );
  }
  const isSoon = (account.daysLeft ?? 99) < 14;
  return card(
    'account',
    'Spotify account',
    h.p({ class: 'big' }, name(account.name ?? 'Connected')),
    account.loginExpiresAt &&
      h.p(
        { class: isSoon ? 'warn' : 'soft' },
        `Logged in until ${dateOf(account.loginExpiresAt)} (${count(account.daysLeft ?? 0, 'day')}).`,
      ),
    row(
      connect('Connect again', false, 'quiet'),
      button(app, 'disconnect', 'Disconnect', () => ask('account/disconnect', {}), {
        confirm: 'Disconnect now',
        done: 'The account is disconnected, and the copy of its library is deleted.',
        kind: 'quiet',
      }),
    ),
    h.details(
      h.summary('More'),
      soft(
        'Forgetting everything deletes remembered matches, jobs, changes, kept playlists (their songs stay), versions of playlists and plays. Backups stay, and so do the files that a restore or a repair has kept in relay’s directory.',
      ),
      row(
        connect('Use another account', true, 'quiet'),
        button(
          app,
          'erase',
          'Disconnect and forget everything',
          () => ask('account/disconnect', { erase: true }),
          {
            confirm: 'Forget all of it now',
            about: 'this account',
            done: 'The account is disconnected, and everything about it is forgotten.',
            kind: 'quiet',
          },
        ),
      ),
    ),
  );
}

/** Leaves this page for the login at Spotify. */
export async function goToLogin(switchAccount: boolean): Promise<void> {
  const { next } = await ask('account/connect', { switchAccount });
  location.assign(next);
}
