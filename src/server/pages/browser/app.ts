/** What the parts of the owner's page share: the state, what the person is doing, and how actions run and report. */
import type { OwnerRestoreAnswer } from '../../../domain/localApi.ts';
import type { OwnerState, PageEvents, PagePlace, PageSetup, PageVersion } from '../../../domain/ownerPage.ts';
import type { PlaylistVersions } from '../../../domain/versions.ts';
import { type Child, h } from './dom.ts';
import { withLocalTimes } from './format.ts';
import { Refused } from './session.ts';

interface Notice {
  text: string;
  isBad: boolean;
  /** Name of the action that failed, if one did: the notice goes when that action is begun again. */
  failed: string | null;
}

/** What the person has opened or begun. This is not part of the state, since each tab has its own. */
export interface Doing {
  notice: Notice | null;
  /** Names of actions under way, whose buttons are disabled. */
  busy: Set<string>;
  /** Name of the button that asks for confirmation. */
  asking: string | null;
  /** Time when the button began to ask, on the clock of `performance`. */
  askedAt: number;
  /** The text that was copied last. */
  copied: string | null;
  setup: PageSetup | null;
  undo: UndoAsked | null;
  versions: VersionsOpen | null;
  hidesSteps: boolean;
  /** True while the person gives another client ID. */
  editsClientId: boolean;
  /** Keys of the long lists that are shown whole. */
  whole: ReadonlySet<string>;
  /** The events, if more than the first page is shown. */
  events: PageEvents | null;
  /** Number of events to show; null for the first page. */
  eventsWanted: number | null;
  /** A job that was begun on this page, kept in view until it is over. */
  followed: string | null;
}

interface UndoAsked {
  change: string;
  /** What the undo would do; null while that is being read. */
  preview: string[] | null;
  /** Why the undo is refused unless it is forced. */
  conflict: string | null;
}

/** The earlier versions of playlists that the person has opened. */
export interface VersionsOpen {
  playlists: ReadonlyArray<{ id: string; name: string }>;
  of: PlaylistVersions | null;
  /** The version on display, and what restoring it would do. */
  shown: { version: number; content: PageVersion; preview: OwnerRestoreAnswer } | null;
}

export interface App {
  state: OwnerState;
  doing: Doing;
  redraw(): void;
  /** Changes what the person is doing, and redraws. */
  set(change: Partial<Doing>): void;
  /**
   * Runs an action under a name, reports how it ended, and reads the state again. False if the action failed, or if one with
   * this name is already under way.
   */
  act(name: string, work: () => Promise<unknown>, done?: string): Promise<boolean>;
  /** @param failed name of the action that failed, if one did */
  tell(text: string, isBad?: boolean, failed?: string): void;
  openPicker(job: string): void;
  /** Shows this many events; null for the first page. */
  showEvents(limit: number | null): Promise<void>;
  /** Keeps a job in view, even if it moves to another card. */
  follow(job: string): void;
  importer: {
    card(): Child;
    /** Drops the playlists that were offered as a target. */
    forgetPlaylists(): void;
  };
}

/** What went wrong and what to do, in one line. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Refused)) return 'Something went wrong on this page. Load it again.';
  const text = error.remedy === null ? error.message : `${error.message} ${error.remedy}`;
  return withLocalTimes(text);
}

export interface ButtonOptions {
  /** What the button is about, for screen readers. */
  about?: string;
  /** Label of the second step, which confirms; without a label there is no second step. */
  confirm?: string;
  /** Notice for success. */
  done?: string;
  kind?: 'primary' | 'danger' | 'quiet';
}

/** Time within which a second press counts as the second half of a double click. */
const SECOND_MS = 500;

/** A button whose work never runs twice at the same time; with `confirm` it asks for confirmation first. */
export function button(
  app: App,
  name: string,
  text: string,
  work: () => Promise<unknown>,
  options: ButtonOptions = {},
): Child {
  const { doing } = app;
  const { confirm, about, done, kind } = options;
  const isAsking = confirm !== undefined && doing.asking === name;
  const run = () => {
    doing.asking = null;
    return app.act(name, work, done);
  };
  const plain = h.button(
    {
      key: name,
      type: 'button',
      class: isAsking ? 'danger' : (kind ?? ''),
      'aria-label': about === undefined ? null : `${isAsking ? confirm : text}: ${about}`,
      'aria-disabled': doing.busy.has(name) ? 'true' : null,
      onclick() {
        if (doing.busy.has(name)) return;
        const isSecond = isAsking && performance.now() - doing.askedAt >= SECOND_MS;
        if (confirm === undefined || isSecond) return void run();
        if (isAsking) return;
        app.set({ asking: name, askedAt: performance.now() });
      },
    },
    isAsking ? confirm : text,
  );
  return isAsking ? [plain, plainButton('Keep', () => app.set({ asking: null }))] : plain;
}

/** A button that only calls `onclick`: it is never disabled, asks nothing and reports nothing. */
export function plainButton(
  text: string,
  onclick: () => void,
  kind: ButtonOptions['kind'] | null = 'quiet',
): Child {
  return h.button({ key: text, type: 'button', class: kind, onclick }, text);
}

/** How long a button shows that it has copied. */
const COPIED_MS = 2_000;

export function copyButton(app: App, text: string, what: string): Child {
  const { doing } = app;
  const isDone = doing.copied === text;
  const copy = async () => {
    if (!(await copied(text)))
      return app.tell(`This browser does not let pages copy. Select the ${what} and copy it.`, true);
    doing.copied = text;
    app.tell(`Copied the ${what}.`);
    setTimeout(() => doing.copied === text && app.set({ copied: null }), COPIED_MS);
  };
  return h.button(
    { type: 'button', class: 'quiet copy', 'aria-label': `Copy the ${what}`, onclick: copy },
    isDone ? 'Copied' : 'Copy',
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A section of the page with a heading. */
export function card(id: string, title: string, ...children: Child[]): Child {
  return h.section(
    { key: id, id, class: 'card', 'aria-labelledby': `${id}-title` },
    h.h2({ id: `${id}-title`, tabindex: '-1' }, title),
    ...children,
  );
}

/** A name from outside, isolated so that its direction does not affect the text around it. */
export function name(text: string): Child {
  return h.bdi({ class: 'name' }, text);
}

/** A text of our own in which `outside` is a name from outside. */
export function isolated(text: string, outside: string | null): Child {
  const at = outside ? text.indexOf(outside) : -1;
  if (outside === null || at < 0) return text;
  return [text.slice(0, at), name(outside), text.slice(at + outside.length)];
}

/** Buttons and the like, side by side. */
export function row(...children: Child[]): Child {
  return h.div({ class: 'row' }, ...children);
}

/** A list with a line between its rows. @param none text for an empty list */
export function list(rows: readonly Child[], none?: string): Child {
  return rows.length === 0 && none !== undefined ? soft(none) : h.ul({ class: 'list' }, rows);
}

/**
 * The first rows of a long list, and a button that shows the others.
 * @param given.text label of the button
 */
export function shortened(
  app: App,
  rows: readonly Child[],
  { key, shown, text }: { key: string; shown: number; text: string },
): readonly Child[] {
  const { whole } = app.doing;
  if (rows.length <= shown || whole.has(key)) return rows;
  const all = plainButton(text, () => app.set({ whole: new Set([...whole, key]) }));
  return [...rows.slice(0, shown), h.li({ key: 'all' }, all)];
}

/** A row of a list: what it is about on the left, and what can be done on the right. */
export function entry(key: string, about: readonly Child[], action: Child): Child {
  return h.li({ key, class: 'line' }, h.div(about), action);
}

export function soft(...children: Child[]): Child {
  return h.p({ class: 'soft' }, ...children);
}

/** The cover of the playlist, or a musical note in its place. Decorative: the text beside it says the same. */
export function coverPart({ cover }: PagePlace): Child {
  const note = h.svg(
    { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    h.path({
      d: 'M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0ZM19 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z',
    }),
  );
  const image = h.img({
    src: cover,
    alt: '',
    width: 44,
    height: 44,
    loading: 'lazy',
    referrerpolicy: 'no-referrer',
  });
  return h.span({ class: 'cover', 'aria-hidden': 'true' }, cover === null ? note : image);
}

/** A link to the songs at Spotify. @param about what the link is about, for screen readers */
export function placeLink({ url }: PagePlace, about: string): Child {
  if (url === null) return null;
  const label = `Open in Spotify: ${about}`;
  return [
    ' · ',
    h.a({ href: url, target: '_blank', rel: 'noreferrer', 'aria-label': label }, 'Open in Spotify'),
  ];
}

/** Text in which commands between backquotes are shown as code. A name from outside may have backquotes too. */
export function withCode(text: string, command: RegExp | string = /`(relay .+?)`/): Child {
  return text.split(command).map((part, index) => (index % 2 === 1 ? h.code(part) : part));
}

/** A command with a button that copies it. */
export function command(app: App, text: string): Child {
  return h.span({ class: 'command' }, h.code(text), copyButton(app, text, `command ${text}`));
}
