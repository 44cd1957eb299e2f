/** A small browser in which the owner approves clients and proves to be the owner. */
import assert from 'node:assert/strict';
import { authorizeUrl, json, newClient, type Registered } from '../oauth/clients.ts';
import { type Answer, send } from './http.ts';
import type { Relay } from './world.ts';

/** How long the page's script holds Approve. */
export const READING_MS = 500;

/** A browser that keeps its cookies, as the owner uses it. */
export interface OwnerBrowser {
  open(url: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends the page's form with the button that a person presses. `changes` replaces fields; a null removes its field. */
  submit(
    page: Answer,
    decision: 'approve' | 'deny',
    changes?: Record<string, string | null>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  cookies: Map<string, string>;
}

export function ownerBrowser(baseUrl: string): OwnerBrowser {
  const cookies = new Map<string, string>();
  const visit = async (url: string, options: Parameters<typeof send>[1] = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { cookie }), ...options.headers };
    const answer = await send(url, { ...options, headers });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    open: (url, headers = {}) => visit(url, { headers }),
    async submit(page, decision, changes = {}, headers = {}) {
      const form = new URLSearchParams([...formFields(page), ['decision', decision]]);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) form.delete(name);
        else form.set(name, value);
      }
      const type = { 'content-type': 'application/x-www-form-urlencoded', origin: baseUrl };
      return visit(`${baseUrl}/oauth/authorize`, {
        method: 'POST',
        headers: { ...type, ...headers },
        body: form.toString(),
      });
    },
  };
}

/** The hidden fields of the page's form. */
export function formFields(page: Answer): Array<[string, string]> {
  const inputs = page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** The parameters with which the browser comes back to the client. */
export function answerOf(answer: Answer): Record<string, string> {
  assert.ok(answer.status === 302 || answer.status === 303, `${answer.status}: ${answer.text}`);
  return Object.fromEntries(new URL(String(answer.headers.location)).searchParams);
}

/** A new client, and its approval page in the owner's browser. */
export async function openPage(
  baseUrl: string,
  metadata: object = {},
): Promise<{ client: Registered; browser: OwnerBrowser; page: Answer }> {
  const client = await newClient(baseUrl, metadata);
  const browser = ownerBrowser(baseUrl);
  const page = await browser.open(authorizeUrl(baseUrl, { client_id: client.client_id }));
  return { client, browser, page };
}

/** Opens the page, types the owner code, approves; returns the code. */
export async function approve(
  relay: Relay,
  clientId: string,
  parameters: Record<string, string | string[] | null> = {},
): Promise<string> {
  const { baseUrl, server } = relay;
  const browser = ownerBrowser(baseUrl);
  const page = await browser.open(authorizeUrl(baseUrl, { client_id: clientId, ...parameters }));
  assert.equal(page.status, 200, page.text);
  const answer = await browser.submit(page, 'approve', { owner_code: server.ownerCode ?? '' });
  const { code } = answerOf(answer);
  assert.ok(code, String(answer.headers.location));
  return code;
}

/** Sends a request as the script of a page does. */
export function askOwner(
  baseUrl: string,
  path: 'check' | 'code' | 'ticket',
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/json', origin: baseUrl };
  return send(`${baseUrl}/owner/${path}`, {
    method: 'POST',
    headers: { ...type, ...headers },
    body: JSON.stringify(body),
  });
}

/** Types the owner code as the script does; returns the secret that proves this browser from then on. */
export async function signIn(relay: Pick<Relay, 'baseUrl' | 'server'>, userAgent?: string): Promise<string> {
  const headers: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const answer = await askOwner(relay.baseUrl, 'code', { code: relay.server.ownerCode ?? '' }, headers);
  assert.equal(answer.status, 200, answer.text);
  return String(json(answer).secret);
}

/** The cards of the owner's page as the server draws them: their HTML by their ID. */
export async function cardsOf(
  { baseUrl }: Pick<Relay, 'baseUrl'>,
  headers: Record<string, string>,
  view = 'home',
): Promise<Record<string, string>> {
  const { status, text } = await send(`${baseUrl}/owner/cards?view=${view}`, { headers });
  assert.equal(status, 200, text);
  const { cards } = JSON.parse(text) as { cards: Array<{ id: string; html: string }> };
  return Object.fromEntries(cards.map(({ id, html }) => [id, html]));
}
