/**
 * Decides whether the person at a browser is the owner. Nothing that a browser sends automatically proves it. Browsers send
 * cookies to every port of this host, so a program that listens on another port gets them too. The owner types the code from
 * the terminal, or opens a link with a ticket from the command line. The page's script then keeps a secret, which browsers
 * store separately for each origin.
 */
import { type Random, systemClock } from '../../base/clock.ts';
import { hashOf, newSecret } from '../../base/digest.ts';
import { createWindow } from '../../base/rateWindow.ts';
import { ownerCodeLength } from '../../config/rules.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import { findBrowser, putBrowser, touchBrowser } from '../../store/tables/browsers.ts';
import type { Core } from '../core.ts';
import { clientAddress } from '../http/address.ts';
import { labelOf } from '../http/browser.ts';
import type { HttpContext } from '../http/context.ts';
import { HttpError } from '../http/toHttp.ts';
import { isNear, isUnder, originOf } from './caller.ts';

const REMEMBERED_MS = 30 * 24 * 3600_000;
const MAX_BROWSERS = 10;
/** Several uses of a browser within this time are stored as one. */
const TOUCH_MS = 10 * 60_000;
const TICKET_MS = 60_000;
/** Number of wrong codes a minute from one address; this machine is one address. */
const WRONG_CODES = 5;
/** How long the answer to a wrong code takes beyond that, in real time: it is about sockets. */
const WRONG_MS = 1_000;
/** Maximum number of such answers that wait, so that they leave connections for the owner. Others are sent at once. */
const MAX_WAITING = 300;

/** Letters and digits of a code, without those that are easily mistaken for others: no 0, O, 1, I, L, U. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Result of checking a code. If `waitSeconds` is more than 0, there were too many wrong codes, and this is when to try again. */
type CodeCheck = { ok: true } | { ok: false; waitSeconds: number };

export type Owner = ReturnType<typeof createOwner>;

export function createOwner({ settings, store, clock, random, log, quietLog }: Core) {
  const secret = settings.mcpOauthOwnerSecret;
  const code = secret ?? makeOwnerCode(random, ownerCodeLength(settings));
  const wrong = createWindow(WRONG_CODES, clock);
  let waiting = 0;
  const tickets = new Map<string, { origin: string; next: string | null; expiresAt: number }>();

  function isRight(typed: string): boolean {
    return equalSecrets(secret === null ? tidied(typed) : typed.trim(), code);
  }

  function known(context: HttpContext, given: string | null) {
    const origin = originOf(context);
    if (given === null || origin === null) return null;
    const now = clock.now();
    const browser = findBrowser(store, hashOf(given), origin, now);
    if (browser && now - browser.lastUsedAt >= TOUCH_MS) {
      browser.expiresAt = now + REMEMBERED_MS;
      touchBrowser(store, browser.id, now, browser.expiresAt);
      store.saveSoon();
    }
    return browser;
  }

  return {
    /** The code that the owner types in the browser; shown on the terminal only. */
    code,
    /**
     * Checks a typed code. After five wrong codes in a minute, the answer to a further one is slow. From another address, the
     * right code is then refused as well; on this machine it is accepted at once, whatever else is sent, so nobody can lock the
     * owner out.
     */
    async tryCode(context: HttpContext, typed: string): Promise<CodeCheck> {
      const near = await isNear(context);
      const address = near ? 'near' : clientAddress(context);
      const waitSeconds = wrong.waitSeconds(address);
      if (isRight(typed) && (near || waitSeconds === 0)) return { ok: true };
      quietLog.warn({ requestId: context.requestId, fromThisMachine: near }, 'wrong owner code');
      if (waitSeconds === 0) wrong.count(address);
      else if (waiting < MAX_WAITING) {
        waiting++;
        await systemClock.sleep(WRONG_MS);
        waiting--;
      }
      return { ok: false, waitSeconds };
    },
    /**
     * Remembers the browser for 30 days after each use and returns the secret that its page keeps. At most ten browsers are
     * remembered. Beyond that, the one that was unused for longest is dropped.
     * @param given the secret that the page already has, which is returned if it is still valid; null without one
     * @throws HttpError `FORBIDDEN_ORIGIN` if the request contradicts itself about its origin
     */
    remember(context: HttpContext, given: string | null): string {
      if (given !== null && known(context, given) !== null) return given;
      const origin = originOf(context);
      if (origin === null) throw new HttpError('FORBIDDEN_ORIGIN');
      const fresh = newSecret(random);
      const now = clock.now();
      const browser = {
        id: random.bytes(4).toString('hex'),
        origin,
        label: labelOf(context.request.headers['user-agent']),
        createdAt: now,
        lastUsedAt: now,
        expiresAt: now + REMEMBERED_MS,
      };
      putBrowser(store, browser, hashOf(fresh), MAX_BROWSERS);
      store.saveSoon();
      log.info({ browser: browser.label, origin: browser.origin }, 'browser remembered');
      return fresh;
    },
    /** The browser with this secret; null if no such browser is remembered. The call counts as a use of the browser. */
    rememberedWith: known,
    /**
     * Makes a ticket for a browser that the command line opens at `/#ticket=…`. The ticket signs in the first browser that uses
     * it within a minute.
     * @param origin of the address that is opened. If the ticket is used under another origin, somebody else has read it, so it
     * is refused and no longer valid
     * @param next path of this server at which the browser continues; null to stay on the page
     */
    issueTicket(origin: string, next: string | null): string {
      if (next !== null && !/^\/(?![/\\])/.test(next))
        throw new Error('a ticket leads to a path of this server');
      for (const [hash, { expiresAt }] of tickets) if (expiresAt <= clock.now()) tickets.delete(hash);
      const ticket = newSecret(random);
      tickets.set(hashOf(ticket), { origin, next, expiresAt: clock.now() + TICKET_MS });
      return ticket;
    },
    /** True if a ticket is neither used nor expired. @param ticketId SHA-256 of the ticket, in hex */
    isWaiting: (ticketId: string) => (tickets.get(ticketId)?.expiresAt ?? 0) > clock.now(),
    /** Uses up a ticket and returns the `next` that it was made with; null if the ticket is not valid. */
    takeTicket(context: HttpContext, ticket: string): { next: string | null } | null {
      const hash = hashOf(ticket);
      const found = tickets.get(hash);
      tickets.delete(hash);
      if (!found || found.expiresAt <= clock.now()) return null;
      if (isUnder(found.origin, context)) return { next: found.next };
      quietLog.warn({ requestId: context.requestId }, 'ticket refused: it was made for another address');
      return null;
    },
  };
}

/** A new code: `XXXX-XXXX-XX` for ten letters. At a thousand tries a second, trying half of these codes takes 9,000 years. */
function makeOwnerCode(random: Random, length: number): string {
  let letters = '';
  while (letters.length < length) {
    const [byte = 255] = random.bytes(1);
    // Higher bytes are skipped, so that every letter is equally likely.
    if (byte < 240) letters += LETTERS[byte % LETTERS.length];
  }
  return inFours(letters);
}

function tidied(typed: string): string {
  return inFours(typed.toUpperCase().replace(/[^0-9A-Z]/g, ''));
}

function inFours(letters: string): string {
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
