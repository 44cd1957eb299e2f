/**
 * Connecting the account: who may start a login, who may finish it, and what is stored.
 *
 * A flow is one trip to the provider, identified by its `state`: random, valid for ten minutes, used once. A flow that a
 * browser started is tied to that browser by a secret in its cookie, made for this flow only. Cookies of 127.0.0.1 are sent to
 * every port and can be set from every port. So a secret that a browser sends is never reused for a new flow. Anyone who knows
 * or chose such a secret could make the owner's browser finish a stranger's login (login CSRF). A flow whose address
 * `relay login --no-browser` shows is tied to that terminal: only a reader of the terminal knows the state.
 *
 * An attempt is one `relay login`, which may lead to several flows. Each way to start has its own bounded room, so that starts
 * of one kind cannot push out those of another.
 */

import type { Clock, Random } from '../../base/clock.ts';
import { hashOf } from '../../base/digest.ts';
import { visibleText } from '../../base/visibleText.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import type { AccountSummary, LoginProgress } from '../../domain/localApi.ts';
import type { ProviderApi } from '../api.ts';
import type { Network } from '../http/transport.ts';
import {
  authorizeUrl,
  exchangeCode,
  missingScopes,
  PROVIDER_SCOPES,
  type ProviderApp,
} from './accountsApi.ts';
import { createRoom } from './loginRooms.ts';
import { type Profile, readProfile } from './profile.ts';
import type { StoredTokens } from './tokenSource.ts';

export const LOGIN_LIFETIME_MS = 10 * 60_000;
/** Lifetime of a ticket or a pass. The browser that gets one uses it at once. */
const TICKET_LIFETIME_MS = 60_000;
/** Lifetime of an attempt, longer than any `relay login` waits. */
const ATTEMPT_LIFETIME_MS = 2 * 3_600_000;
/** The form of the secrets made here: 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;
/**
 * Maximum number of entries of a room. Programs on this machine may start logins; the limit bounds what the server remembers
 * about them.
 */
const ROOM_SIZE = 200;
/** Maximum number of flows of one browser at the same time (tabs). */
const MAX_TABS = 8;

export interface AccountRecord {
  /** The provider's pseudonymous `account_id`, or the user ID if it gives none. */
  id: string;
  userId: string;
  name: string | null;
  scopes: string[];
  /** Time when the owner consented, in Unix milliseconds. */
  consentAt: number;
  /** Time when the provider ends the login: six months after consent, in Unix milliseconds. */
  loginExpiresAt: number;
}

export interface AccountKeeper {
  read(): AccountRecord | null;
  /** Stores account and tokens. Resolves when they are on disk; from then on every request uses these tokens. */
  connect(account: AccountRecord, tokens: StoredTokens): Promise<void>;
}

/**
 * The proof with which a browser asks to log in. `ticket`: the owner's ticket, from a file that only the owner can read.
 * `attempt`: the address that `relay login` shows. `passed`: this server redirected the browser from another of its host names.
 */
export type LoginProof = 'ticket' | 'attempt' | 'passed';

/** How a flow started: by an address on the terminal, or by a browser with or without a proof. */
type Origin = 'terminal' | LoginProof | 'browser';

interface Flow {
  origin: Origin;
  verifier: string;
  /** SHA-256 of the flow's secret in the browser's cookie; null for a flow shown on the terminal. */
  browser: string | null;
  /** The `relay login` that the flow belongs to; null if a browser started it by itself. */
  attemptId: string | null;
  /** True if the login may connect another account than the present one. */
  switchAccount: boolean;
  /** The redirect URI that the flow began with: the provider wants the same one with the code (RFC 6749 4.1.3). */
  redirectUri: string;
}

interface Attempt {
  switchAccount: boolean;
  /** Start of the attempt on the monotonic clock. */
  startedAt: number;
  progress: LoginProgress;
  waiting: Set<() => void>;
}

/** Parts of a request to log in; null stands for an absent part. */
interface LoginRequest {
  /** A ticket or a pass. */
  ticket: string | null;
  attemptId: string | null;
}

export interface LoginOptions extends Network {
  app: () => ProviderApp;
  /** The Web API with a token that is not stored yet. */
  apiWith(accessToken: string): Pick<ProviderApi, 'send'>;
  keeper: AccountKeeper;
  random: Random;
  /** Called once the tokens are on disk and in use. */
  onConnected(account: AccountRecord): void;
}

interface CallbackQuery {
  state: string | null;
  code: string | null;
  error: string | null;
}

export interface Login {
  /** The proof that a request carries; null if it carries none. Consumes nothing. */
  proofOf(request: LoginRequest): LoginProof | null;
  /**
   * Begins a flow for a browser that asks to log in, and consumes its ticket or pass.
   * @param cookie the browser's cookie, null without one
   * @param redirectUri where the provider sends the browser back to
   * @returns the address to send the browser to, and its new cookie
   */
  begin(
    request: LoginRequest,
    cookie: string | null,
    redirectUri: string,
  ): { location: string; cookie: string };
  /** Makes a pass for a browser that is redirected to another host name of this server. */
  passOn(): string;
  /** Makes a ticket, with which the owner's browser may start one login within a minute, from any page. */
  issueTicket(attemptId: string | null): string;
  /** True if the flow was started with something that only the owner has; false for an unknown flow. */
  isOwners(state: string | null): boolean;
  /**
   * Finishes a flow.
   * @param cookie the browser's cookie, null without one
   * @throws RelayError; its text is for the terminal and the log, never for a page
   */
  complete(query: CallbackQuery, cookie: string | null): Promise<AccountSummary>;
  /** Returns the cookie without the secrets of flows that are finished or expired; '' if no secret remains. */
  liveCookie(cookie: string): string;
  /** Begins an attempt for `relay login`, and a flow whose address (`providerUrl`) is for the terminal alone. */
  start(options: { switchAccount: boolean; redirectUri: string }): { attemptId: string; providerUrl: string };
  /** ID of the newest `relay login` attempt with this `switchAccount` that still waits for a browser; null if there is none. */
  waiting(switchAccount: boolean): string | null;
  /**
   * Returns how an attempt stands. If the attempt is pending, first waits up to `waitMs` for its end.
   * @throws RelayError `LOGIN_FAILED` if the attempt is unknown or too old
   */
  progress(attemptId: string, waitMs: number): Promise<LoginProgress>;
  /**
   * Finishes a flow of an attempt with the address that a browser on another machine ended on. Returns how the attempt then
   * stands: a failed login is a result, not an error.
   * @throws RelayError `LOGIN_FAILED` if the attempt is unknown or too old, or the address belongs to none of its flows
   */
  paste(attemptId: string, address: string): Promise<LoginProgress>;
}

export function createLogin(options: LoginOptions): Login {
  const { clock, random } = options;
  const flowRoom = () => createRoom<Flow>(ROOM_SIZE, LOGIN_LIFETIME_MS, clock);
  const flows: Record<Origin, ReturnType<typeof flowRoom>> = {
    terminal: flowRoom(),
    ticket: flowRoom(),
    attempt: flowRoom(),
    passed: flowRoom(),
    browser: flowRoom(),
  };
  const rooms = Object.values(flows);
  const attempts = createRoom<Attempt>(ROOM_SIZE, ATTEMPT_LIFETIME_MS, clock);
  const tickets = createRoom<{ attemptId: string | null }>(ROOM_SIZE, TICKET_LIFETIME_MS, clock);
  const passes = createRoom<true>(ROOM_SIZE, TICKET_LIFETIME_MS, clock);
  const secret = () => random.bytes(32).toString('base64url');

  function openFlow(flow: Omit<Flow, 'verifier'>): string {
    const state = secret();
    const verifier = secret();
    flows[flow.origin].put(state, { ...flow, verifier });
    return authorizeUrl(options.app(), {
      redirectUri: flow.redirectUri,
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
      throw loginFailed('This login is unknown: it expired, was already used, or was not started here.');
    }
    if (flow.browser !== null && !secretsIn(cookie).some((value) => hashOf(value) === flow.browser)) {
      throw fail(
        flow,
        loginFailed('The login was finished in a different browser from the one that started it.'),
      );
    }
    return flow;
  }

  /** The secrets in a cookie whose flows are still open, oldest first. */
  function liveSecrets(cookie: string | null): string[] {
    const sent = secretsIn(cookie);
    if (sent.length === 0) return [];
    const live = new Set(rooms.flatMap((room) => [...room.values()].map(({ browser }) => browser)));
    return sent.filter((value) => live.has(hashOf(value)));
  }

  /** Records the error in the flow's attempt, if the flow has one, and returns the error. */
  function fail(flow: Flow, error: RelayError): RelayError {
    finish(flow, {
      state: 'failed',
      code: error.code,
      message: error.message,
      remedy: error.remedyValue ?? null,
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
      throw fail(flow, asRelayError(error));
    }
  }

  async function connect(flow: Flow, query: CallbackQuery): Promise<AccountRecord> {
    if (query.error !== null) throw loginFailed('The login was declined on the Spotify page.');
    if (!query.code) throw loginFailed('The address that Spotify redirected to has no code.');
    const app = options.app();
    const grant = { code: query.code, verifier: flow.verifier, redirectUri: flow.redirectUri };
    const answer = await exchangeCode(app, grant, options);
    const profile = await readProfile(options.apiWith(answer.accessToken));
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
      account: account.userId,
      accessToken: answer.accessToken,
      refreshToken: answer.refreshToken,
      accessExpiresAt: now + answer.expiresIn * 1000,
    });
    options.onConnected(account);
    return account;
  }

  function attemptOf(attemptId: string): Attempt {
    const attempt = attempts.get(attemptId);
    if (!attempt) throw loginFailed('This login has expired.');
    return attempt;
  }

  /** The attempt with an ID, if a flow may still be started for it; otherwise null. */
  function openAttempt(attemptId: string | null): Attempt | null {
    const attempt = attemptId === null ? null : attempts.get(attemptId);
    if (attempt?.progress.state !== 'pending') return null;
    return attempt.startedAt + LOGIN_LIFETIME_MS > clock.monotonic() ? attempt : null;
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
    begin(request, cookie, redirectUri) {
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
        redirectUri,
      });
      return { location, cookie: [...liveSecrets(cookie), own].slice(-MAX_TABS).join('.') };
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
    start({ switchAccount, redirectUri }) {
      const attemptId = random.uuid();
      const providerUrl = openFlow({
        origin: 'terminal',
        browser: null,
        attemptId,
        switchAccount,
        redirectUri,
      });
      attempts.put(attemptId, {
        switchAccount,
        startedAt: clock.monotonic(),
        progress: { state: 'pending' },
        waiting: new Set(),
      });
      return { attemptId, providerUrl };
    },
    waiting(switchAccount) {
      const open = [...attempts.keys()].filter((id) => openAttempt(id)?.switchAccount === switchAccount);
      return open.at(-1) ?? null;
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
        throw loginFailed('The pasted address does not belong to this login.');
      }
      // A terminal may break a long address over two lines. Half of it must not use up the state.
      if (query.code === null && query.error === null) throw loginFailed('The pasted address is not whole.');
      // Pasting the address proves as much as the browser's cookie, so no cookie is needed: only someone who saw the address
      // bar can paste it.
      flow.browser = null;
      await complete(query, null).catch(() => {});
      return attempt.progress;
    },
  };
}

function secretsIn(cookie: string | null): string[] {
  const values = cookie === null ? [] : cookie.split('.').slice(0, MAX_TABS);
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

/** Reads the query of the address that the browser ended on; a query without an address works too. */
function readPasted(text: string): CallbackQuery {
  const query = text
    .trim()
    .replace(/^[^?]*\?/, '')
    .replace(/#.*$/, '');
  const params = new URLSearchParams(query);
  return { state: params.get('state'), code: params.get('code'), error: params.get('error') };
}

function summaryOf(account: AccountRecord): AccountSummary {
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
  const [theirs, ours] = [accountName(profile), accountName(present)];
  throw new RelayError(
    'LOGIN_FAILED',
    `The browser is logged in to Spotify as ${theirs}, but the connected account is ${ours}.`,
    {
      remedy: {
        text: `Log out on the Spotify page and log in as ${ours}, or run {command} to connect ${theirs} instead.`,
        command: ['login', '--switch-account'],
      },
      details: { reason: 'other_account' },
    },
  );
}

function accountName({ name, userId }: Pick<Profile, 'name' | 'userId'>): string {
  const id = visibleText(userId, 60);
  return name === null ? id : `${visibleText(name, 60)} (${id})`;
}

/** The end of a login: six months after consent, however often it is refreshed (the provider's notice of 2026-06-18). */
function sixMonthsAfter(time: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + 6);
  // 31 August plus six months is not a date, so use the last day of February.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

function loginFailed(message: string): RelayError {
  return new RelayError('LOGIN_FAILED', message, {
    remedy: { text: 'Start again with {command}.', command: ['login'] },
  });
}
