/** Proof of the owner: a secret that this browser keeps for this origin alone. A cookie would go to every port of this host. */

const NAME = 'relay.owner';

/** The secret as this page alone knows it, for a browser that blocks storage. */
let unkept: string | null = null;

/** The secret of this browser; null if it is not signed in. */
export function secret(): string | null {
  try {
    return localStorage.getItem(NAME) ?? unkept;
  } catch {
    return unkept;
  }
}

/** Keeps the secret; null forgets it. */
export function keep(value: string | null): void {
  unkept = value;
  try {
    if (value === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, value);
  } catch {
    // Storage is blocked, so this browser has to sign in again on the next page.
  }
}

/** Calls `tell` when another tab signs in or out. */
export function onOtherTab(tell: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key !== NAME && key !== null) return;
    unkept = null;
    tell();
  });
}

/** The server's refusal of a request. `status` is 0 if the server did not answer. */
export class Refused extends Error {
  readonly status: number;
  readonly remedy: string | null;

  constructor(status: number, error: Record<string, unknown>) {
    super(typeof error.message === 'string' ? error.message : 'relay does not answer. Is it still running?');
    this.status = status;
    this.remedy = typeof error.remedy === 'string' ? error.remedy : null;
  }
}

/** How long to wait for an answer: longer than the slowest calls, which end after 50 seconds. */
const PATIENCE_MS = 60_000;

/** @throws Refused */
export async function send(path: string, init: RequestInit, patienceMs = PATIENCE_MS): Promise<Response> {
  const headers = new Headers(init.headers);
  const proof = secret();
  if (proof !== null) headers.set('x-relay-owner', proof);
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetch(path, { cache: 'no-store', ...init, headers, signal }).catch(() => null);
  if (response === null) throw new Refused(0, {});
  if (response.ok) return response;
  const content = await response.json().catch(() => ({}));
  throw new Refused(response.status, content.error ?? {});
}

/** @throws Refused */
export async function post(
  path: string,
  body: object,
  more: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...more };
  return (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

/** True if this browser is signed in. @throws Refused if the check fails */
export async function isSignedIn(): Promise<boolean> {
  if (secret() === null) return false;
  try {
    await post('/owner/check', {});
    return true;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error;
    keep(null);
    return false;
  }
}

/** @throws Refused with a message for the person */
export async function signInWithCode(code: string): Promise<void> {
  keep((await post('/owner/code', { code })).secret as string);
}

/** Why the sign-in with a code failed, for the person. */
export function codeProblem(error: unknown): string {
  return error instanceof Refused ? error.message : 'relay could not check the code. Try again.';
}

/** Uses the ticket in the address, if there is one. `next` is where to continue, or null. @throws Refused */
export async function signInWithTicket(): Promise<{ used: boolean; next: string | null }> {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
  if (ticket === null) return { used: false, next: null };
  history.replaceState(null, '', location.pathname);
  const { secret: fresh, next } = await post('/owner/ticket', { ticket });
  keep(fresh as string);
  return { used: true, next: next as string | null };
}
