/**
 * Connecting the account: who may start a login, who may finish it, and what is kept of it.
 *
 * A flow is one trip to the provider, known by its `state`: random, ten minutes, used once. A flow that a browser started
 * is tied to that browser by a secret in its cookie, made for this flow alone and over with it. Cookies of 127.0.0.1 go
 * to every port of it and can be set from there, so a value that is sent is never taken for a new flow: whoever knows or
 * chose it could otherwise have the owner's browser finish a stranger's login (login CSRF). A flow whose address
 * `relay login --no-browser` shows is tied to that terminal: only who reads it knows the state.
 *
 * An attempt is one `relay login`, which may lead to several flows. Each way to start has a room of its own, so that
 * nobody's starts can push out those of another way.
 */
import { createHash } from 'node:crypto';
import type { Clock, Random } from '../../base/clock.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import type { AccountSummary, LoginProgress } from '../../domain/localApi.ts';
import { authorizeUrl, exchangeCode, type ProviderApp } from './accountsApi.ts';
import { createRoom } from './loginRooms.ts';
import { type Profile, readProfile } from './profile.ts';
import { missingScopes, PROVIDER_SCOPES } from './scopes.ts';
import type { StoredTokens } from './tokenSource.ts';

export const LOGIN_LIFETIME_MS = 10 * 60_000;
/** A ticket is used at once, by the page that the browser is led through. */
const TICKET_LIFETIME_MS = 60_000;
/** Longer than any `relay login` waits. */
const ATTEMPT_LIFETIME_MS = 2 * 3_600_000;
/** The form of the secrets made here: 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;
/** What each room holds. Programs of this machine may start logins; this bounds what they make the server remember. */
const ROOM = 200;
/** Tabs of one browser that are on their way at the same time. */
const TABS = 8;

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

/**
 * What a browser brings with it when it asks to log in. `ticket`: the owner's, through a file that only the owner reads.
 * `attempt`: the address that `relay login` shows. `passed`: sent on by ourselves from another name of this server.
 */
export type LoginProof = 'ticket' | 'attempt' | 'passed';

/** The provider's address on the terminal, or how a browser came. */
type Origin = 'terminal' | LoginProof | 'browser';

interface Flow {
  origin: Origin;
  verifier: string;
  /** SHA-256 of the flow's secret in the browser's cookie; null for a flow shown on the terminal. */
  browser: string | null;
  attemptId: string | null;
  switchAccount: boolean;
}

interface Attempt {
  switchAccount: boolean;
  startedAt: number;
  progress: LoginProgress;
  waiting: Set<() => void>;
}

/** What came with a request to log in; null where nothing did. */
export interface LoginRequest {
  ticket: string | null;
  attemptId: string | null;
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
  /** What a request proves; uses nothing up. */
  proofOf(request: LoginRequest): LoginProof | null;
  /**
   * A browser asks to log in. Uses its ticket up.
   * @param cookie the browser's cookie, null without one
   * @returns where to send the browser, and its new cookie
   */
  begin(request: LoginRequest, cookie: string | null): { location: string; cookie: string };
  /** For a browser that has to come back under another name of this server. */
  passOn(): string;
  /** For a browser that is the owner's: lets it start a login once, within a minute, wherever it comes from. */
  issueTicket(attemptId: string | null): string;
  /** Whether the flow was started with something that only the owner has. False for an unknown one. */
  isOwners(state: string | null): boolean;
  /**
   * Finishes a flow.
   * @param cookie the browser's cookie, null without one
   * @throws RelayError; the words are for the terminal and the log, never for a page
   */
  complete(query: CallbackQuery, cookie: string | null): Promise<AccountSummary>;
  /** The cookie without the secrets of flows that are over; '' when none is left. */
  liveCookie(cookie: string): string;
  /** `relay login` begins. */
  start(options: { switchAccount: boolean }): { attemptId: string; providerUrl: string };
  progress(attemptId: string, waitMs: number): Promise<LoginProgress>;
  paste(attemptId: string, address: string): Promise<LoginProgress>;
}

export function createLogin(options: LoginOptions): Login {
  const { clock, random } = options;
  const flowRoom = () => createRoom<Flow>(ROOM, LOGIN_LIFETIME_MS, clock);
  const flows: Record<Origin, ReturnType<typeof flowRoom>> = {
    terminal: flowRoom(),
    ticket: flowRoom(),
    attempt: flowRoom(),
    passed: flowRoom(),
    browser: flowRoom(),
  };
  const rooms = Object.values(flows);
  const attempts = createRoom<Attempt>(ROOM, ATTEMPT_LIFETIME_MS, clock);
  const tickets = createRoom<{ attemptId: string | null }>(ROOM, TICKET_LIFETIME_MS, clock);
  const passes = createRoom<true>(ROOM, TICKET_LIFETIME_MS, clock);
  const secret = () => random.bytes(32).toString('base64url');

  function openFlow(flow: Omit<Flow, 'verifier'>): string {
    const state = secret();
    const verifier = secret();
    flows[flow.origin].put(state, { ...flow, verifier });
    return authorizeUrl(options.app(), {
      redirectUri: options.redirectUri(),
      state,
      verifier,
      showDialog: flow.switchAccount,
    });
  }

  function flowOf(state: string | null): Flow | null {
    if (state === null) return null;
    return rooms.map((room) => room.get(state)).find((flow) => flow !== null) ?? null;
  }

  function takeFlow(state: string | null, cookie: string | null): Flow {
    const flow = flowOf(state);
    if (state !== null) for (const room of rooms) room.take(state);
    if (!flow) {
      throw failed('This login is not known: it is too old, was used before, or did not start here.');
    }
    if (flow.browser !== null && !secretsIn(cookie).map(hashOf).includes(flow.browser)) {
      throw settle(flow, failed('The login came back from another browser than the one that started it.'));
    }
    return flow;
  }

  /** The secrets in a cookie whose flows are under way, oldest first. */
  function liveSecrets(cookie: string | null): string[] {
    const sent = secretsIn(cookie);
    if (sent.length === 0) return [];
    const live = new Set(rooms.flatMap((room) => [...room.values()].map(({ browser }) => browser)));
    return sent.filter((value) => live.has(hashOf(value)));
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
    const attempt = flow.attemptId === null ? null : attempts.get(flow.attemptId);
    if (!attempt) return;
    attempt.progress = progress;
    for (const wake of attempt.waiting) wake();
  }

  async function complete(query: CallbackQuery, cookie: string | null): Promise<AccountSummary> {
    const flow = takeFlow(query.state, cookie);
    try {
      const account = await connect(flow, query);
      const summary = summaryOf(account);
      finish(flow, { state: 'connected', account: summary });
      return summary;
    } catch (error) {
      throw settle(flow, asRelayError(error));
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

  /** The attempt if a flow for it may still begin. */
  function openAttempt(attemptId: string | null): Attempt | null {
    const attempt = attemptId === null ? null : attempts.get(attemptId);
    if (attempt?.progress.state !== 'pending') return null;
    return attempt.startedAt + LOGIN_LIFETIME_MS > clock.now() ? attempt : null;
  }

  function proofOf({ ticket, attemptId }: LoginRequest): LoginProof | null {
    const key = ticket === null ? null : hashOf(ticket);
    if (key !== null && tickets.get(key)) return 'ticket';
    if (openAttempt(attemptId)) return 'attempt';
    return key !== null && passes.get(key) ? 'passed' : null;
  }

  return {
    complete,
    proofOf,
    begin(request, cookie) {
      const origin = proofOf(request) ?? 'browser';
      const key = hashOf(request.ticket ?? '');
      passes.take(key);
      const attemptId = tickets.take(key)?.attemptId ?? request.attemptId;
      const attempt = openAttempt(attemptId);
      const own = secret();
      const location = openFlow({
        origin,
        browser: hashOf(own),
        attemptId: attempt && attemptId,
        switchAccount: attempt?.switchAccount ?? false,
      });
      return { location, cookie: [...liveSecrets(cookie), own].slice(-TABS).join('.') };
    },
    passOn() {
      const pass = secret();
      passes.put(hashOf(pass), true);
      return pass;
    },
    issueTicket(attemptId) {
      const ticket = secret();
      tickets.put(hashOf(ticket), { attemptId });
      return ticket;
    },
    isOwners(state) {
      const origin = flowOf(state)?.origin;
      return origin === 'terminal' || origin === 'ticket' || origin === 'attempt';
    },
    liveCookie: (cookie) => liveSecrets(cookie).join('.'),
    start({ switchAccount }) {
      const attemptId = random.uuid();
      const providerUrl = openFlow({ origin: 'terminal', browser: null, attemptId, switchAccount });
      attempts.put(attemptId, {
        switchAccount,
        startedAt: clock.now(),
        progress: { state: 'pending' },
        waiting: new Set(),
      });
      return { attemptId, providerUrl };
    },
    async progress(attemptId, waitMs) {
      const attempt = attemptOf(attemptId);
      if (attempt.progress.state === 'pending' && waitMs > 0) await settledWithin(attempt, waitMs, clock);
      return attempt.progress;
    },
    async paste(attemptId, address) {
      const attempt = attemptOf(attemptId);
      const query = readPasted(address);
      const flow = flowOf(query.state);
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

function secretsIn(cookie: string | null): string[] {
  const values = cookie === null ? [] : cookie.split('.').slice(0, TABS);
  return values.filter((value) => SECRET.test(value));
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

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function failed(message: string): RelayError {
  return new RelayError('LOGIN_FAILED', message, { remedy: "Start again with 'relay login'." });
}
