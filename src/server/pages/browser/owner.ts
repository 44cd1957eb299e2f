/**
 * The owner's page: proves that the person is the owner, asks for the cards every few seconds while the page is visible, puts in
 * those that have changed, and makes the calls that the person presses. The server draws everything.
 */
import { takeFiles } from './files.ts';
import { morph } from './morph.ts';
import type { OwnerPage } from './ownerPage.ts';
import { createPolling, type Outcome } from './polling.ts';
import { listenToPresses } from './presses.ts';
import {
  codeProblem,
  keep,
  onOtherTab,
  post,
  Refused,
  secret,
  send,
  signInWithCode,
  signInWithTicket,
} from './session.ts';
import { fillTimes, withLocalTimes } from './times.ts';

/** A card as the server sends it; without `html`, it is as it was. */
interface Card {
  id: string;
  place: string;
  hash: string;
  html?: string;
}

/** How long a notice stays, unless it is about a failure. */
const NOTICE_MS = 6_000;
/** How often relative times are written again. */
const TIMES_MS = 20_000;

export function ownerPage(root: HTMLElement): void {
  const part = (id: string) => document.getElementById(id) as HTMLElement;
  const [page, away, signIn] = [part('page'), part('away'), part('sign-in')];
  const form = signIn.querySelector('form') as HTMLFormElement;
  const toast = part('toast').firstElementChild as HTMLElement;
  const hashes = new Map<string, string>();
  const busy = new Set<string>();
  /** What the page has asked by itself: each question once, even if it has no answer. */
  const asked = new Set<string>();
  const tab = tabName();
  const asHtml = htmlPolicy();
  let noticeTimer: ReturnType<typeof setTimeout> | undefined;
  /** True if the person has done something since the cards were last shown. */
  let isOwn = false;
  let focused: Element | null = null;

  const own: OwnerPage = {
    act: (call, given, button) =>
      work(`${call} ${JSON.stringify(given)}`, () => post(`/owner/${call}`, given, own.headers()), button),
    work,
    tell,
    headers: () => ({ 'x-relay-tab': tab }),
    program: root.dataset.relay ?? 'relay',
    armed: null,
  };
  const polling = createPolling(read);

  async function read(): Promise<Outcome> {
    if (secret() === null) return signedOut('');
    try {
      const headers = { ...own.headers(), 'x-relay-has': [...hashes.values()].join(' ') };
      const view = location.hash === '#diagnostics' ? 'diagnostics' : 'home';
      const { build, cards, isMoving } = await (
        await send(`/owner/cards?view=${view}`, { headers }, 10_000)
      ).json();
      // After an update, the cards need the script and the style of the new build.
      if (build !== root.dataset.build && mayLoadAgain(build)) {
        location.reload();
        return 'stop';
      }
      setAway(false);
      signIn.hidden = true;
      page.hidden = false;
      const isChanged = show(cards);
      return isMoving ? 'moving' : isChanged ? 'changed' : 'same';
    } catch (error) {
      if (error instanceof Refused && error.status === 401) {
        keep(null);
        return signedOut('This browser is no longer remembered. Sign in again.');
      }
      if (!(error instanceof Refused)) throw error;
      setAway(true);
      return 'away';
    }
  }

  /** Puts the cards in. @returns true if one has changed */
  function show(cards: readonly Card[]): boolean {
    const before = document.activeElement;
    const section = before?.closest('section, [data-place] > *') ?? null;
    let isChanged = false;
    for (const place of page.querySelectorAll('[data-place]')) {
      const here = cards.filter((card) => card.place === place.getAttribute('data-place'));
      const ids = new Set(here.map(({ id }) => id));
      for (const card of [...place.children]) {
        if (ids.has(card.id)) continue;
        card.remove();
        hashes.delete(card.id);
      }
      for (const [index, { id, hash, html }] of here.entries()) {
        const present = document.getElementById(id);
        if (html === undefined || (present && isHeld(present))) continue;
        const fresh = asHtml(html);
        fillTimes(fresh);
        if (present) morph(present, fresh);
        else place.insertBefore(fresh, place.children[index] ?? null);
        hashes.set(id, hash);
        isChanged = true;
      }
    }
    if (isOwn) moveFocus(before, section);
    isOwn = false;
    for (const { dataset } of page.querySelectorAll<HTMLElement>('[data-auto]')) askByItself(dataset);
    return isChanged;
  }

  /** True for a card that asks whether a press was meant, or in which the person is typing. */
  function isHeld(card: Element): boolean {
    if (card.contains(own.armed)) return true;
    const field = document.activeElement;
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    return (
      !isOwn && isField && card.contains(field) && field.value !== field.defaultValue && !field.dataset.call
    );
  }

  /** After an action: to what has opened, or to the card's title if what had the focus is gone. */
  function moveFocus(before: Element | null, section: Element | null): void {
    const opened = page.querySelector<HTMLElement>('[data-focus]');
    if (opened !== focused) opened?.focus({ preventScroll: false });
    focused = opened;
    const isLost = document.activeElement === document.body && before !== document.body;
    if (isLost && section)
      document.querySelector<HTMLElement>(`#${section.id}-title`)?.focus({ preventScroll: true });
  }

  function askByItself({ auto = '', given = '{}' }: DOMStringMap): void {
    const key = `${auto} ${given}`;
    if (asked.has(key)) return;
    asked.add(key);
    post(`/owner/${auto}`, JSON.parse(given), own.headers()).then(
      () => polling.now(),
      () => {},
    );
  }

  async function work(
    name: string,
    task: () => Promise<Record<string, unknown>>,
    button?: HTMLElement,
  ): Promise<boolean> {
    if (busy.has(name)) return false;
    busy.add(name);
    button?.setAttribute('aria-disabled', 'true');
    try {
      follow(await task());
      return true;
    } catch (error) {
      tell(problemOf(error), true);
      return false;
    } finally {
      busy.delete(name);
      button?.removeAttribute('aria-disabled');
      isOwn = true;
      await polling.now();
    }
  }

  /** What the page does after a call. */
  function follow({ told, next, file, reload, signedOut: isOut }: Record<string, unknown>): void {
    if (typeof told === 'string') tell(told);
    if (typeof next === 'string') location.assign(next);
    if (file) save(file as { name: string; text: string });
    if (reload) location.reload();
    if (isOut) keep(null);
  }

  function tell(text: string, isBad = false): void {
    clearTimeout(noticeTimer);
    const words = withLocalTimes(text)
      .replace(/"([^"]*)"/g, '“$1”')
      .split(/`(relay .+?)`/)
      .map((one, index) =>
        index % 2 === 1 ? Object.assign(document.createElement('code'), { textContent: one }) : one,
      );
    toast.firstElementChild?.replaceChildren(...words);
    toast.classList.toggle('bad', isBad);
    toast.hidden = text === '';
    if (!isBad) noticeTimer = setTimeout(() => tell('', true), NOTICE_MS);
  }

  function setAway(isAway: boolean): void {
    away.hidden = !isAway;
    page.inert = isAway;
    document.title = `${isAway ? 'relay has stopped' : 'relay is running'} · relay`;
  }

  function signedOut(why: string): 'stop' {
    for (const place of page.querySelectorAll('[data-place]')) place.replaceChildren();
    hashes.clear();
    setAway(false);
    page.hidden = true;
    signIn.hidden = form.hidden = false;
    if (why !== '') showProblem(why);
    return 'stop';
  }

  function showProblem(text: string): void {
    part('code-problem').textContent = text;
    part('code-problem').hidden = text === '';
    part('owner-code').toggleAttribute('aria-invalid', text !== '');
  }

  async function begin(): Promise<void> {
    showProblem('');
    await polling.now();
    if (!page.hidden) tell('You are signed in.');
  }

  async function useTicket(): Promise<void> {
    try {
      const { used, next } = await signInWithTicket();
      if (next !== null) return location.replace(next);
      if (used) return begin();
    } catch (error) {
      const isOld = error instanceof Refused && error.status !== 0;
      showProblem(
        isOld
          ? 'This link was used before or is older than a minute. Run the command again.'
          : problemOf(error),
      );
    }
    await polling.now();
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const field = part('owner-code') as HTMLInputElement;
    if (busy.has('sign-in')) return;
    busy.add('sign-in');
    try {
      await signInWithCode(field.value);
      field.value = '';
      await begin();
    } catch (error) {
      showProblem(codeProblem(error));
      field.select();
    }
    busy.delete('sign-in');
  });
  toast.lastElementChild?.addEventListener('click', () => tell('', true));
  onOtherTab(() => void polling.now());
  // A link with a ticket may be opened while this page is already open.
  addEventListener('hashchange', async () => {
    isOwn = true;
    await useTicket();
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  });
  setInterval(() => fillTimes(page), TIMES_MS);
  listenToPresses(own, page);
  takeFiles(own);
  useTicket();
}

/** What went wrong and what to do, in one line. */
function problemOf(error: unknown): string {
  if (!(error instanceof Refused)) return 'Something went wrong on this page. Load it again.';
  return error.remedy === null ? error.message : `${error.message} ${error.remedy}`;
}

/** The only place that makes elements from text: what the server has drawn and escaped. The browser refuses any other. */
function htmlPolicy(): (html: string) => Element {
  const rules = { createHTML: (html: string) => html };
  const types = (
    window as { trustedTypes?: { createPolicy(name: string, given: typeof rules): typeof rules } }
  ).trustedTypes;
  const policy = types?.createPolicy('relay', rules) ?? rules;
  return (html) => {
    const template = document.createElement('template');
    template.innerHTML = policy.createHTML(html);
    return template.content.firstElementChild as Element;
  };
}

/** The name of this page, under which the server remembers what is open on it. It survives a reload. */
function tabName(): string {
  const fresh = crypto.randomUUID();
  try {
    const name = sessionStorage.getItem('relay.tab') ?? fresh;
    sessionStorage.setItem('relay.tab', name);
    return name;
  } catch {
    return fresh;
  }
}

/** True once per build, so that a cache that keeps the old page does not cause endless reloads. */
function mayLoadAgain(build: string): boolean {
  try {
    if (sessionStorage.getItem('relay.build') === build) return false;
    sessionStorage.setItem('relay.build', build);
    return true;
  } catch {
    return false;
  }
}

function save({ name, text }: { name: string; text: string }): void {
  const href = URL.createObjectURL(new Blob([text]));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
