import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { visibleText } from '../../base/visibleText.ts';
import { isErrorCode, messageOf, RelayError } from '../../domain/errors.ts';
import type { AccountSummary, LoginProgress, LoginStart } from '../../domain/localApi.ts';
import { readRemedy } from '../../domain/remedy.ts';
import type { LocalApi } from '../../server/calls.ts';
import { leaf, type Result, wholeNumber } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import type { SigningIn } from '../serve/signedInBrowser.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { dayText } from '../terminal/time.ts';
import type { LoginServer } from './loginServer.ts';

interface LoginOptions {
  /** False with `--no-browser`. */
  browser: boolean;
  /** Number of seconds until the command gives up. */
  timeout: number;
  switchAccount?: boolean;
  yes?: boolean;
}

/** Maximum time for which the server may hold a poll. A longer silence would look like a dead connection. */
const POLL_SECONDS = 25;

const seconds = wholeNumber(1, 3_600, 'of seconds from 1 to 3600');

export function loginCommand(context: Context): Command {
  const help = '\nExamples:\n  $ relay login\n  $ relay login --no-browser --timeout 600';
  return leaf(context, 'login', 'Connect your Spotify account', runLogin, help)
    .option('--no-browser', 'Print an address to open in any browser, then paste the result back')
    .option('--timeout <seconds>', 'Give up after this long', seconds, 300)
    .option('--switch-account', 'Allow an account other than the connected one')
    .option('--yes', 'If the key is lost, delete what it encrypted without asking');
}

/** Connects the account through the running server, or through a server that is started for the login. */
async function runLogin(context: Context, options: LoginOptions): Promise<Result> {
  const { openLoginServer } = await import('./loginServer.ts');
  const server = await openLoginServer(context, options.yes === true);
  const { local } = server;
  try {
    const start = await begin(context, server, options.switchAccount === true);
    showUrl(context, start, options);
    const opening = options.browser ? await openBrowser(context, local, start) : null;
    const ended = interruptible(context.signal, waitForEnd(context, local, start, options));
    const progress = await ended.finally(() => opening?.stop());
    return connected(context, requireConnected(context, progress, options, start), server);
  } finally {
    await server.close();
  }
}

/** Begins the login. If the server has no client ID, asks the person for it: the server then finds it in `config.json`. */
async function begin(context: Context, server: LoginServer, switchAccount: boolean): Promise<LoginStart> {
  const start = () => interruptible(context.signal, server.local.startLogin({ switchAccount }));
  return start().catch(async (error) => {
    if (!(error instanceof RelayError) || error.code !== 'SETTINGS_INVALID') throw error;
    const { askForClientId } = await import('./loginServer.ts');
    await askForClientId(context, server.redirectUri);
    return start();
  });
}

/**
 * Shows an address, which alone never signs in the owner. With `--no-browser` it leads to Spotify's login page. Otherwise it is
 * an address of this server. If the output does not go to a terminal, it may have other readers. They only see the address of
 * the owner's page, which first asks for the owner code.
 */
function showUrl(context: Context, start: LoginStart, { browser, timeout }: LoginOptions): void {
  const { io } = context;
  const shown = io.terminal.stdout ? start.browserUrl : `${new URL(start.browserUrl).origin}/`;
  const url = browser ? shown : start.providerUrl;
  if (context.json) {
    // An error is then the only line on stderr.
    printJson(io, { event: 'login_url', url, redirectUri: start.redirectUri });
    return;
  }
  note(io, browser ? 'Opening the browser. If nothing happens, open this:' : 'Open this in any browser:');
  printLine(io, url);
  note(io, `Waiting up to ${timeout} s for you to log in there.${browser ? ' Ctrl-C gives up.' : ''}`);
  if (browser) return;
  note(io, 'If the browser ends on a page that does not load, paste the address of that page here:');
}

/** Opens the browser. Returns null if no browser opens. That is no error, since the address is shown anyway. */
async function openBrowser(
  context: Context,
  local: LocalApi,
  { attemptId }: LoginStart,
): Promise<SigningIn | null> {
  const { openSignedIn } = await import('../serve/signedInBrowser.ts');
  const failed = () => context.remark('No browser could be opened.');
  try {
    const opening = await openSignedIn(context, local, attemptId);
    opening.ended.then((end) => end === 'failed' && failed());
    return opening;
  } catch {
    context.signal.throwIfAborted();
    failed();
    return null;
  }
}

async function waitForEnd(
  context: Context,
  local: LocalApi,
  { attemptId }: LoginStart,
  { browser, timeout }: LoginOptions,
): Promise<LoginProgress> {
  const polled = poll(context, local, attemptId, timeout);
  if (browser) return polled;
  const reader = createInterface({ input: context.io.stdin });
  // Every line is taken for the address. A wrong one does not end the login, as the remedy of its error would have it.
  const pasted = new Promise<LoginProgress>((resolve) => {
    reader.on('line', (line) => {
      const address = line.trim();
      if (address === '') return;
      local.pasteLogin({ attemptId, address }).then(
        (progress) => progress.state !== 'pending' && resolve(progress),
        (error: unknown) => note(context.io, `${messageOf(error)} ${PASTE_AGAIN}`),
      );
    });
  });
  return Promise.race([polled, pasted]).finally(() => reader.close());
}

/** Waits for the end of the login; the result is still `pending` if the time runs out first. */
async function poll(
  context: Context,
  local: LocalApi,
  attemptId: string,
  timeout: number,
): Promise<LoginProgress> {
  const deadline = context.clock.monotonic() + timeout * 1_000;
  for (;;) {
    const left = Math.ceil((deadline - context.clock.monotonic()) / 1_000);
    if (left <= 0) return { state: 'pending' };
    const progress = await local.loginProgress({ attemptId, waitSeconds: Math.min(left, POLL_SECONDS) });
    if (progress.state !== 'pending') return progress;
  }
}

const PASTE_AGAIN = 'Paste the whole address of that page, or give up with Ctrl-C:';

/** @throws RelayError for a login that failed or was not finished in time */
function requireConnected(
  context: Context,
  progress: LoginProgress,
  { timeout }: LoginOptions,
  start: LoginStart,
): AccountSummary {
  if (progress.state === 'connected') return progress.account;
  if (progress.state === 'failed') {
    const { code, message } = progress;
    const remedy = readRemedy(progress.remedy);
    throw new RelayError(isErrorCode(code) ? code : 'LOGIN_FAILED', message, remedy ? { remedy } : {});
  }
  const setId = commandLine(context, 'config', 'set', 'providerClientId', 'ID');
  throw new RelayError('LOGIN_FAILED', `The login was not finished within ${timeout} s.`, {
    remedy: {
      text: `Run {command} again. If the browser showed "INVALID_CLIENT: Invalid client", first correct the client ID with \`${setId}\`. If it showed another INVALID_CLIENT, check that the Spotify app has exactly this redirect URI: ${start.redirectUri}`,
      command: ['login'],
    },
  });
}

function connected(context: Context, account: AccountSummary, { staysUp }: LoginServer): Result {
  const { id, name, loginExpiresAt, missingScopes } = account;
  const who = name === null ? id : `${visibleText(name)} (${id})`;
  const connect = commandLine(context, 'connect');
  return {
    value: { event: 'connected', account },
    text: [`Connected as ${who} until ${dayText(loginExpiresAt)}.`],
    notes: [
      ...(missingScopes.length === 0
        ? []
        : [`The login lacks permissions: ${missingScopes.join(', ')}. Log in again to grant them.`]),
      staysUp
        ? `Next, connect a client: ${connect}`
        : `Next, start the server: ${commandLine(context, 'serve')}. Then connect a client: ${connect}`,
    ],
  };
}

/** Spotify offers apps no way to revoke a login. Only the person can do so, on this page. */
const REVOKE_URL = 'https://www.spotify.com/account/apps/';

const LOGOUT_HELP = `
The copy of the library is deleted with the login. --erase also deletes
remembered matches, jobs, changes that could be undone, kept playlists (their
songs stay), versions of playlists and plays.

Examples:
  $ relay logout
  $ relay logout --erase`;

export function logoutCommand(context: Context): Command {
  return leaf(context, 'logout', 'Forget the Spotify login', runLogout, LOGOUT_HELP).option(
    '--erase',
    'Also forget everything else about this account',
  );
}

async function runLogout(context: Context, { erase = false }: { erase?: boolean }): Promise<Result> {
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  const answer = await context.withLocal((local) => local.logout({ erase }), { ownHome: true });
  const { wasConnected, name, libraryDeleted, keptFiles = [] } = answer;
  const who = name === null ? '' : ` of ${visibleText(name)}`;
  const text = [
    wasConnected ? `Forgot the login${who}.` : 'No account was connected.',
    ...(libraryDeleted ? ['The copy of the library is deleted.'] : []),
    ...(erase ? ['Everything else about the account is forgotten.'] : []),
  ];
  return {
    value: { ...answer, erased: erase, revokeUrl: REVOKE_URL },
    text: [text.join(' ')],
    notes: [
      ...keptFiles.map((path) => `Kept by a restore or repair, and still there: ${visibleText(path)}`),
      ...(wasConnected && !context.demo
        ? [`Spotify still lists the app. To revoke its access: ${REVOKE_URL}`]
        : []),
    ],
  };
}
