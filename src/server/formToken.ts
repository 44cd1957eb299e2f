/**
 * Forms that only our own pages can send (RFC 9700 4.7): a token in the form, made from a cookie of this browser and from
 * what the form is about. A foreign page knows neither, and a token of one form does not fit another.
 */
import { createHmac } from 'node:crypto';
import type { Random } from '../domain/clock.ts';
import { newSecret } from '../oauth/digest.ts';
import { equalSecrets } from '../secrets/seal.ts';
import { cookieOf, type Exchange, setCookie } from './exchange.ts';

const COOKIE_SECONDS = 24 * 3600;

export interface FormTokens {
  /** The token for a form about `subject`; gives the browser its cookie where it has none. */
  issue(exchange: Exchange, subject: string): string;
  check(exchange: Exchange, subject: string, token: string | null): boolean;
}

/** The key lives as long as the server: after a restart an open page has to be loaded again. */
export function createFormTokens(random: Random): FormTokens {
  const key = random.bytes(32);
  const sign = (cookie: string, subject: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([cookie, subject]))
      .digest('base64url');
  return {
    issue(exchange, subject) {
      const name = cookieName(exchange);
      let cookie = cookieOf(exchange, name);
      if (!cookie) {
        cookie = newSecret(random);
        setCookie(exchange, name, cookie, { path: '/', maxAgeSeconds: COOKIE_SECONDS });
      }
      return sign(cookie, subject);
    },
    check(exchange, subject, token) {
      const cookie = cookieOf(exchange, cookieName(exchange));
      return Boolean(cookie) && equalSecrets(token ?? '', sign(cookie ?? '', subject));
    },
  };
}

function cookieName({ baseUrl }: Exchange): string {
  return `relay_form${new URL(baseUrl).port.replace(/^(?=\d)/, '_')}`;
}
