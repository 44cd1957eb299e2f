/** The demo: a simulated Spotify in this process, and a login that approves itself. */
import type { Clock, Random } from '../../base/clock.ts';
import type { Settings } from '../../config/settings.ts';
import { startDemoProvider } from '../../demo/provider.ts';
import { RelayError } from '../../domain/errors.ts';
import type { LocalApi } from '../../server/calls.ts';

export interface Demo {
  /** The settings, with the simulated provider instead of Spotify. */
  settings: Settings;
  /** Connects the demo account through the login that a person uses. */
  connect(local: LocalApi): Promise<void>;
  close(): Promise<void>;
}

export async function startDemo(found: Settings, clock: Clock, random: Random): Promise<Demo> {
  const provider = await startDemoProvider({ clock, random, savedUntil: clock.now() });
  const settings: Settings = {
    ...found,
    providerApiUrl: provider.apiUrl,
    providerAccountsUrl: provider.accountsUrl,
    providerClientId: provider.clientId,
    providerClientSecret: null,
    providerRedirectUri: null,
  };
  return { settings, connect, close: () => provider.close() };
}

async function connect(local: LocalApi): Promise<void> {
  // The simulator starts from scratch each time and does not know the login of the last run.
  const { attemptId, providerUrl } = await local.startLogin({ switchAccount: true });
  // If the page cannot be reached, the login does not finish, which is reported below.
  await fetch(providerUrl).then(
    (page) => page.text(),
    () => '',
  );
  const progress = await local.loginProgress({ attemptId, waitSeconds: 5 });
  if (progress.state === 'connected') return;
  const reason = progress.state === 'failed' ? progress.message : 'The login did not finish.';
  throw new RelayError('LOGIN_FAILED', `The demo account could not be connected. ${reason}`, {
    remedy: 'Check that HTTP_PROXY does not apply to 127.0.0.1.',
  });
}
