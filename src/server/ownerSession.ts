/**
 * Who at a browser is the owner. Proved once per browser, by the owner code or by arriving through `relay login`; a
 * cookie remembers it. Browsers send a cookie to every port of its host, so its name has the port: two servers on this
 * machine do not overwrite each other's.
 */
import type { Clock, Random } from '../domain/clock.ts';
import { hashOf, newSecret } from '../oauth/digest.ts';
import { createWindow } from '../oauth/window.ts';
import { equalSecrets } from '../secrets/seal.ts';
import { isOwnerSession, putOwnerSession } from '../store/ownerSessions.ts';
import type { Store } from '../store/types.ts';
import { cookieOf, type Exchange, setCookie } from './exchange.ts';

const SESSION_SECONDS = 30 * 24 * 3600;
const TICKET_MS = 60_000;
const WRONG_CODES_PER_MINUTE = 5;

/** Nothing that could be taken for something else when read from one screen and typed at another: no 0, O, 1, I, L, U. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

export type CodeVerdict = { ok: true } | { ok: false; waitSeconds: number };

export interface OwnerSessions {
  /** What the owner types in the browser; shown on the terminal only. */
  readonly code: string;
  isSignedIn(exchange: Exchange): boolean;
  /** Judges a typed code. After five wrong ones in a minute every code is refused for `waitSeconds`. */
  tryCode(typed: string): CodeVerdict;
  signIn(exchange: Exchange): void;
  /** Signs the browser in that comes with it first, within a minute, and leads it to `next`. Its ID is its SHA-256. */
  issueTicket(next: string | null): string;
  /** Whether a ticket is neither taken nor over. */
  isWaiting(ticketId: string): boolean;
  takeTicket(ticket: string | null): boolean;
}

export interface OwnerSessionOptions {
  store: Store;
  clock: Clock;
  random: Random;
  /** `MCP_OAUTH_OWNER_SECRET`; null: a code is made. */
  secret: string | null;
  /** Letters of a code that is made; 8 without it. */
  codeLength?: number;
}

export function createOwnerSessions(options: OwnerSessionOptions): OwnerSessions {
  const { store, clock, random, secret } = options;
  const code = secret ?? makeOwnerCode(random, options.codeLength);
  const wrong = createWindow(WRONG_CODES_PER_MINUTE, clock);
  const tickets = new Map<string, { next: string | null; expiresAt: number }>();

  return {
    code,
    isSignedIn(exchange) {
      const cookie = cookieOf(exchange, cookieName(exchange));
      return cookie !== null && isOwnerSession(store, hashOf(cookie), clock.now());
    },
    tryCode(typed) {
      const waitSeconds = wrong.waitSeconds('');
      if (waitSeconds > 0) return { ok: false, waitSeconds };
      const given = secret === null ? tidied(typed) : typed.trim();
      if (equalSecrets(given, code)) return { ok: true };
      wrong.count('');
      return { ok: false, waitSeconds: 0 };
    },
    signIn(exchange) {
      const cookie = newSecret(random);
      putOwnerSession(store, hashOf(cookie), clock.now(), clock.now() + SESSION_SECONDS * 1000);
      store.saveSoon();
      setCookie(exchange, cookieName(exchange), cookie, { path: '/', maxAgeSeconds: SESSION_SECONDS });
    },
    issueTicket(next) {
      for (const [hash, { expiresAt }] of tickets) if (expiresAt <= clock.now()) tickets.delete(hash);
      const ticket = newSecret(random);
      tickets.set(hashOf(ticket), { next, expiresAt: clock.now() + TICKET_MS });
      return ticket;
    },
    isWaiting: (ticketId) => (tickets.get(ticketId)?.expiresAt ?? 0) > clock.now(),
    takeTicket(ticket) {
      const hash = hashOf(ticket ?? '');
      const expiresAt = tickets.get(hash)?.expiresAt;
      tickets.delete(hash);
      return expiresAt !== undefined && expiresAt > clock.now();
    },
  };
}

/** `XXXX-XXXX` for 8 letters, 39 bits: at five tries a minute, half of them would take 100,000 years. */
export function makeOwnerCode(random: Random, length = 8): string {
  let letters = '';
  while (letters.length < length) {
    const [byte = 255] = random.bytes(1);
    // The rest of 256 is left out, so that every letter is as likely as any other.
    if (byte < 240) letters += LETTERS[byte % LETTERS.length];
  }
  return grouped(letters);
}

/** A code as people type it: in any case, with or without the dash. */
function tidied(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^0-9A-Z]/g, '');
  return grouped(letters);
}

function grouped(letters: string): string {
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

function cookieName({ baseUrl }: Exchange): string {
  return `relay_owner${new URL(baseUrl).port.replace(/^(?=\d)/, '_')}`;
}
