/**
 * The owner's page: proves that the person is the owner, asks for the cards every few seconds while the page is visible, makes the
 * calls that the person presses, and puts in the cards that have changed. The server draws everything.
 */
import { takeFiles } from './files.ts';
import { morph } from './morph.ts';
import { listenToPresses } from './presses.ts';
import {
  asJson,
  keep,
  type OwnerPage,
  onOtherTab,
  problemOf,
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

/** What the server answers: the cards, and what a call adds. */
interface Answer {
  build: string;
  cards?: Card[];
  isMoving: boolean;
  told?: string;
  next?: string;
  file?: { name: string; text: string };
  signedOut?: true;
}

/** How often to ask for the cards: while a job is at work, usually, while relay is away, and after some quiet minutes. */
const MOVING_MS = 700;
const USUAL_MS = 2_000;
const AWAY_MS = 1_500;
const CALM_MS = 20_000;
const QUIET_MS = 300_000;
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
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let livelyAt = Date.now();
  let waitMs = USUAL_MS;
  /** Number of the last request, and of the one whose answer is on display. */
  let [sent, seen] = [0, 0];
  let focused: Element | null = null;

  /** Sends a request that is answered with the cards, and shows them. @param isOwn true for what a person did. @throws Refused */
  async function ask(path: string, init: RequestInit, patienceMs?: number, isOwn = false): Promise<Answer> {
    sent++;
    const turn = sent;
    const headers = { ...init.headers, 'x-relay-tab': tab, 'x-relay-has': [...hashes.values()].join(' ') };
    const view = location.hash === '#diagnostics' ? 'diagnostics' : 'home';
    const answer = await send<Answer>(`/owner/${path}?view=${view}`, { ...init, headers }, patienceMs);
    const { build, cards = [], isMoving } = answer;
    // After an update, the cards need the script and the style of the new build; shown again, covers need the policy.
    if (cards.length > 0 && build !== root.dataset.build) location.reload();
    else if (turn > seen && cards.length > 0) {
      seen = turn;
      setAway(false);
      signIn.hidden = true;
      page.hidden = false;
      if (show(cards, isOwn) || isMoving) livelyAt = Date.now();
    }
    return answer;
  }

  async function poll(isOwn = false): Promise<void> {
    clearTimeout(pollTimer);
    if (secret() === null) return signedOut('');
    try {
      const { isMoving } = await ask('cards', {}, 10_000, isOwn);
      waitMs = isMoving ? MOVING_MS : Date.now() - livelyAt > QUIET_MS ? CALM_MS : USUAL_MS;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 401) {
        keep(null);
        return signedOut('This browser is no longer remembered. Sign in again.');
      }
      setAway(true);
      waitMs = AWAY_MS;
    }
    clearTimeout(pollTimer);
    if (!document.hidden) pollTimer = setTimeout(poll, waitMs);
  }

  /** Puts the cards in. @returns true if one has changed */
  function show(cards: readonly Card[], isOwn: boolean): boolean {
    const before = document.activeElement;
    const section = before?.closest('section, [data-place] > *') ?? null;
    let isChanged = false;
    for (const place of page.querySelectorAll('[data-place]')) {
      const here = cards.filter((card) => card.place === place.getAttribute('data-place'));
      for (const card of [...place.children]) {
        if (here.some(({ id }) => id === card.id)) continue;
        card.remove();
        hashes.delete(card.id);
      }
      for (const [index, { id, hash, html }] of here.entries()) {
        if (html === undefined) continue;
        const present = document.getElementById(id);
        const fresh = asHtml(html);
        fillTimes(fresh);
        if (present) morph(present, fresh);
        else place.insertBefore(fresh, place.children[index] ?? null);
        hashes.set(id, hash);
        isChanged = true;
      }
    }
    if (isOwn) moveFocus(before, section);
    for (const { dataset } of page.querySelectorAll<HTMLElement>('[data-auto]')) askByItself(dataset);
    return isChanged;
  }

  /** After an action: to what has opened, or to the card's title if what had the focus is gone. */
  function moveFocus(before: Element | null, section: Element | null): void {
    const opened = page.querySelector<HTMLElement>('[data-focus]');
    if (opened !== focused) opened?.focus();
    focused = opened;
    const isLost = document.activeElement === document.body && before !== document.body;
    if (isLost && section)
      document.querySelector<HTMLElement>(`#${section.id}-title`)?.focus({ preventScroll: true });
  }

  function askByItself({ auto = '', given = '{}' }: DOMStringMap): void {
    const key = `${auto} ${given}`;
    if (asked.has(key)) return;
    asked.add(key);
    ask(auto, asJson(JSON.parse(given))).catch(() => {});
  }

  async function work(
    path: string,
    init: RequestInit,
    patienceMs?: number,
    button?: HTMLElement,
  ): Promise<boolean> {
    const name = `${path} ${init.body}`;
    if (busy.has(name)) return false;
    busy.add(name);
    button?.setAttribute('aria-disabled', 'true');
    livelyAt = Date.now();
    try {
      const { told, next, file, signedOut: isOut } = await ask(path, init, patienceMs, true);
      if (told !== undefined) tell(told);
      if (next !== undefined) location.assign(next);
      if (file !== undefined) save(file);
      if (isOut) keep(null);
      if (isOut || waitMs > MOVING_MS) poll();
      return true;
    } catch (error) {
      tell(problemOf(error), true);
      poll(true);
      return false;
    } finally {
      busy.delete(name);
      button?.removeAttribute('aria-disabled');
    }
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

  function signedOut(why: string): void {
    for (const place of page.querySelectorAll('[data-place]')) place.replaceChildren();
    hashes.clear();
    // What is still on its way is not shown any more.
    seen = sent;
    setAway(false);
    page.hidden = true;
    signIn.hidden = form.hidden = false;
    if (why !== '') showProblem(why);
  }

  function showProblem(text: string): void {
    part('code-problem').textContent = text;
    part('code-problem').hidden = text === '';
    part('owner-code').toggleAttribute('aria-invalid', text !== '');
  }

  async function begin(): Promise<void> {
    showProblem('');
    await poll();
    if (!page.hidden) tell('You are signed in.');
  }

  async function useTicket(): Promise<void> {
    try {
      const { used, next } = await signInWithTicket();
      if (next !== null) return location.replace(next);
      if (used) return begin();
    } catch (error) {
      const isOld = error instanceof Refused && error.status !== 0;
      const old = 'This link was used before or is older than a minute. Run the command again.';
      showProblem(isOld ? old : problemOf(error));
    }
    await poll(true);
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const field = part('owner-code') as HTMLInputElement;
    if (form.inert) return;
    form.inert = true;
    try {
      await signInWithCode(field.value);
      field.value = '';
      await begin();
    } catch (error) {
      showProblem(problemOf(error));
    }
    form.inert = false;
    field.select();
  });
  toast.lastElementChild?.addEventListener('click', () => tell('', true));
  onOtherTab(() => void poll());
  // A link with a ticket may be opened while this page is already open.
  addEventListener('hashchange', async () => {
    await useTicket();
    const target = document.getElementById(location.hash.slice(1));
    target?.scrollIntoView();
    target?.focus();
  });
  for (const sign of ['pointermove', 'keydown', 'focus', 'online']) {
    addEventListener(
      sign,
      () => {
        livelyAt = Date.now();
        if (waitMs !== CALM_MS && sign !== 'online') return;
        waitMs = USUAL_MS;
        poll();
      },
      { passive: true },
    );
  }
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(pollTimer);
    else poll();
  });
  setInterval(() => fillTimes(page), TIMES_MS);
  const act: OwnerPage['act'] = (call, given, button) => work(call, asJson(given), undefined, button);
  const own = { act, work, tell, program: root.dataset.relay ?? 'relay' };
  listenToPresses(own, page);
  takeFiles(own);
  useTicket();
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
    sessionStorage.setItem('relay.tab', sessionStorage.getItem('relay.tab') ?? fresh);
    return sessionStorage.getItem('relay.tab') ?? fresh;
  } catch {
    return fresh;
  }
}

function save({ name, text }: { name: string; text: string }): void {
  const href = URL.createObjectURL(new Blob([text]));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
