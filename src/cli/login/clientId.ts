/** The client ID of the owner's Spotify app: explained, asked for once, stored in `config.json`. */
import type { Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';

/**
 * Explains how to make the app, asks for its client ID and stores it. Throws `SETTINGS_INVALID` if nobody can be asked, or
 * if the answer cannot be a client ID.
 */
export async function askForClientId(context: Context, redirectUri: string): Promise<Settings> {
  const { io } = context;
  if (!context.json) for (const line of appSteps(redirectUri).split('\n')) note(io, line);
  if (context.json || !io.terminal.stdin) throw noClientId(redirectUri);
  const { askLine } = await import('../terminal/prompt.ts');
  const answer = await askLine(io, '\nClient ID: ', context.signal);
  if (answer === null || answer === '') throw noClientId(redirectUri);
  const { storeSetting } = await import('../../config/edit.ts');
  const settings = storeSetting(context.loadOptions(), 'providerClientId', answer);
  note(io, `Saved in ${settings.configPath}`);
  return settings;
}

/** Three steps, at most 60 columns wide where the redirect URI allows it. @internal */
export function appSteps(redirectUri: string): string {
  return [
    'relay reaches Spotify through an app of your own. To make it:',
    '',
    '  1. Create an app at https://developer.spotify.com/dashboard',
    '     (its owner needs Premium).',
    '  2. Enter exactly this redirect URI, and tick "Web API":',
    `     ${redirectUri}`,
    '  3. Save it, open its settings and copy the Client ID.',
  ].join('\n');
}

function noClientId(redirectUri: string): RelayError {
  return new RelayError('SETTINGS_INVALID', 'The client ID of your Spotify app is not set.', {
    remedy: {
      text: 'Set it with {command}, then log in again.',
      command: ['config', 'set', 'providerClientId', 'ID'],
    },
    details: { redirectUri },
  });
}
