/** Asks once for the client ID of the owner's Spotify app, and stores it in `config.json`. */
import { counted } from '../../base/lists.ts';
import type { Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { type Io, note } from '../terminal/output.ts';
import type { Dialogue } from '../terminal/prompt.ts';

/**
 * Explains how to create the app, asks until the client ID has the right form, and stores the client ID.
 * @returns the settings, with the client ID
 * @throws RelayError `SETTINGS_INVALID` with `--json`, without a terminal to ask on, or for an empty answer
 */
export async function askForClientId(context: Context, redirectUri: string): Promise<Settings> {
  const { io } = context;
  if (!context.json) for (const line of appSteps(redirectUri).split('\n')) note(io, line);
  if (context.json || !io.terminal.stdin) throw noClientId(redirectUri);
  const { openDialogue } = await import('../terminal/prompt.ts');
  const talk = openDialogue(io, context.signal);
  const answer = await askUntilRight(io, talk, redirectUri).finally(talk.close);
  const { storeSetting } = await import('../../config/settings.ts');
  const settings = storeSetting(context.loadOptions(), 'providerClientId', answer);
  note(io, `Saved in ${settings.configPath}`);
  return settings;
}

/** Checks the form here, since for a wrong ID Spotify's page says nothing but INVALID_CLIENT. */
async function askUntilRight(io: Io, talk: Dialogue, redirectUri: string): Promise<string> {
  const { looksLikeClientId } = await import('../../domain/ids.ts');
  for (let prompt = '\nClient ID: '; ; prompt = 'Client ID: ') {
    const answer = await talk.ask(prompt);
    if (answer === null || answer === '') throw noClientId(redirectUri);
    if (looksLikeClientId(answer.toLowerCase())) return answer.toLowerCase();
    const found = /^[0-9a-f]*$/i.test(answer) ? counted([...answer].length, 'character') : 'other characters';
    note(
      io,
      `That is not a client ID: a client ID has 32 characters, 0-9 and a-f. Your text has ${found}. Copy the ID again.`,
    );
  }
}

/**
 * Says how to create the app, in three steps. The lines are at most 60 columns wide, unless the redirect URI is longer.
 * @internal
 */
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
