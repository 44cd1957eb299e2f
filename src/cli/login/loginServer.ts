/** The server that handles a login: the running server, or a server that is started for the login alone. */

import { redirectUriFor, type Settings } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import { isKeyFailure } from '../../domain/failureClass.ts';
import type { LocalApi } from '../../server/calls.ts';
import { type Context, quiet } from '../context.ts';
import { note } from '../terminal/output.ts';
import { askForClientId } from './clientId.ts';

export interface LoginServer {
  local: LocalApi;
  /** The redirect URI to enter in the Spotify app. */
  redirectUri: string;
  /** True if no client ID is known, so that starting a login may fail. */
  knowsNoClientId: boolean;
  /** True if the server keeps running after the login. */
  staysUp: boolean;
  /** Stops the server if it was started here. */
  close(): Promise<void>;
}

/** @param mayStartOver true if a person agreed to lose what a lost key had encrypted */
export async function openLoginServer(context: Context, mayStartOver: boolean): Promise<LoginServer> {
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  const running = await context.running({ ownHome: true });
  const settings = await context.settings();
  if (!running && settings.demo) {
    throw new RelayError('NO_SERVER', 'The demo is not running.', {
      remedy: { text: 'Start it with {command}.', command: ['serve'] },
    });
  }
  if (!running) return startOne(context, settings, mayStartOver);
  return {
    local: running.local,
    redirectUri: redirectUriFor(settings, portOf(running.baseUrl)),
    knowsNoClientId: !running.demo && settings.providerClientId === null,
    staysUp: true,
    close: async () => {},
  };
}

async function startOne(context: Context, found: Settings, mayStartOver: boolean): Promise<LoginServer> {
  const redirectUri = redirectUriToEnter(found);
  const settings = found.providerClientId === null ? await askForClientId(context, redirectUri) : found;
  for (const warning of settings.warnings) context.remark(`Warning: ${warning}`);
  const server = await startAnyway(context, quiet(settings), mayStartOver);
  return {
    local: server.local,
    redirectUri,
    knowsNoClientId: false,
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
    if (!(error instanceof RelayError) || !isKeyFailure(error)) {
      const { namingDemo } = await import('../findServer.ts');
      throw forLogin(await namingDemo(settings, error));
    }
    await confirmStartOver(context, error, mayStartOver);
    return await startServer({ ...options, startOver: true }).catch((again) => {
      throw forLogin(again);
    });
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
        command: ['login', '--start-over'],
      },
    });
  }
  const text = `${error.message} The login starts over: the old login and the API key of MCP clients are forgotten.`;
  if (mayStartOver) return context.remark(text);
  note(io, text);
  const { openDialogue } = await import('../terminal/prompt.ts');
  const talk = openDialogue(io, signal);
  if (!(await talk.confirm('Start over?', false).finally(talk.close))) throw error;
}

/** Spotify accepts any port for a loopback URI that was registered without a port. */
function redirectUriToEnter(settings: Settings): string {
  const uri = redirectUriFor(settings, settings.port);
  return settings.port === 0 ? uri.replace(':0/', '/') : uri;
}

function portOf(baseUrl: string): number {
  const { port, protocol } = new URL(baseUrl);
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
