/**
 * The picker for entries that did not resolve: one key settles an entry, and the next one shows at once. Choices are sent in the
 * background, a few at a time.
 */

import { isPastSettling } from '../../../domain/job.ts';
import type { OwnerCalls, PageCandidate, PageItem, PageJob } from '../../../domain/ownerPage.ts';
import { type Fix, SETTLE_KEYS } from '../../../domain/settling.ts';
import { type App, name, plainButton, problemOf, row, withCode } from './app.ts';
import { type Child, draw, h } from './dom.ts';
import { count, minutes, number, short } from './format.ts';
import { ask, hasCode, Refused } from './session.ts';

/** Number of candidates that have a key. */
const KEYS = 5;
/** More entries are read when fewer than this are left. */
const AHEAD = 5;

export interface Picker {
  open(job: string): Promise<void>;
  /** Closes the picker for good: choices that are not sent yet are lost. */
  leave(): void;
  /** Called when the state has been read again. */
  redraw(): void;
}

interface Work {
  job: string;
  /** The job as it was read with the entries; null until then. */
  read: PageJob | null;
  /** The job in the page's state when the entries were read. If that changes, they are read again; null: they have to be read. */
  seen: string | null;
  /** Why nothing can be settled any more: the job writes, is over or is gone. */
  end: string | null;
  items: PageItem[];
  /** True if all entries have been read. */
  isAll: boolean;
  /** Index in `items` of the entry on display. */
  at: number;
  /** What the last search found for the entry at this position; null if nothing was searched for it. */
  found: { position: number; candidates: PageCandidate[] } | null;
  isSearching: boolean;
  problem: string | null;
  /** True if the problem is that the server did not answer. */
  isAway: boolean;
  /** True while entries are being read. */
  isReading: boolean;
  /** Number of entries that were settled here. */
  settled: number;
  /** The entries that accepting all near matches would settle, while the page asks whether to accept them. */
  near: OwnerCalls['jobs/near']['answer'] | null;
  /** Number of choices that could not be sent, and so are lost. */
  lost: number;
  /** Choices that are not sent yet, and how many entries each settles. */
  queue: Array<{ fix: Fix; entries: number }>;
  /** Pending while choices are being sent. */
  sending: Promise<void> | null;
}

export function createPicker(app: () => App): Picker {
  const dialog = document.createElement('dialog');
  dialog.className = 'picker';
  dialog.setAttribute('aria-labelledby', 'picker-title');
  document.body.append(dialog);
  let work: Work | null = null;

  const current = (): PageItem | undefined => work?.items[work.at];
  const candidates = (): PageCandidate[] => {
    const item = current();
    const found = work?.found?.position === item?.position ? work?.found : null;
    return (found?.candidates ?? item?.candidates ?? []).slice(0, KEYS);
  };

  async function open(job: string): Promise<void> {
    const earlier = work;
    work = {
      job,
      read: null,
      seen: null,
      end: null,
      items: [],
      isAll: false,
      at: 0,
      found: null,
      isSearching: false,
      problem: null,
      isAway: false,
      isReading: false,
      settled: 0,
      near: null,
      lost: 0,
      queue: [],
      sending: null,
    };
    dialog.showModal();
    show();
    if (earlier !== null) await sent(earlier);
    await read();
  }

  /** The job as the page's state has it. */
  const inState = ({ job }: Work): string =>
    JSON.stringify(app().state.jobs.find(({ id }) => id === job)) ?? '';

  /** Reads the entries that are open now, until nothing has changed meanwhile, here or elsewhere. */
  async function read(): Promise<void> {
    if (work === null || work.isReading) return;
    const own = work;
    own.isReading = true;
    try {
      do {
        await sent(own);
        const { items: before } = own;
        own.seen = inState(own);
        const { job, items } = await ask('jobs/items', { id: own.job, offset: 0 });
        // Otherwise a choice was made meanwhile, and the answer may still have its entry.
        if (own.items === before) accept(own, job, items);
        else own.seen = null;
      } while (work === own && own.seen !== inState(own));
      if (own.isAway) Object.assign(own, { problem: null, isAway: false });
    } catch (error) {
      if (hasCode(error, 'JOB_NOT_FOUND')) {
        endWith(own, 'relay no longer has this job, so there is nothing to settle.');
      } else {
        own.seen = null;
        fail(own, error);
      }
    }
    own.isReading = false;
    show();
  }

  function accept(own: Work, job: PageJob, items: PageItem[]): void {
    own.read = job;
    if (isPastSettling(job)) {
      endWith(own, endOf(job));
      return;
    }
    const { position = 0 } = own.items[own.at] ?? {};
    own.items = items;
    own.isAll = items.length < PAGE;
    // If the entry on display is no longer open, the next one is shown.
    own.at = Math.max(
      0,
      items.findIndex((item) => item.position >= position),
    );
  }

  function endWith(own: Work, end: string): void {
    Object.assign(own, { end, items: [], near: null, problem: null, isAway: false });
  }

  function fail(own: Work, error: unknown): void {
    own.problem = problemOf(error);
    own.isAway = error instanceof Refused && error.status === 0;
  }

  /** Shows the state, and reads the entries again if the job has changed, or if that has failed before. */
  function redraw(): void {
    if (dialog.open && work !== null && work.seen !== inState(work)) read();
    show();
  }

  function settle(fix: Fix): void {
    if (work === null) return;
    const { input } = work.items[work.at] as PageItem;
    const before = work.items.length;
    // The server settles every entry with the same song.
    work.items = work.items.filter((item, index) =>
      'uri' in fix ? item.input !== input : index !== work?.at,
    );
    const entries = before - work.items.length;
    work.settled += entries;
    work.queue.push({ fix, entries });
    if (work.at >= work.items.length) work.at = 0;
    // What the job can write is known only once the server has every choice.
    if (work.items.length === 0) work.isAll = false;
    work.found = null;
    work.problem = null;
    work.lost = 0;
    show();
    sent(work);
    if (work.items.length < AHEAD && !work.isAll) read();
  }

  /** Resolves when every choice has reached the server. */
  function sent(own: Work): Promise<void> {
    own.sending ??= sendAll(own).finally(() => {
      own.sending = null;
    });
    return own.sending;
  }

  async function sendAll(own: Work): Promise<void> {
    while (own.queue.length > 0) {
      const sending = own.queue.splice(0);
      try {
        const fixes = sending.map(({ fix }) => fix);
        await settleNow(own, fixes);
      } catch (error) {
        // The entries are read again, so only the unsent choices are lost.
        fail(own, error);
        Object.assign(own, { items: [], isAll: false, at: 0, seen: null });
        sending.push(...own.queue.splice(0));
        for (const { entries } of sending) own.settled -= entries;
        own.lost = sending.length;
        setTimeout(read);
      }
    }
    app().redraw();
  }

  async function settleNow(own: Work, fixes: Fix[]): Promise<void> {
    const { late } = await ask('jobs/settle', { id: own.job, fixes, acceptNear: null });
    if (late === 0) return;
    own.settled -= late;
    own.seen = null;
    own.problem =
      late === 1
        ? 'One entry was settled before, and stays as it was.'
        : `${number(late)} entries were settled before, and stay as they were.`;
  }

  /** Shows what accepting all near matches would settle, and asks. */
  async function askNear(): Promise<void> {
    if (work === null || current() === undefined) return;
    const own = work;
    await sent(own);
    try {
      const near = await ask('jobs/near', { id: own.job, score: null });
      own.problem = near.items.length === 0 ? 'None of the entries has a close match.' : null;
      own.near = near.items.length === 0 ? null : near;
    } catch (error) {
      own.problem = problemOf(error);
    }
    show();
    if (work?.near) dialog.querySelector<HTMLElement>('#near-title')?.focus();
  }

  /** Accepts exactly what was shown. */
  async function takeNear(): Promise<void> {
    if (!work?.near) return;
    const own = work;
    const { near } = work;
    const fixes = near.items.flatMap(({ position, candidates: [first] }) =>
      first ? [{ position, uri: first.uri }] : [],
    );
    work.near = null;
    try {
      for (let at = 0; at < fixes.length; at += FIXES) {
        await settleNow(own, fixes.slice(at, at + FIXES));
      }
      Object.assign(own, { items: [], isAll: false, at: 0, found: null });
      own.settled += fixes.length;
      await read();
    } catch (error) {
      own.problem = problemOf(error);
    }
    show();
    dialog.querySelector<HTMLElement>('button.primary, #picker-title')?.focus();
  }

  function leaveNear(): void {
    if (work !== null) work.near = null;
    show();
    dialog.querySelector<HTMLElement>('#picker-title')?.focus();
  }

  function step(by: number): void {
    if (work === null || work.items.length === 0) return;
    work.at = (work.at + by + work.items.length) % work.items.length;
    work.found = null;
    show();
  }

  async function search(event: Event): Promise<void> {
    event.preventDefault();
    const item = current();
    const field = dialog.querySelector('input');
    if (
      work === null ||
      item === undefined ||
      field === null ||
      field.value.trim() === '' ||
      work.isSearching
    )
      return;
    const own = work;
    own.isSearching = true;
    show();
    // The person may be at another entry by the time of the answer.
    const isHere = () => work === own && current()?.position === item.position;
    try {
      const { candidates } = await ask('jobs/search', { text: field.value });
      if (isHere()) {
        own.found = { position: item.position, candidates };
        own.problem = candidates.length === 0 ? 'Spotify finds nothing for this.' : null;
        field.blur();
        dialog.focus();
      }
    } catch (error) {
      if (isHere()) own.problem = problemOf(error);
    }
    own.isSearching = false;
    show();
  }

  async function commit(): Promise<void> {
    if (work === null) return;
    const own = work;
    const { job } = work;
    await app().act(`commit ${job}`, async () => {
      try {
        await ask('jobs/commit', { id: job, skipUnresolved: false });
        if (work === own) dialog.close();
      } catch (error) {
        // A notice of the page would be behind this dialog, where nobody can read or close it.
        own.problem = problemOf(error);
      }
    });
    show();
  }

  function take(index: number): void {
    const item = current();
    const candidate = candidates()[index];
    if (item !== undefined && candidate !== undefined)
      settle({ position: item.position, uri: candidate.uri });
  }

  function skip(): void {
    const item = current();
    if (item !== undefined) settle({ position: item.position, skip: true });
  }

  /** Ignores the second half of a double click: it would settle an entry that nobody has seen. */
  const unlessDouble = (choose: () => void) => (event: MouseEvent) => {
    if (event.detail < 2) choose();
  };

  const close = () => dialog.close();
  const focusSearch = () => dialog.querySelector('input')?.focus();
  /** The keys of the terminal (`domain/settling.ts`), and the arrows. */
  const KEY_WORK: Readonly<Record<string, () => void>> = {
    s: focusSearch,
    l: focusSearch,
    x: skip,
    a: () => void askNear(),
    b: () => step(-1),
    Enter: () => step(1),
    q: close,
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    '/': focusSearch,
  };
  const NEAR_KEYS: Readonly<Record<string, () => void>> = {
    y: () => void takeNear(),
    n: leaveNear,
    q: close,
  };

  dialog.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    // If a button has the focus, Enter presses the button, but not again while it is held.
    if (event.key === 'Enter' && event.target instanceof HTMLButtonElement) {
      if (event.repeat) event.preventDefault();
      return;
    }
    const isNear = work?.near != null;
    const index = !isNear && /^[1-5]$/.test(event.key) ? Number(event.key) - 1 : null;
    const keys = isNear ? NEAR_KEYS : KEY_WORK;
    const run =
      index === null ? keys[event.key.length === 1 ? event.key.toLowerCase() : event.key] : () => take(index);
    if (run === undefined) return;
    event.preventDefault();
    // A key that is held would settle entries that nobody has seen.
    if (!event.repeat || event.key.startsWith('Arrow')) run();
  });
  // While the page asks about near matches, Escape leaves only that question.
  dialog.addEventListener('cancel', (event) => {
    if (!work?.near) return;
    event.preventDefault();
    leaveNear();
  });
  dialog.addEventListener('close', () => {
    const own = work;
    if (own === null) return;
    sent(own).finally(() => {
      if (own.lost > 0 && own.end === null) app().tell(lostWords(own), true);
      // The picker may have been opened again meanwhile.
      if (work !== own) return;
      work = null;
      draw(dialog);
      app().redraw();
    });
  });

  function show(): void {
    if (work === null || !dialog.open) return;
    const item = current();
    draw(
      dialog,
      h.div(
        { class: 'line' },
        h.h2({ id: 'picker-title', tabindex: '-1' }, title(work, app())),
        plainButton('Close', close),
      ),
      work.lost > 0 && work.end === null && h.p({ class: 'bad', role: 'alert' }, lostWords(work)),
      work.problem !== null && h.p({ class: 'bad', role: 'alert' }, withCode(work.problem)),
      work.near !== null ? nearPart(work.near) : item === undefined ? endPart(work) : itemPart(work, item),
    );
    if (work.near !== null) return;
    if (
      item === undefined &&
      !isUnread(work) &&
      !dialog.querySelector('.row')?.contains(document.activeElement)
    ) {
      dialog.querySelector<HTMLElement>('button.primary')?.focus();
    } else if (!dialog.contains(document.activeElement) || document.activeElement === dialog) {
      dialog.querySelector<HTMLElement>('#picker-title')?.focus();
    }
  }

  function endPart(own: Work): Child {
    if (isUnread(own)) return h.p({ class: 'soft' }, 'Reading …');
    if (own.end !== null || own.read?.resolved === 0) {
      return [
        h.p({ role: own.end === null ? 'status' : 'alert' }, own.end ?? NOTHING_TO_WRITE),
        row(plainButton('Done', close, 'primary')),
      ];
    }
    return [
      h.p({ role: 'status' }, 'Everything is settled.'),
      row(
        plainButton('Write it now', () => void commit(), 'primary'),
        plainButton('Later', close, null),
      ),
    ];
  }

  function nearPart({ question, items }: OwnerCalls['jobs/near']['answer']): Child {
    return [
      h.h3({ id: 'near-title', tabindex: '-1', key: 'near-title' }, question),
      h.p({ class: 'soft', key: 'near-order' }, 'The weakest come first.'),
      h.ol(
        { class: 'near', key: 'near', tabindex: '0', 'aria-labelledby': 'near-title' },
        items.map(({ position, input, candidates: [first] }) =>
          h.li(
            { key: position },
            h.span({ class: 'soft' }, name(short(input))),
            first !== undefined && h.span('→ ', name(short(`${first.name} by ${first.artists}`))),
          ),
        ),
      ),
      h.div(
        { class: 'row', key: 'near-row' },
        keyButton(`Accept ${number(items.length)}`, 'Y', () => void takeNear(), 'primary'),
        keyButton('No, one by one', 'N', leaveNear),
      ),
    ];
  }

  function itemPart({ isSearching, found }: Work, item: PageItem): Child {
    const shown = candidates();
    return [
      h.p({ class: 'big', 'aria-live': 'polite' }, name(short(item.input))),
      shown.length === 0
        ? h.p({ class: 'soft' }, 'No close match. Search for it, or skip it.')
        : h.ol(
            { class: 'candidates', key: `${item.position} ${found === null}` },
            shown.map((candidate, index) => h.li({ key: candidate.uri }, candidateButton(candidate, index))),
          ),
      h.form(
        { class: 'row', onsubmit: search, key: 'search' },
        h.input({
          'aria-label': 'Search Spotify',
          key: item.position,
          type: 'search',
          placeholder: 'Search, or paste a link …',
          maxlength: 200,
          autocomplete: 'off',
        }),
        h.button(
          { type: 'submit', 'aria-disabled': isSearching ? 'true' : null },
          'Search ',
          h.kbd(keyOf('search')),
        ),
      ),
      row(
        keyButton('Skip', keyOf('skip'), unlessDouble(skip)),
        keyButton('All near', keyOf('all near'), () => void askNear()),
        keyButton('Back', keyOf('back'), () => step(-1), 'quiet'),
        keyButton('Later', keyOf('later'), () => step(1), 'quiet'),
      ),
    ];
  }

  function candidateButton(candidate: PageCandidate, index: number): Child {
    const facts = [
      short(candidate.album, 80),
      ...(candidate.durationMs === null ? [] : [minutes(candidate.durationMs)]),
      ...(candidate.score === null ? [] : [candidate.nearness ?? '']),
    ];
    return h.button(
      {
        type: 'button',
        class: 'candidate',
        'aria-keyshortcuts': String(index + 1),
        onclick: unlessDouble(() => take(index)),
      },
      h.kbd(String(index + 1)),
      h.span(
        h.strong(name(short(candidate.name))),
        h.span(name(short(candidate.artists))),
        h.span({ class: 'soft' }, name(facts.join(' · '))),
      ),
    );
  }

  function leave(): void {
    if (work === null) return;
    work = null;
    draw(dialog);
    dialog.close();
  }

  return { open, leave, redraw };
}

/** Number of entries that the server returns at once. */
const PAGE = 100;
/** Maximum number of choices that the server takes at once. */
const FIXES = 1_000;

const NOTHING_TO_WRITE = 'Every entry is left out, so there is nothing to write.';

/** True until it is known whether entries are open. */
function isUnread({ end, isAll }: Work): boolean {
  return end === null && !isAll;
}

/** Says why nothing of the job can be settled any more. */
function endOf({ status, written }: PageJob): string {
  if (status === 'cancelled') return 'This job was cancelled.';
  if (status !== 'completed') return 'This job has begun to write, so nothing more can be settled.';
  return written === 0 ? 'This job is over.' : `This job is over: ${count(written, 'song')} written.`;
}

function lostWords({ lost }: Work): string {
  return `${count(lost, 'choice')} may not have been saved.`;
}

/** A button that shows the key with the same effect. */
function keyButton(
  text: string,
  key: string,
  onclick: (event: MouseEvent) => void,
  kind?: 'primary' | 'quiet',
): Child {
  return h.button({ key: text, type: 'button', class: kind, onclick }, `${text} `, h.kbd(key));
}

/** The key for an action, the same as in the terminal. */
function keyOf(what: string): string {
  const [key = ''] = SETTLE_KEYS.find(([, words]) => words === what) ?? [];
  return key.length === 1 ? key.toUpperCase() : key;
}

function title({ job, read, items, isAll, settled }: Work, { state }: App): string {
  const about = (read ?? state.jobs.find(({ id }) => id === job))?.title ?? '';
  if (items.length === 0) return short(about, 60);
  const left = isAll ? count(items.length, 'entry', 'entries') : `${number(items.length)} or more entries`;
  return `${left} to settle${settled === 0 ? '' : `, ${number(settled)} done`}`;
}
