/** The server that handles a login: the running one, or one that is started for the login alone. Also asks for the client ID. */
import { redirectUriFor, type Settings, storeSetting } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import { isKeyFailure } from '../../domain/failureClass.ts';
import { looksLikeClientId } from '../../domain/ids.ts';
import type { LocalApi } from '../../server/calls.ts';
import { type Context, quiet } from '../context.ts';
import { namingDemo, noteOtherHome } from '../findServer.ts';
import { note } from '../terminal/output.ts';
import { openDialogue } from '../terminal/prompt.ts';

export interface LoginServer {
  local: LocalApi;
  /** The redirect URI to enter in the Spotify app. */
  redirectUri: string;
  /** True if the server keeps running after the login. */
  staysUp: boolean;
  /** Stops the server if it was started here. */
  close(): Promise<void>;
}

/** @param mayStartOver true if a person agreed to lose what a lost key had encrypted */
export async function openLoginServer(context: Context, mayStartOver: boolean): Promise<LoginServer> {
  await noteOtherHome(context);
  const running = await context.running({ ownHome: true });
  const settings = await context.settings();
  if (running) {
    const { port, protocol } = new URL(running.baseUrl);
    return {
      local: running.local,
      redirectUri: redirectUriFor(settings, Number(port || (protocol === 'https:' ? 443 : 80))),
      staysUp: true,
      close: async () => {},
    };
  }
  if (settings.demo) {
    throw new RelayError('NO_SERVER', 'The demo is not running.', {
      remedy: { text: 'Start it with {command}.', command: ['serve'] },
    });
  }
  const uri = redirectUriFor(settings, settings.port);
  // Spotify accepts any port for a loopback URI that was registered without a port.
  const redirectUri = settings.port === 0 ? uri.replace(':0/', '/') : uri;
  const complete = settings.providerClientId === null ? await askForClientId(context, redirectUri) : settings;
  for (const warning of complete.warnings) context.remark(`Warning: ${warning}`);
  const server = await startAnyway(context, quiet(complete), mayStartOver);
  return {
    local: server.local,
    redirectUri,
    staysUp: false,
    close: () => server.close(),
  };
}

/** Starts the server. If the key is lost, starts over: a login needs nothing that the key had encrypted. */
async function startAnyway(context: Context, settings: Settings, mayStartOver: boolean) {
  const { clock, random, version } = context;
  const { createLog, startServer } = await context.parts();
  const purpose = 'relay login' as const;
  const options = { settings, clock, random, log: createLog(settings), version, purpose };
  try {
    return await startServer(options);
  } catch (error) {
    if (!(error instanceof RelayError) || !isKeyFailure(error))
      throw forLogin(await namingDemo(settings, error));
    await confirmStartOver(context, error, mayStartOver);
    return startServer({ ...options, startOver: true });
  }
}

/** Rewrites the remedy for a taken port: the port is also part of the redirect URI in the Spotify app. */
function forLogin(error: unknown): unknown {
  if (!(error instanceof RelayError) || error.code !== 'PORT_TAKEN') return error;
  return error.with({
    remedy: {
      text: 'Stop it, or choose another port with {command} and enter the new redirect URI in the Spotify app.',
      command: ['config', 'set', 'port', 'PORT'],
    },
  });
}

/** Asks before anything is dropped, since the key may be unavailable only temporarily (a locked keychain). */
async function confirmStartOver(context: Context, error: RelayError, mayStartOver: boolean): Promise<void> {
  const { io, signal } = context;
  // A key file that cannot be used would be in the way of a new key, and its error says what to do first.
  if (typeof error.details?.path === 'string') throw error;
  if (!mayStartOver && !io.terminal.stdin) {
    throw error.with({
      remedy: {
        text: 'Bring back the key, or start over with {command}. That forgets the old login and the API key of MCP clients.',
        command: ['login', '--yes'],
      },
    });
  }
  const text = `${error.message} The login starts over: the old login and the API key of MCP clients are forgotten.`;
  if (mayStartOver) return context.remark(text);
  note(io, text);
  const talk = openDialogue(io, signal);
  if (!(await talk.confirm('Start over?', false).finally(talk.close))) throw error;
}

/**
 * Explains how to create a Spotify app, asks until its client ID has the right form, and stores the client ID: for a wrong one,
 * Spotify's page says nothing but INVALID_CLIENT.
 * @returns the settings, with the client ID
 * @throws RelayError `SETTINGS_INVALID` with `--json`, without a terminal to ask on, or for an empty answer
 */
export async function askForClientId(context: Context, redirectUri: string): Promise<Settings> {
  const { io, signal } = context;
  const unset = new RelayError('SETTINGS_INVALID', 'The client ID of your Spotify app is not set.', {
    remedy: {
      text: 'Set it with {command}, then log in again.',
      command: ['config', 'set', 'providerClientId', 'ID'],
    },
    details: { redirectUri },
  });
  if (context.json) throw unset;
  for (const line of appSteps(redirectUri)) note(io, line);
  if (!io.terminal.stdin) throw unset;
  const talk = openDialogue(io, signal);
  try {
    for (let prompt = '\nClient ID: '; ; prompt = 'Client ID: ') {
      const answer = (await talk.ask(prompt))?.toLowerCase();
      if (!answer) throw unset;
      if (looksLikeClientId(answer)) {
        const settings = storeSetting(context.loadOptions(), 'providerClientId', answer);
        note(io, `Saved in ${settings.configPath}`);
        return settings;
      }
      note(io, `That is not a client ID, which has 32 characters, 0-9 and a-f. Copy it again.`);
    }
  } finally {
    talk.close();
  }
}

function appSteps(redirectUri: string): string[] {
  return [
    'relay reaches Spotify through an app of your own. To make it:',
    '',
    '  1. Create an app at https://developer.spotify.com/dashboard',
    '     (its owner needs Premium).',
    '  2. Enter exactly this redirect URI, and tick "Web API":',
    `     ${redirectUri}`,
    '  3. Save it, open its settings and copy the Client ID.',
  ];
}
