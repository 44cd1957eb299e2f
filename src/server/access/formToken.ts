/**
 * Makes sure that only our own pages can send a form (RFC 9700 4.7). Each form has a token, signed over a cookie of its browser
 * and the subject of the form. A foreign page can neither read nor make such a token, and a token of one form does not fit
 * another. The cookie proves nothing else, since browsers send it to every port of this host.
 */
import { createHmac } from 'node:crypto';
import type { Random } from '../../base/clock.ts';
import { newSecret } from '../../base/digest.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import type { HttpContext } from '../http/context.ts';
import { cookieOf, setCookie } from '../http/cookies.ts';

const COOKIE_SECONDS = 24 * 3600;

export type FormTokens = ReturnType<typeof createFormTokens>;

/** Makes form tokens. Their key lasts until the server stops, so after a restart an open page has to be loaded again. */
export function createFormTokens({ random }: { random: Random }) {
  const key = random.bytes(32);
  const sign = (cookie: string, subject: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([cookie, subject]))
      .digest('base64url');
  return {
    /** Returns a token for a form about `subject`. Sends the browser a cookie if it has none. */
    issue(context: HttpContext, subject: string): string {
      const name = cookieName(context);
      let cookie = cookieOf(context, name);
      if (!cookie) {
        cookie = newSecret(random);
        // The cookie is `SameSite=Lax`. With `Strict`, a browser that comes from a client's page would get a new cookie. The
        // form in another tab would no longer be valid.
        setCookie(context, name, cookie, { path: '/', maxAgeSeconds: COOKIE_SECONDS });
      }
      return sign(cookie, subject);
    },
    isValid(context: HttpContext, subject: string, token: string | null): boolean {
      const cookie = cookieOf(context, cookieName(context));
      return Boolean(cookie) && token !== null && equalSecrets(token, sign(cookie ?? '', subject));
    },
  };
}

function cookieName({ baseUrl }: HttpContext): string {
  return `relay_form${new URL(baseUrl).port.replace(/^(?=\d)/, '_')}`;
}
