/**
 * Connecting the account: who may start a login, who may finish it, and what is kept of it.
 *
 * A flow is one trip to the provider, known by its `state`: random, ten minutes, used once. A flow that a browser started
 * is tied to that browser by a cookie, so that nobody can make the owner's browser finish a stranger's login (login
 * CSRF). A flow that `relay login` started is tied to the terminal that shows its address: only who reads that knows the
 * state. An attempt is one `relay login`, which may lead to several flows.
 */
import { createHash } from 'node:crypto';
import type { Clock, Random } from '../domain/clock.ts';
import { RelayError } from '../domain/errors.ts';
import type { AccountSummary, LoginProgress } from '../domain/localApi.ts';
import { authorizeUrl, exchangeCode, type ProviderApp } from './accounts.ts';
import { type Profile, readProfile } from './profile.ts';
import { missingScopes, PROVIDER_SCOPES } from './scopes.ts';
import type { StoredTokens } from './tokens.ts';

export const LOGIN_LIFETIME_MS = 10 * 60_000;
/** The form of the secrets made here: 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;
/** Anyone on this machine may open the login page; this bounds what that can make the server remember. */
const MAX_FLOWS = 200;

/** The account as it is kept between runs. */
export interface AccountRecord {
  /** The provider's pseudonymous `account_id` where it gives one, else the user ID. */
  id: string;
  userId: string;
  name: string | null;
  scopes: string[];
  /** Unix milliseconds of the consent and of the end that the provider sets to it. */
  consentAt: number;
  loginExpiresAt: number;
}

export interface AccountKeeper {
  read(): AccountRecord | null;
  /** On disk when it resolves; whoever uses the former tokens uses these from then on. */
  connect(account: AccountRecord, tokens: StoredTokens): Promise<void>;
}

interface Flow {
  verifier: string;
  /** SHA-256 of the browser's cookie; null for a flow shown on the terminal. */
  browser: string | null;
  attemptId: string | null;
  switchAccount: boolean;
  expiresAt: number;
}

interface Attempt {
  ticket: string;
  switchAccount: boolean;
  expiresAt: number;
  progress: LoginProgress;
  waiting: Set<() => void>;
}

export interface LoginOptions {
  app: () => ProviderApp;
  apiUrl: string;
  redirectUri: () => string;
  keeper: AccountKeeper;
  clock: Clock;
  random: Random;
  /** Called once the tokens are on disk and in use. */
  onConnected(account: AccountRecord): void;
}

export interface CallbackQuery {
  state: string | null;
  code: string | null;
  error: string | null;
}

export interface Login {
  /** A browser asks to log in. `ticket` is what `relay login` put into the address, if it did. */
  /** `known` is the secret that the browser has from an earlier tab: kept, so that both tabs can finish. */
  begin(ticket: string | null, known: string | null): { location: string; browserSecret: string };
  /**
   * Finishes a flow.
   * @param browserSecret the browser's cookie, null without one
   * @throws RelayError; the words are for the terminal and the log, never for a page
   */
  complete(query: CallbackQuery, browserSecret: string | null): Promise<AccountSummary>;
  /** `relay login` begins. */
  start(options: { switchAccount: boolean }): { attemptId: string; ticket: string; providerUrl: string };
  progress(attemptId: string, waitMs: number): Promise<LoginProgress>;
  paste(attemptId: string, address: string): Promise<LoginProgress>;
}

export function createLogin(options: LoginOptions): Login {
  const { clock, random } = options;
  const flows = new Map<string, Flow>();
  const attempts = new Map<string, Attempt>();
  const secret = () => random.bytes(32).toString('base64url');

  function openFlow(flow: Pick<Flow, 'browser' | 'attemptId' | 'switchAccount'>): string {
    sweep(flows, clock.now(), MAX_FLOWS);
    const state = secret();
    const verifier = secret();
    flows.set(state, { ...flow, verifier, expiresAt: clock.now() + LOGIN_LIFETIME_MS });
    return authorizeUrl(options.app(), {
      redirectUri: options.redirectUri(),
      state,
      verifier,
      showDialog: flow.switchAccount,
    });
  }

  function takeFlow(state: string | null, browserSecret: string | null): Flow {
    const flow = state === null ? undefined : flows.get(state);
    if (state !== null) flows.delete(state);
    if (!flow || flow.expiresAt <= clock.now()) {
      throw failed('This login is not known: it is too old, was used before, or did not start here.');
    }
    if (flow.browser !== null && flow.browser !== hashOf(browserSecret ?? '')) {
      throw settle(flow, failed('The login came back from another browser than the one that started it.'));
    }
    return flow;
  }

  /** Tells the attempt behind a flow how it ended, and hands the error on. */
  function settle(flow: Flow, error: RelayError): RelayError {
    finish(flow, {
      state: 'failed',
      code: error.code,
      message: error.message,
      remedy: error.remedy ?? null,
    });
    return error;
  }

  function finish(flow: Flow, progress: LoginProgress): void {
    const attempt = flow.attemptId === null ? undefined : attempts.get(flow.attemptId);
    if (!attempt) return;
    attempt.progress = progress;
    for (const wake of attempt.waiting) wake();
  }

  async function complete(query: CallbackQuery, browserSecret: string | null): Promise<AccountSummary> {
    const flow = takeFlow(query.state, browserSecret);
    try {
      const account = await connect(flow, query);
      const summary = summaryOf(account);
      finish(flow, { state: 'connected', account: summary });
      return summary;
    } catch (error) {
      const known =
        error instanceof RelayError
          ? error
          : new RelayError('INTERNAL', 'The login hit a fault of the program.', { cause: error });
      throw settle(flow, known);
    }
  }

  async function connect(flow: Flow, query: CallbackQuery): Promise<AccountRecord> {
    if (query.error !== null) throw failed('The login was declined on the Spotify page.');
    if (!query.code) throw failed('The address that Spotify sent the browser to carries no code.');
    const app = options.app();
    const grant = { code: query.code, verifier: flow.verifier, redirectUri: options.redirectUri() };
    const answer = await exchangeCode(app, grant, clock);
    const profile = await readProfile(options.apiUrl, answer.accessToken, clock);
    assertSameAccount(options.keeper.read(), profile, flow.switchAccount);
    const now = clock.now();
    const account: AccountRecord = {
      id: profile.id,
      userId: profile.userId,
      name: profile.name,
      scopes: answer.scopes ?? [...PROVIDER_SCOPES],
      consentAt: now,
      loginExpiresAt: sixMonthsAfter(now),
    };
    await options.keeper.connect(account, {
      accessToken: answer.accessToken,
      refreshToken: answer.refreshToken ?? '',
      accessExpiresAt: now + answer.expiresIn * 1000,
    });
    options.onConnected(account);
    return account;
  }

  function attemptOf(attemptId: string): Attempt {
    const attempt = attempts.get(attemptId);
    if (!attempt) throw failed('This login is not known any more.');
    return attempt;
  }

  return {
    complete,
    begin(ticket, known) {
      const found = [...attempts].find(([, attempt]) => attempt.ticket === ticket);
      const live = found && found[1].expiresAt > clock.now() ? found : undefined;
      const browserSecret = known !== null && SECRET.test(known) ? known : secret();
      const location = openFlow({
        browser: hashOf(browserSecret),
        attemptId: live?.[0] ?? null,
        switchAccount: live?.[1].switchAccount ?? false,
      });
      return { location, browserSecret };
    },
    start({ switchAccount }) {
      sweep(attempts, clock.now(), MAX_FLOWS);
      const attemptId = random.uuid();
      const ticket = secret();
      const providerUrl = openFlow({ browser: null, attemptId, switchAccount });
      attempts.set(attemptId, {
        ticket,
        switchAccount,
        expiresAt: clock.now() + LOGIN_LIFETIME_MS,
        progress: { state: 'pending' },
        waiting: new Set(),
      });
      return { attemptId, ticket, providerUrl };
    },
    async progress(attemptId, waitMs) {
      const attempt = attemptOf(attemptId);
      if (attempt.progress.state === 'pending' && waitMs > 0) await settledWithin(attempt, waitMs, clock);
      return attempt.progress;
    },
    async paste(attemptId, address) {
      const attempt = attemptOf(attemptId);
      const query = readPasted(address);
      const flow = query.state === null ? undefined : flows.get(query.state);
      if (flow?.attemptId !== attemptId) {
        throw failed('The pasted address does not belong to this login.');
      }
      // The terminal stands in for the browser's cookie: whoever pastes here has read the address bar.
      flow.browser = null;
      await complete(query, null).catch(() => {});
      return attempt.progress;
    },
  };
}

function settledWithin(attempt: Attempt, waitMs: number, clock: Clock): Promise<void> {
  const timer = new AbortController();
  return new Promise<void>((resolve) => {
    const wake = () => {
      timer.abort();
      resolve();
    };
    attempt.waiting.add(wake);
    clock
      .sleep(waitMs, timer.signal)
      .then(resolve, () => {})
      .finally(() => attempt.waiting.delete(wake));
  });
}

/** The query of the address that the browser ended on; also takes the bare query. */
export function readPasted(text: string): CallbackQuery {
  const query = text
    .trim()
    .replace(/^[^?]*\?/, '')
    .replace(/#.*$/, '');
  const params = new URLSearchParams(query);
  return { state: params.get('state'), code: params.get('code'), error: params.get('error') };
}

export function summaryOf(account: AccountRecord): AccountSummary {
  return {
    id: account.id,
    name: account.name,
    loginExpiresAt: new Date(account.loginExpiresAt).toISOString(),
    scopes: account.scopes,
    missingScopes: missingScopes(account.scopes),
  };
}

function assertSameAccount(present: AccountRecord | null, profile: Profile, switchAccount: boolean): void {
  if (!present || switchAccount) return;
  if (present.id === profile.id || present.userId === profile.userId) return;
  throw new RelayError(
    'LOGIN_FAILED',
    'The browser is logged in to Spotify as another account than the connected one.',
    {
      remedy:
        "Log in to Spotify as the connected account, or run 'relay login --switch-account' to change it.",
      details: { reason: 'other_account' },
    },
  );
}

/** The provider ends a login six months after the consent, however often it is renewed (its notice of 2026-06-18). */
function sixMonthsAfter(time: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + 6);
  // 31 August plus six months has no day of its own: take the last one of February.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

function sweep<T extends { expiresAt: number }>(entries: Map<string, T>, now: number, max: number): void {
  for (const [key, entry] of entries) {
    if (entry.expiresAt <= now || entries.size >= max) entries.delete(key);
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function failed(message: string): RelayError {
  return new RelayError('LOGIN_FAILED', message, { remedy: "Start again with 'relay login'." });
}
