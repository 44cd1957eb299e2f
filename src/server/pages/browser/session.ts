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

/** The server's refusal of a request, in words for the person. `status` is 0 if the server did not answer. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, { message, remedy }: { message?: string; remedy?: string }) {
    super([message ?? 'relay does not answer. Is it still running?', remedy].filter(Boolean).join(' '));
    this.status = status;
  }
}

/** How long to wait for an answer: longer than the slowest calls, which end after 50 seconds. */
const PATIENCE_MS = 60_000;

/** Sends a request with the proof, and returns the JSON of the answer. @throws Refused */
export async function send<T>(path: string, init: RequestInit, patienceMs = PATIENCE_MS): Promise<T> {
  const headers = new Headers(init.headers);
  const proof = secret();
  if (proof !== null) headers.set('x-relay-owner', proof);
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetch(path, { cache: 'no-store', ...init, headers, signal }).catch(() => null);
  if (response === null) throw new Refused(0, {});
  const content = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, content.error ?? {});
  return content;
}

export function asJson(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** True if this browser is signed in. @throws Refused if the check fails */
export async function isSignedIn(): Promise<boolean> {
  if (secret() === null) return false;
  try {
    await send('/owner/check', asJson({}));
    return true;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error;
    keep(null);
    return false;
  }
}

/** @throws Refused with a message for the person */
export async function signInWithCode(code: string): Promise<void> {
  keep((await send<{ secret: string }>('/owner/code', asJson({ code }))).secret);
}

/** What went wrong, for the person. */
export function problemOf(error: unknown): string {
  return error instanceof Refused ? error.message : 'Something went wrong on this page. Load it again.';
}

/** Uses the ticket in the address, if there is one. `next` is where to continue, or null. @throws Refused */
export async function signInWithTicket(): Promise<{ used: boolean; next: string | null }> {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
  if (ticket === null) return { used: false, next: null };
  history.replaceState(null, '', location.pathname);
  const taken = await send<{ secret: string; next: string | null }>('/owner/ticket', asJson({ ticket }));
  keep(taken.secret);
  return { used: true, next: taken.next };
}

/** What the parts of the script of the owner's page use. */
export interface OwnerPage {
  /** Makes a call, says how it ended, and shows the cards. False if it failed or is under way already. */
  act(call: string, given: object, button?: HTMLElement): Promise<boolean>;
  /** Does the same with a request that is no call. */
  work(path: string, init: RequestInit, patienceMs?: number, button?: HTMLElement): Promise<boolean>;
  tell(text: string, isBad?: boolean): void;
  /** How commands begin here. */
  program: string;
}
