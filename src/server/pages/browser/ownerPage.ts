/**
 * The owner's page. It proves that the person is the owner, then reads the state every few seconds while the page is visible.
 * Reading the state costs no request to Spotify. While the server is away, the page waits, and then continues by itself.
 */
import { isWorking } from '../../../domain/job.ts';
import type { OwnerState } from '../../../domain/ownerPage.ts';
import { type App, button, type Doing, plainButton, problemOf, withCode } from './app.ts';
import { cardsOf, VIEWS, type View } from './cardList.ts';
import { MAX_EVENTS } from './cards/events.ts';
import { type Child, draw, h } from './dom.ts';
import { summary } from './heading.ts';
import { createImporter } from './importing.ts';
import { createPicker } from './picker.ts';
import { createPolling, type Outcome } from './polling.ts';
import { ask, keep, onOtherTab, RELAY, Refused, secret, send, signInWithTicket } from './session.ts';
import { type SignIn, signInPart } from './signIn.ts';

/** Maximum number of playlists whose names one request asks for, which is the server's limit. */
const MAX_NAMED = 50;

/** How long a notice stays, unless it is about a failure. */
const NOTICE_MS = 6_000;

export function ownerPage(root: HTMLElement): void {
  let state: OwnerState | null = null;
  let etag = '';
  let isAway = false;
  let noticeTimer: ReturnType<typeof setTimeout> | undefined;
  const signIn: SignIn = { problem: null, isBusy: false };
  const doing: Doing = {
    notice: null,
    busy: new Set(),
    asking: null,
    askedAt: 0,
    copied: null,
    setup: null,
    undo: null,
    versions: null,
    hidesSteps: false,
    editsClientId: false,
    whole: new Set(),
    events: null,
    eventsWanted: null,
    followed: null,
  };
  const app: App = {
    get state() {
      if (state === null) throw new Error('nothing was read yet');
      return state;
    },
    doing,
    redraw,
    set,
    act,
    tell,
    openPicker: (job) => void picker.open(job),
    showEvents,
    follow,
    get importer() {
      return importer;
    },
  };
  const picker = createPicker(() => app);
  const importer = createImporter(app);
  const polling = createPolling(read);

  async function read(): Promise<Outcome> {
    if (secret() === null) return signedOut(null);
    try {
      const headers: HeadersInit = etag === '' ? {} : { 'if-none-match': etag };
      const response = await send('/owner/state', { headers }, 10_000);
      const wasAway = isAway;
      isAway = false;
      if (response.status !== 304) {
        const fresh: OwnerState = await response.json();
        // After an update, the state needs the script of the new build.
        if (fresh.build !== root.dataset.build && mayLoadAgain(fresh.build)) {
          location.reload();
          return 'stop';
        }
        etag = response.headers.get('etag') ?? '';
        // After a switch of accounts, perhaps in another tab, what was read of the former account must not pass for the new one's.
        if (state && state.account.name !== fresh.account.name) {
          doing.versions = null;
          importer.forgetPlaylists();
        }
        state = fresh;
        await readEvents();
        askForNames(fresh);
      }
      if (response.status !== 304 || wasAway || Date.now() - drawnAt > REDRAW_MS || state?.playing?.isPlaying)
        redraw();
      if (state?.jobs.some(({ status }) => isWorking(status))) return 'moving';
      return response.status === 304 ? 'same' : 'changed';
    } catch (error) {
      if (error instanceof Refused && error.status === 401) {
        keep(null);
        return signedOut('This browser is no longer remembered. Sign in again.');
      }
      isAway = true;
      redraw();
      return 'away';
    }
  }

  /** Asks for unknown names, once for each playlist: if Spotify does not give the name, the page shows the ID. */
  function askForNames({ unnamed, account }: Pick<OwnerState, 'unnamed' | 'account'>): void {
    const ids = unnamed.filter((id) => !asked.has(id)).slice(0, MAX_NAMED);
    if (ids.length === 0 || !account.connected) return;
    for (const id of ids) asked.add(id);
    // The rest is asked for once these have answered.
    const rest = () => askForNames({ unnamed, account });
    ask('playlists/names', { ids }).then(
      () => {
        rest();
        return polling.now();
      },
      () => {},
    );
  }

  async function readEvents(): Promise<void> {
    const limit = doing.eventsWanted;
    doing.events = limit === null ? null : await ask('events/list', { limit });
  }

  async function showEvents(limit: number | null): Promise<void> {
    doing.eventsWanted = limit === null ? null : Math.min(limit, MAX_EVENTS);
    await readEvents();
    redraw();
  }

  function follow(job: string): void {
    doing.followed = job;
    followedIn = null;
  }

  /** Scrolls to the job that was begun on this page, wherever it is now, and keeps the focus on it. */
  function showFollowed(hadFocus: boolean): void {
    const { followed } = doing;
    if (followed === null) return;
    const row = document.getElementById(`job-${followed}`) ?? document.getElementById(`event-${followed}`);
    const part = row?.closest('section')?.id ?? null;
    if (row === null || part === followedIn) return;
    if (followedIn === null || hadFocus) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'center' });
    followedIn = part;
    if (row.id.startsWith('event-')) doing.followed = null;
  }

  function signedOut(why: string | null): 'stop' {
    state = null;
    etag = '';
    isAway = false;
    if (why !== null) signIn.problem = why;
    // The picker is in front of the page, and shows what only the owner may see.
    picker.leave();
    redraw();
    return 'stop';
  }

  async function act(name: string, work: () => Promise<unknown>, done?: string): Promise<boolean> {
    if (doing.busy.has(name)) return false;
    doing.busy.add(name);
    if (doing.notice?.failed === name) doing.notice = null;
    redraw();
    try {
      await work();
      if (done !== undefined) tell(done);
      return true;
    } catch (error) {
      tell(problemOf(error), true, name);
      return false;
    } finally {
      doing.busy.delete(name);
      redraw();
      await polling.now();
    }
  }

  function tell(text: string, isBad = false, failed: string | null = null): void {
    doing.notice = { text, isBad, failed };
    clearTimeout(noticeTimer);
    if (!isBad) noticeTimer = setTimeout(hush, NOTICE_MS);
    redraw();
  }

  function set(change: Partial<Doing>): void {
    Object.assign(doing, change);
    redraw();
  }

  const hush = () => set({ notice: null });

  const asked = new Set<string>();
  let followedIn: string | null = null;
  let drawnAt = 0;
  function redraw(): void {
    drawnAt = Date.now();
    document.title = `${isAway ? 'relay has stopped' : 'relay is running'} · relay`;
    if (state === null) {
      // While the secret is being tried there is nothing to show yet.
      if (secret() === null || isAway) draw(root, awayPart(), !isAway && signInPart(signIn, redraw, begin));
      return;
    }
    const before = document.activeElement;
    const part = before?.closest('section')?.id;
    const hadFocus = before?.id === `job-${doing.followed}`;
    draw(root, ...signedIn());
    // The focused element is gone, so people who use the keyboard continue from the card's title.
    if (part !== undefined && document.activeElement === document.body) {
      document.getElementById(`${part}-title`)?.focus({ preventScroll: true });
    }
    showFollowed(hadFocus);
    picker.redraw();
  }

  function signedIn(): Child[] {
    return [
      awayPart(),
      h.div(
        { class: 'line top', key: 'top' },
        summary(app, isAway),
        h.div({ class: 'row', inert: isAway }, viewsPart(), signOutButton()),
      ),
      h.div({ key: `view ${view()}`, class: 'view', inert: isAway }, cardsOf(app, view())),
      noticePart(),
    ];
  }

  function awayPart(): Child {
    return (
      isAway &&
      h.p(
        { class: 'notice', key: 'away', role: 'status' },
        'relay does not answer. This page reconnects by itself: ',
        h.code(`${RELAY} serve`),
        ' starts it.',
      )
    );
  }

  function signOutButton(): Child {
    return button(app, 'sign-out', 'Sign out', signOut, { kind: 'quiet' });
  }

  function viewsPart(): Child {
    const shown = view();
    return h.nav(
      { class: 'views', 'aria-label': 'Views' },
      Object.entries(VIEWS).map(([id, title]) =>
        h.a({ key: id, href: `#${id}`, 'aria-current': id === shown ? 'page' : null }, title),
      ),
    );
  }

  async function signOut(): Promise<void> {
    await ask('sign-out', {});
    keep(null);
    doing.notice = null;
  }

  function noticePart(): Child {
    const { notice } = doing;
    return h.div(
      { class: 'toast', key: 'toast', role: 'status' },
      notice !== null &&
        h.div(
          { class: notice.isBad ? 'line bad' : 'line' },
          h.span(withCode(notice.text)),
          plainButton('Close', hush),
        ),
    );
  }

  async function begin(): Promise<void> {
    signIn.problem = null;
    await polling.now();
    if (state !== null) tell('You are signed in.');
  }

  async function useTicket(): Promise<void> {
    try {
      const { used, next } = await signInWithTicket();
      if (next !== null) return location.replace(next);
      if (used) return begin();
    } catch (error) {
      const isOld = error instanceof Refused && error.status !== 0;
      signIn.problem = isOld
        ? 'This link was used before or is older than a minute. Run the command again.'
        : problemOf(error);
    }
    await polling.now();
  }

  onOtherTab(() => void polling.now());
  // A link with a ticket may be opened while this page is already open.
  addEventListener('hashchange', () => void useTicket());
  addEventListener('hashchange', redraw);
  useTicket();
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

function view(): View {
  return location.hash === '#diagnostics' ? 'diagnostics' : 'home';
}

/** How often relative times are refreshed. */
const REDRAW_MS = 20_000;
