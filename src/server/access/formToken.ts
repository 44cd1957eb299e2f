/**
 * Makes sure that only our own pages can send a form (RFC 9700 4.7). Each form has a token, signed over a cookie of its
 * browser, the subject of the form, and the time. A foreign page can neither read nor make such a token, and a token of one
 * form does not fit another. The cookie proves nothing else, since browsers send it to every port of this host.
 */
import { createHmac } from 'node:crypto';
import type { Clock, Random } from '../../base/clock.ts';
import { newSecret } from '../../base/digest.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import type { HttpContext } from '../http/context.ts';
import { cookieOf, setCookie } from '../http/cookies.ts';

const COOKIE_SECONDS = 24 * 3600;

export interface FormTokens {
  /** Returns a token for a form about `subject`. Sends the browser a cookie if it has none. */
  issue(context: HttpContext, subject: string): string;
  /** How long ago the form was issued, in milliseconds; null if the token is not valid. */
  ageMs(context: HttpContext, subject: string, token: string | null): number | null;
  /** Identifies the browser for limits; the same for all browsers without a cookie. */
  browserOf(context: HttpContext): string;
}

/** Makes form tokens. Their key lasts until the server stops, so after a restart an open page has to be loaded again. */
export function createFormTokens({ clock, random }: { clock: Clock; random: Random }): FormTokens {
  const key = random.bytes(32);
  const sign = (cookie: string, subject: string, madeAt: number) => {
    const text = JSON.stringify([cookie, subject, madeAt]);
    return `${madeAt}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  return {
    issue(context, subject) {
      const name = cookieName(context);
      let cookie = cookieOf(context, name);
      if (!cookie) {
        cookie = newSecret(random);
        // The cookie is `SameSite=Lax`. With `Strict`, a browser that comes from a client's page would get a new cookie. The
        // form in another tab would no longer be valid.
        setCookie(context, name, cookie, { path: '/', maxAgeSeconds: COOKIE_SECONDS });
      }
      return sign(cookie, subject, clock.now());
    },
    ageMs(context, subject, token) {
      const cookie = cookieOf(context, cookieName(context));
      const madeAt = Number(/^(\d{1,15})\./.exec(token ?? '')?.[1]);
      if (!cookie || token === null || Number.isNaN(madeAt)) return null;
      return equalSecrets(token, sign(cookie, subject, madeAt)) ? clock.now() - madeAt : null;
    },
    browserOf: (context) => cookieOf(context, cookieName(context)) ?? '',
  };
}

function cookieName({ baseUrl }: HttpContext): string {
  return `relay_form${new URL(baseUrl).port.replace(/^(?=\d)/, '_')}`;
}
