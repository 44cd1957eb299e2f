/** A client: asks relay for one thing after another, does what answers say, and compares each answer with what Spotify holds. */
import type { DemoPlaylist, PlaylistRow } from '../../src/demo/state.ts';
import { sameRows, without } from '../../src/domain/rows.ts';
import type { JobRecord } from '../../src/jobs/jobRecord.ts';
import type { Chance } from '../changes/crash/chance.ts';
import { type Counts, countsOf, difference } from '../oracle/counts.ts';
import { type Doing, listAfter, type Outcome, type Wrong, wrongRows } from '../oracle/rows.ts';
import { chanceFor } from './chance.ts';
import type { Answer } from './computer.ts';
import type { Act, EarlyUndo, Wish } from './plan.ts';
import {
  type Effect,
  FAR_MS,
  numberOf,
  recordingOf,
  TRACKS,
  touchedBy,
  touchOf,
  uriOf,
  urisOf,
} from './spotify.ts';
import { later, type Stage } from './stage.ts';

interface Failure {
  code: string;
  message: string;
  remedy?: string;
  details?: Record<string, unknown>;
}

/** A change that this client asked for, with the outcome that the client saw. */
interface Made {
  changeId: string | null;
  /** `follow`: an undo has put a playlist back into the account's list. */
  wish: Wish['do'] | 'follow';
  playlist: DemoPlaylist | null;
  before: readonly string[];
  after: readonly string[];
  /** What the act itself did to the rows, without what others did. */
  added: Counts;
  removed: Counts;
  name: string | null;
  /** Where in the record of effects the act began and ended. */
  from: number;
  to: number;
  isUndone: boolean;
  /** Songs of which relay cannot tell who has put them in or taken them out. */
  mimicked: ReadonlySet<string>;
  /** Songs that an undo has taken back without being finished. */
  partlyUndone?: ReadonlySet<string>;
  /** By URI: rows that a person has put in while relay took the song out. relay cannot tell them from the earlier rows. */
  putBack: Counts;
  /** True if the client heard the outcome, and Spotify held what the outcome says. */
  isSure: boolean;
}

/** Error codes that trouble with Spotify, the network or the computer explains. Any other code is the program's own fault. */
const ALLOWED: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_INVALID_RESPONSE',
  'NOT_FOUND',
  'FORBIDDEN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'PARTIAL_WRITE',
  'CONFLICT',
  'UNSUPPORTED_ITEMS',
  'STORE_ERROR',
  'LOGIN_REQUIRED',
  'SHUTTING_DOWN',
  'CANCELLED',
]);

const HOUR = 3_600_000;
/** How long relay waits at most for a list to show what relay has written, in milliseconds. */
const LATEST_EFFECT_MS = 20_000;
/** Maximum number of songs of which an undo looks up the ID that a list will show. */
const MAX_LOOKED_UP = 5;
/** How long relay remembers its own writes, and some more, in milliseconds. */
const QUIET_MS = 75_000;
/** How long a mishap may last, with what the program does about it afterwards, in milliseconds. */
const MISHAP_MS = 600_000;
/** Milliseconds within which a job that writes must make progress, or say what it waits for. */
const STILL_MS = 600_000;

export class Client {
  readonly #stage: Stage;
  readonly #name: string;
  readonly #chance: Chance;
  readonly #acts: readonly Act[];
  readonly #made: Made[] = [];
  /** Playlists with a replacement that did not end well. Its job may write after a later replacement has been answered. */
  readonly #leftToJobs = new Set<DemoPlaylist>();
  #last: DemoPlaylist | null = null;
  #job: JobRecord | null = null;
  /** True while this client stands for several that write to one list. */
  #isRushing = false;
  /** Jobs that this client has asked to cancel. */
  readonly #cancelled = new Set<string>();
  /** The undo to ask for while the job of the present act has not ended, and how it ends once it is asked for. */
  #early: { when: EarlyUndo; ended: Promise<Outcome | null> | null } | null = null;
  /** Playlists of which an answer has said that the end of a change is not known. A request may take effect late there. */
  readonly #openEnds = new Set<DemoPlaylist>();
  /** Names of new playlists whose jobs this client has left before they ended. */
  readonly #openNames = new Set<string>();

  constructor(stage: Stage, name: string, acts: readonly Act[]) {
    this.#stage = stage;
    this.#name = name;
    this.#acts = acts;
    this.#chance = chanceFor(stage.plan.seed, name);
  }

  async run(): Promise<void> {
    for (const act of this.#acts) {
      await later(this.#stage, act.pause);
      await this.#perform(act.wish, act.leaves);
    }
  }

  /** Undoes this client's changes in reverse order. */
  async undoAll(): Promise<void> {
    for (const made of [...this.#made].reverse()) {
      if (made.changeId !== null && !made.isUndone && made.wish !== 'undo')
        await this.#undo(made, false, null);
    }
  }

  async #perform(wish: Wish, leaves: number | null): Promise<void> {
    const { lists } = this.#stage;
    if (wish.do === 'undo') {
      const open = this.#made.filter(({ changeId, isUndone }) => changeId !== null && !isUndone);
      const made = open.at(-1 - wish.back);
      if (made) await this.#undo(made, wish.force, leaves);
      return;
    }
    if (wish.do === 'find') return this.#find(wish);
    if (wish.do === 'create' || (wish.do === 'job' && wish.type === 'create_playlist'))
      return this.#create(wish, leaves);
    const isSave = wish.do === 'save' || (wish.do === 'job' && wish.type === 'save_tracks');
    const isUnsave = wish.do === 'unsave' || (wish.do === 'job' && wish.type === 'remove_saved_tracks');
    if (isSave || isUnsave) return this.#library(isUnsave, wish, leaves);
    const playlist = wish.list === -1 ? this.#last : (lists[wish.list] ?? null);
    if (!playlist) return;
    if (wish.do === 'rush') return this.#rush(wish, playlist);
    if (wish.do === 'rename') return this.#rename(wish.name, playlist, leaves);
    if (wish.do === 'unfollow') return this.#unfollow(playlist, leaves);
    if (this.#stage.meddled.has(playlist)) this.#stage.meddled.set(playlist, null);
    // Another tool replaces the rows at the same time, so the rows before this call say nothing about those after it.
    if (this.#stage.replacing.has(playlist)) {
      this.#stage.replacing.set(playlist, 'with others');
      const asked = 'list' in wish ? rowsAsked(wish, playlist, urisOf(playlist), this.#hidden()) : null;
      if (asked) await this.#ask(asked.tool, asked.args, leaves);
      return;
    }
    await this.#rows(wish, playlist, leaves);
  }

  // Rows

  async #rows(wish: Wish & { list: number }, playlist: DemoPlaylist, leaves: number | null): Promise<void> {
    const before = urisOf(playlist);
    const asked = rowsAsked(wish, playlist, before, this.#hidden());
    if (!asked) return;
    const ask = () => this.#ask(asked.tool, asked.args, leaves);
    const early = wish.do === 'job' ? wish.early : undefined;
    await this.#judged(wish.do, playlist, asked.doing, ask, cancelAfterOf(wish), early);
  }

  #putBack(effects: readonly Effect[], playlist: DemoPlaylist): Counts {
    return putBackIn(effects, playlist, this.#stage.plan.faults.length > 0);
  }

  /** As `#putBack`, but only if relay could not read meanwhile that the song was gone. */
  #putBackUnread(effects: readonly Effect[], playlist: DemoPlaylist): Counts {
    const { reads, lags } = this.#stage.spotify;
    const isRead = (gone: Effect, back: Effect) =>
      reads.get(playlist)?.some(({ at }) => at - lags.lists >= gone.at && at < back.at) === true;
    return putBackIn(effects, playlist, false, isRead);
  }

  /** Songs that reads show under another ID, or not at all: a client cannot name their rows. */
  #hidden(): ReadonlySet<string> {
    const { relinked, vanished } = this.#stage.spotify;
    return new Set([...relinked, ...vanished]);
  }

  /**
   * Songs of which relay cannot tell who has put them in or taken them out during a call.
   * @param from where in the record of effects the call began
   * @param own songs that the call is about
   * @param others what others did during the call
   */
  #mimicked(
    playlist: DemoPlaylist,
    from: number,
    outcome: Outcome,
    own: ReadonlySet<string>,
    others: readonly Effect[],
  ): Set<string> {
    const { spotify } = this.#stage;
    return new Set([
      ...spotify.mistakenIn(playlist, from),
      ...(outcome.is === 'carried on' ? thereAlready(own, others) : []),
      ...this.#refusedAlone(own),
      ...spotify.broughtBack(playlist, from),
      ...spotify.blurredIn(playlist),
    ]);
  }

  /** Episodes that Spotify may refuse in a request of their own. relay looks up tracks only, so it takes the episodes for unknown. */
  #refusedAlone(own: ReadonlySet<string>): string[] {
    const { faults } = this.#stage.plan;
    const refuses = faults.some(({ action }) => action.kind === 'status' && action.status === 400);
    return refuses ? [...own].filter((uri) => uri.startsWith('spotify:episode:')) : [];
  }

  /**
   * Songs that reads show under another ID, if the undo of an addition cannot find that out. The undo cannot if the list shows
   * the added songs too late for relay, and there are more songs than relay looks up.
   */
  #unnamed({ added }: Made): string[] {
    const { plan, spotify } = this.#stage;
    const isInTime = plan.lags.lists < LATEST_EFFECT_MS || added.size <= MAX_LOOKED_UP;
    return isInTime ? [] : [...added.keys()].filter((uri) => spotify.relinked.has(uri));
  }

  /** Asks for a change of a playlist's rows, and compares the answer with what Spotify holds. */
  async #judged(
    what: Wish['do'],
    playlist: DemoPlaylist,
    doing: Doing,
    ask: () => Promise<Answer | null>,
    cancelAfter: number | null,
    early?: EarlyUndo,
  ): Promise<void> {
    const { spotify, isRestored } = this.#stage;
    const from = spotify.effects.length;
    const before = urisOf(playlist);
    spotify.asked(playlist);
    const begun = this.#stage.time.at;
    const answer = await ask();
    this.#early = early ? { when: early, ended: null } : null;
    const { outcome, changeId } = await this.#outcomeOf(what, answer, playlist, cancelAfter);
    const undone = (await this.#early?.ended) ?? null;
    this.#early = null;
    const isUndone = undone !== null && undone.is !== 'refused' && undone.is !== 'rolled back';
    if (outcome.is === 'refused' && outcome.code === 'UNSUPPORTED_ITEMS' && !REWRITES.has(doing.do))
      this.#found(`${what}: refused for rows that could stay`, playlist.name);
    const to = spotify.effects.length;
    const after = urisOf(playlist);
    const others = othersIn(spotify.effects.slice(from, to), playlist);
    const own = new Set(
      'uris' in doing
        ? doing.uris
        : doing.do === 'bring back'
          ? [...doing.added.keys(), ...doing.removed.keys()]
          : [],
    );
    const now = spotify.effects.slice(from);
    const unclear = {
      hidden: this.#hidden(),
      unseen: new Set([
        ...spotify.unseenIn(playlist, from),
        // If relay's first request had no effect, relay leaves alone whatever showed only after that request.
        ...spotify.unseenIn(playlist, from, 'sends'),
      ]),
      mimicked: new Set([
        ...this.#mimicked(playlist, from, outcome, own, others),
        // If relay could not read that a removed song was gone, it may tell of a person's row of that song as missing.
        ...(outcome.is === 'missing' ? this.#putBackUnread(now, playlist).keys() : []),
      ]),
    };
    const isLate = isLateMove(now, spotify.effects.slice(0, from), playlist);
    const forgotten = now.filter((effect) => effect.playlist === playlist && spotify.forgotten.has(effect));
    const late = now.filter(
      ({ by, playlist: on, sentAt }) => by === 'relay' && on === playlist && sentAt < begun,
    );
    // After a copy of the state is restored, what relay had written counts as what was there before. So does what takes effect
    // late, if relay has said of an earlier change that it does not know how it ended.
    const besides = [others];
    if (forgotten.length > 0) besides.push([...forgotten, ...others]);
    const swaps = othersOn(own, others);
    if (isUndone && swaps.length > 0 && takenOff(new Map(), swaps).size === 0)
      besides.push(others.filter((act) => !swaps.includes(act)));
    const swept = isUndone ? sweptAlong(own, others, now) : [];
    if (swept.length > 0) besides.push(others.filter((act) => !swept.includes(act)));
    const earlier = this.#openEnds.has(playlist) ? late : [];
    if (earlier.length > 0) besides.push([...earlier, ...others]);
    const isOpen = outcome.is === 'unheard' || (outcome.is === 'part' && outcome.unknown);
    if (isOpen) this.#openEnds.add(playlist);
    // If an undo came meanwhile, the job may have written all of it again afterwards.
    const ends: Outcome[] = isUndone ? [outcome, NOTHING] : [outcome];
    const rows = firstRight(
      ({ beside, end }) => wrongRows(before, doing, end, beside, after, own, unclear),
      ends.flatMap((end) => besides.map((beside) => ({ beside, end }))),
    );
    const isVague = isUndone && undone.is !== 'done';
    const wrong = rows?.isOrder && isLate ? null : rows;
    const besideUndo = isUndone ? ', undone meanwhile' : '';
    if (wrong && !this.#mayStopHalfway(outcome) && !isVague)
      this.#found(
        `${what}, ${told(outcome)}${besideUndo}: ${namesOf(wrong)}${circumstances(this.#stage, others)}`,
        `${shownWrong(wrong)} in "${playlist.name}"`,
      );
    const relay = takenOff(difference(countsOf(before), countsOf(after)), others);
    const isBack = outcome.is === 'rolled back' || outcome.is === 'refused';
    const made: Made = {
      // A change without an effect cannot be undone.
      ...{
        changeId: isBack || isUndone ? null : changeId,
        wish: what,
        playlist,
        before,
        after,
        name: null,
        from,
        to,
        isUndone: isUndone && sameRows(before, after),
        mimicked: unclear.mimicked,
        putBack: this.#putBack(now, playlist),
      },
      added: new Map([...relay].filter(([, count]) => count > 0)),
      removed: new Map([...relay].filter(([, count]) => count < 0).map(([uri, count]) => [uri, -count])),
      // After a copy of the state is restored, what relay had written counts as what was there before.
      isSure:
        wrong === null &&
        earlier.length === 0 &&
        outcome.is !== 'unheard' &&
        // What a person takes out may be what an undo has put back, before the undo was rolled back.
        !(undone?.is === 'rolled back' && others.length > 0) &&
        this.#stage.isRestored === isRestored,
    };
    this.#made.push(made);
  }

  /** Undoes what a job has written so far. Null if the job writes nothing. */
  async #undoEarly(jobId: string, playlist: DemoPlaylist | null): Promise<Outcome | null> {
    for (let turn = 0; turn < 30; turn++) {
      const job = (await this.#quietly('get_job_status', { job_id: jobId, limit: 1 }))?.job as
        | JobRecord
        | undefined;
      const changeId = textOf(job?.result?.change_id);
      if (changeId !== null) {
        const answer = await this.#ask('undo_change', { change_id: changeId }, null);
        return (await this.#outcomeOf('undo', answer, playlist)).outcome;
      }
      if (job && ENDED.has(job.status)) return null;
      await later(this.#stage, 500);
    }
    return null;
  }

  /**
   * True if a change may stay half done. This is so if nobody heard its answer, and Spotify refuses requests or a copy of the
   * state was restored.
   */
  #mayStopHalfway(outcome: Outcome): boolean {
    if (outcome.is === 'unheard' && this.#stage.isRestored) return true;
    const refuses = this.#stage.plan.faults.some(
      ({ action }) => action.kind === 'status' && action.status < 500,
    );
    return outcome.is === 'unheard' && refuses;
  }

  async #undo(made: Made, force: boolean, leaves: number | null): Promise<void> {
    const { playlist, changeId, wish } = made;
    const args = { change_id: changeId, ...(force ? { force } : {}) };
    const ask = () => this.#ask('undo_change', args, leaves);
    if (wish === 'rename' && playlist) return this.#undoRename(made, playlist, ask, force);
    if (wish === 'unfollow' && playlist) return this.#undoUnfollow(made, playlist, ask);
    if ((wish === 'create' || wish === 'follow') && playlist)
      return this.#undoCreate(made, playlist, ask, force);
    if (wish === 'save' || wish === 'unsave') return this.#undoLibrary(made, ask);
    if (!playlist) return;
    const { spotify } = this.#stage;
    const later = this.#made
      .slice(this.#made.indexOf(made) + 1)
      .filter((one) => one.playlist === playlist && !one.isUndone);
    const edits = othersIn(spotify.effects.slice(made.from), playlist);
    const earlier = othersIn(spotify.effects.slice(0, made.from), playlist);
    const isAlone = later.length === 0 && !this.#stage.meddled.has(playlist);
    const isPlain = edits.length === 0 && isAlone && made.isSure;
    const rows = isPlain ? made.before : [];
    const doing: Doing = { do: 'bring back', rows, added: made.added, removed: made.removed };
    const from = spotify.effects.length;
    const before = urisOf(playlist);
    const rowsBefore = [...playlist.rows];
    spotify.asked(playlist);
    const answer = await ask();
    const { outcome, changeId: id } = await this.#outcomeOf('undo', answer, playlist);
    const after = urisOf(playlist);
    const now = spotify.effects.slice(from);
    const others = othersIn(now, playlist);
    const failure = failureIn(answer);
    const hasWritten = ownRows(made, spotify.effects).size > 0 || !sameRows(made.before, made.after);
    const isTrue = !hasWritten && failure?.message.includes('has written nothing') === true;
    const isRefused = isConflict(failure) && !isTrue && isPlain && others.length === 0;
    // With such lags, the pages of one reading may show different states of the list. If a person has changed the list at about
    // the same time as relay, what relay reads also has several explanations.
    const { lists, uneven } = this.#stage.plan.lags;
    const isBlurred = spotify.blurredIn(playlist, made.from).size > 0;
    const isMixed = (lists > FAR_MS && uneven) || isBlurred;
    const isClear =
      !isMixed &&
      !this.#stage.misnamed.has(playlist) &&
      !spotify.isTurnedBack(playlist, made.from) &&
      !spotify.isSeenInPart(playlist, made.from) &&
      spotify.unseenIn(playlist).size === 0 &&
      spotify.unseenIn(playlist, spotify.effects.length, 'sends').size === 0 &&
      ![...made.before, ...made.after].some((uri) => this.#hidden().has(uri));
    const cannotWrite = failure?.code === 'UNSUPPORTED_ITEMS' && isPlain && others.length === 0;
    if (cannotWrite && !this.#stage.isRestored && isClear)
      this.#found(`undo of ${wish}: refused for rows that could stay`, failure.message);
    if (isRefused && !this.#stage.isRestored && isClear)
      this.#found(
        `undo of ${wish}: ${failure.message.includes('undone already') ? 'told as undone already' : 'refused although nobody else changed anything'}${circumstances(this.#stage, earlier)}`,
        failure.message,
      );
    const own = new Set([...made.added.keys(), ...made.removed.keys()]);
    const unclear = {
      hidden: this.#hidden(),
      unseen: spotify.unseenIn(playlist),
      mimicked: new Set([
        ...made.mimicked,
        ...this.#mimicked(playlist, from, outcome, own, others),
        ...this.#unnamed(made),
        // An undo that was half done in a restored copy goes on, and what it has written since then counts as another person's.
        ...spotify.effects
          .slice(made.from)
          .filter((effect) => effect.playlist === playlist && spotify.forgotten.has(effect))
          .flatMap((effect) => touchedBy(effect.before, effect.after)),
      ]),
    };
    // relay may go on believing that the list holds what this undo could not name.
    if (this.#unnamed(made).length > 0) this.#stage.misnamed.add(playlist);
    if (ADDITIONS.has(wish) && made.removed.size === 0 && !force) {
      const known = new Set([...unclear.hidden, ...unclear.unseen, ...unclear.mimicked]);
      const taken =
        outcome.is === 'done' && others.length === 0
          ? olderTaken(made, rowsBefore, playlist, spotify.effects.slice(made.from, from))
          : [];
      const olders = taken.filter((uri) => !known.has(uri));
      if (olders.length > 0 && later.length === 0)
        this.#found(
          `undo of ${wish}, done: it took an older row of the same song`,
          olders.map(numberOf).join(', '),
        );
      // Taking out a song takes out all its rows, even a row that a person has just added. So the change's own songs do not
      // count.
      const lost =
        unclear.hidden.size === 0
          ? lostToReplacement(now, playlist, unclear.unseen).filter((uri) => !made.added.has(uri))
          : [];
      if (lost.length > 0)
        this.#found(
          `undo of ${wish}: all rows are replaced, and what came meanwhile is lost`,
          lost.map(numberOf).join(', '),
        );
    }
    // True if others or later changes have written since, so that the order of the rows is not judged.
    const isMerging = !isPlain || others.length > 0;
    const isDone = outcome.is === 'done';
    if (!force || !isDone) {
      const counted = isMerging && others.length === 0 ? [NOBODY] : others;
      const judged = (doing: Doing) => wrongRows(before, doing, outcome, counted, after, own, unclear);
      // With `force`, an undo also takes out what came since, even if nobody heard its answer.
      const isReplacing = force && (outcome.is === 'unheard' || outcome.is === 'carried on');
      const formers = formersOf(made, spotify.effects);
      const found = firstRight(judged, [
        doing,
        ...(outcome.is === 'unheard' ? formers.flatMap((rows) => appending(before, rows)) : []),
        // If a person has taken out one of several equal rows, nothing shows whether relay had added that row.
        { ...doing, added: stillThere(made, rowsBefore, spotify.effects) },
        // If a person has put in a song while its removal was in doubt, nothing distinguishes the new row from the earlier row.
        { ...doing, removed: less(made.removed, made.putBack) },
        { ...doing, removed: less(made.removed, this.#putBackUnread(now, playlist)) },
        // An undo whose answer nobody heard may have put the rows back.
        ...(this.#wasUndoneUnheard(made)
          ? [{ ...doing, removed: less(made.removed, countsOf(before)) }]
          : []),
        ...(isReplacing ? formers.map((uris): Doing => ({ do: 'replace', uris })) : []),
      ]);
      const isBlind = found?.isOrder && (isBlurred || spotify.isMovedBlindly(playlist, made.from));
      const wrong = isBlind ? null : found;
      if (wrong && (made.isSure || outcome.is === 'refused') && !this.#mayStopHalfway(outcome))
        this.#found(
          `undo of ${wish}, ${told(outcome)}: ${namesOf(wrong)}${circumstances(this.#stage, [...edits, ...others])}`,
          `${shownWrong(wrong)} in "${playlist.name}"`,
        );
    } else if (isPlain && others.length === 0 && made.isSure && !isMixed) {
      const wrong = wrongRows(before, doing, outcome, others, after, new Set(), unclear);
      if (wrong)
        this.#found(
          `undo of ${wish}, forced: ${namesOf(wrong)}${circumstances(this.#stage, [])}`,
          shownWrong(wrong),
        );
    }
    if (outcome.is === 'missing' || outcome.is === 'part') made.isSure = false;
    if (!isDone && outcome.is !== 'unheard') return;
    made.isUndone = isDone;
    const relay = takenOff(difference(countsOf(before), countsOf(after)), others);
    this.#note({
      changeId: id,
      wish: 'undo',
      playlist,
      before,
      after,
      from,
      putBack: this.#putBack(now, playlist),
      added: new Map([...relay].filter(([, count]) => count > 0)),
      removed: new Map([...relay].filter(([, count]) => count < 0).map(([uri, count]) => [uri, -count])),
      isSure: isDone,
    });
  }

  /** True if nobody heard how an undo of the change ended. */
  #wasUndoneUnheard({ playlist, from }: Made): boolean {
    const isUnheard = (one: Made) =>
      one.wish === 'undo' && one.playlist === playlist && one.from > from && !one.isSure;
    return this.#made.some(isUnheard);
  }

  /**
   * Asks for several changes of one list at once. Writes to a playlist take turns, so the rows have to be those after some order
   * of the calls. But while a change waits, after an answer that failed for example, others may write. Then what they wrote
   * counts as another person's, and only the number of rows of each song is judged.
   */
  async #rush({ calls, undoes }: Wish & { do: 'rush' }, playlist: DemoPlaylist): Promise<void> {
    const { spotify, time, network, plan } = this.#stage;
    const [from, begun, troubles] = [spotify.effects.length, time.at, network.troubles];
    const before = urisOf(playlist);
    const asked = calls.flatMap(({ pause, wish }) => {
      const one = rowsAsked(wish, playlist, before, this.#hidden());
      return one ? [{ ...one, pause, wish }] : [];
    });
    spotify.asked(playlist);
    this.#isRushing = true;
    const ended = await Promise.all(
      asked.map(async ({ pause, tool, args, doing, wish }) => {
        await later(this.#stage, pause);
        const answer = await this.#ask(tool, args, null);
        const { outcome, changeId } = await this.#outcomeOf(wish.do, answer, playlist);
        return { doing, outcome, changeId, wish };
      }),
    );
    this.#isRushing = false;
    const after = urisOf(playlist);
    const acts = spotify.effects.slice(from).filter((effect) => effect.playlist === playlist);
    // What a person did less than a minute before may look like a list that lags.
    const isQuiet = othersIn(spotify.effects, playlist).every(({ at }) => begun - at > QUIET_MS);
    const isPlain = isQuiet && acts.every(({ by }) => by === 'relay') && this.#hidden().size === 0;
    // An undo of an earlier change finds that the list is another one.
    this.#note({ changeId: null, wish: 'rush', playlist, before, after, from, isSure: false });
    const made = this.#made.at(-1) as Made;
    const isKnown = ended.every(({ outcome }) => outcome.is === 'done' || outcome.is === 'refused');
    if (!isPlain || !isKnown || this.#stage.isRestored) return;
    const done = ended.filter(({ outcome }) => outcome.is === 'done').map(({ doing }) => doing);
    const names = `rush of ${ended.map(({ wish }) => wish.do).sort()}`;
    const hasMishap = plan.mishaps.some(({ at }) => at >= begun - MISHAP_MS && at <= time.at);
    if (network.troubles > troubles || hasMishap) {
      const wrong = wrongNumbers(done, countsOf(before), countsOf(after));
      if (wrong.length > 0) this.#found(`${names}: songs lost or doubled`, wrong.map(numberOf).join(', '));
      return;
    }
    const rows = ordersOf(done).map((order) =>
      order.reduce((list: readonly string[], doing) => listAfter(list, doing), before),
    );
    if (rows.some((list) => sameRows(list, after)))
      return undoes ? this.#undoRush(names, ended, made) : undefined;
    const counted = countsOf(after);
    const isOrder = rows.some((list) => difference(countsOf(list), counted).size === 0);
    this.#found(
      `${names}: ${isOrder ? 'wrong order' : 'rows that no order of the calls leaves'}${circumstances(this.#stage, [])}`,
      `${after.length} rows in "${playlist.name}"`,
    );
  }

  /** Undoes the changes of a rush, the newest first. Then the rows from before the rush have to be back. */
  async #undoRush(
    names: string,
    ended: ReadonlyArray<{ changeId: string | null }>,
    made: Made,
  ): Promise<void> {
    const { playlist, before } = made;
    const { spotify } = this.#stage;
    if (!playlist) return;
    const { items } = ((await this.#quietly('list_changes', { limit: 20 })) ?? {}) as {
      items?: Array<{ change_id: string }>;
    };
    const own = new Set(ended.map(({ changeId }) => changeId));
    for (const { change_id } of items ?? []) {
      if (!own.has(change_id)) continue;
      const rows = urisOf(playlist);
      const answer = await this.#ask('undo_change', { change_id }, null);
      const { outcome } = await this.#outcomeOf('undo', answer, playlist);
      const failure = failureIn(answer);
      const isAlone = othersIn(spotify.effects.slice(made.from), playlist).length === 0;
      const { lists, uneven } = this.#stage.plan.lags;
      // With such lags, the pages of one reading may show different states of the list.
      const isClear = isAlone && !this.#stage.isRestored && !(lists > FAR_MS && uneven);
      if (isConflict(failure) && isClear && sameRows(rows, urisOf(playlist)))
        this.#found(`${names}: an undo is refused although nobody else changed anything`, failure.message);
      if (outcome.is !== 'done') return;
    }
    const others = othersIn(spotify.effects.slice(made.from), playlist);
    made.isUndone = sameRows(before, urisOf(playlist));
    if (others.length === 0 && items && !this.#stage.isRestored && !made.isUndone)
      this.#found(`${names}: other rows after every undo${circumstances(this.#stage, [])}`, playlist.name);
  }

  // New playlists

  async #create(wish: Wish & { do: 'create' | 'job' }, leaves: number | null): Promise<void> {
    const { spotify } = this.#stage;
    const { name, skipDuplicates = false } = wish;
    const given = wish.tracks.map(uriOf);
    const uris = skipDuplicates ? [...new Set(given)] : given;
    const skips = { skip_duplicates: skipDuplicates };
    const from = spotify.effects.length;
    const answer = await (wish.do === 'job'
      ? this.#ask(
          'create_bulk_job',
          { type: 'create_playlist', payload: { name, ...skips }, items: given },
          leaves,
        )
      : given.length === 0
        ? this.#ask('create_playlist', { name }, leaves)
        : this.#ask('create_playlist_from_tracks', { name, tracks: given, ...skips }, leaves));
    const { outcome, changeId } = await this.#outcomeOf('create', answer, null, cancelAfterOf(wish));
    const isLeftOpen = this.#openNames.has(name);
    if (!answer) return;
    if (outcome.is === 'unheard' || (outcome.is === 'part' && outcome.unknown)) this.#openNames.add(name);
    const id = String(
      answer.playlist_id ?? answer.id ?? this.#job?.playlist_id ?? this.#job?.result?.playlist_id ?? '',
    );
    const playlist = spotify.all().find((one) => one.id === id);
    // The review kept what another tool added while the job waited, so the rows are not checked.
    if (outcome.is === 'carried on' && playlist) this.#stage.meddled.set(playlist, null);
    if (outcome.is !== 'done') return;
    const effects = spotify.effects.slice(from);
    if (!playlist) return this.#found('create, ok: there is no such playlist', id);
    // relay can tell a person's playlist from its own only if reads showed the person's playlist before relay first asked for
    // its own. Between the read and the request, relay saves what it is going to do.
    const { plan } = this.#stage;
    const shownAt = (spotify.madeAt.get(playlist) ?? Infinity) + spotify.lags.mine;
    const asked = spotify.firstAsked.get(name) ?? { at: 0, listedAt: 0 };
    const couldBeSeen = shownAt + 3 * plan.latency[1] <= asked.at && shownAt <= asked.listedAt;
    if (spotify.persons.has(playlist) && couldBeSeen)
      this.#found("create, ok: a person's playlist was taken for the new one", name);
    if (this.#stage.claimed.has(playlist))
      this.#found('create, ok: two callers were told the same playlist', name);
    this.#stage.claimed.add(playlist);
    this.#last = playlist;
    const made = effects.filter(
      (effect) =>
        effect.method === 'POST' && effect.what === 'POST /me/playlists' && effect.playlist?.name === name,
    );
    const unclaimed = made.filter((effect) => effect.playlist && !this.#stage.claimed.has(effect.playlist));
    // If an earlier call has taken a person's playlist for its own, its own playlist may appear now.
    const isTaken = [...this.#stage.claimed].some((one) => one.name === name && spotify.persons.has(one));
    const isAlone = plan.clients.length === 1 && !isTaken;
    if (unclaimed.length > 0 && isAlone && !isLeftOpen)
      this.#found('create, ok: more than one was made', name);
    const others = othersIn(effects, playlist);
    const wasFound = this.#stage.meddled.has(playlist);
    const unclear = {
      hidden: this.#hidden(),
      unseen: new Set<string>(),
      mimicked: spotify.mistakenIn(playlist, from),
    };
    const doing: Doing = { do: 'add', uris };
    const wrong = wrongRows([], doing, outcome, others, urisOf(playlist), new Set(uris), unclear);
    if (wrong && !wasFound)
      this.#found(
        `create, ok: ${namesOf(wrong)}${circumstances(this.#stage, others)}`,
        `${shownWrong(wrong)} in "${name}"`,
      );
    this.#note({ changeId, wish: 'create', playlist, after: urisOf(playlist), from, isSure: !wrong });
  }

  /** Notes a change that was carried out and can be undone. Fields that are left out are empty. */
  #note(made: Pick<Made, 'changeId' | 'wish' | 'playlist' | 'from' | 'isSure'> & Partial<Made>): void {
    this.#made.push({
      before: [],
      after: [],
      name: null,
      added: new Map(),
      removed: new Map(),
      isUndone: false,
      mimicked: new Set(),
      putBack: new Map(),
      to: this.#stage.spotify.effects.length,
      ...made,
    });
  }

  async #undoCreate(
    made: Made,
    playlist: DemoPlaylist,
    ask: () => Promise<Answer | null>,
    force: boolean,
  ): Promise<void> {
    const { spotify, listed } = this.#stage;
    const from = spotify.effects.length;
    const answer = await ask();
    const { outcome, changeId } = await this.#outcomeOf('undo', answer, playlist);
    if (outcome.is !== 'done') {
      if (outcome.is !== 'refused') listed.delete(playlist);
      return;
    }
    made.isUndone = true;
    if (this.#stage.isSwitched) listed.delete(playlist);
    else listed.set(playlist, { isListed: false, from: spotify.effects.length });
    const edits = othersIn(spotify.effects.slice(made.from, from), playlist).filter(
      ({ before, after }) => after.length > before.length,
    );
    if (made.wish === 'create' && edits.length > 0 && !force)
      this.#found('undo of create, ok: although a person has put songs into it', playlist.name);
    this.#note({ changeId, wish: 'unfollow', playlist, from, isSure: true });
  }

  /**
   * True while the job that fills a new playlist waits. Others may write to the playlist then, and the job adds the rest later.
   */
  #isFilledLater({ id }: DemoPlaylist): boolean {
    const { services } = this.#stage.computer;
    return services?.store.get("select 1 from jobs where status = 'waiting' and target_id = ?", [id]) != null;
  }

  /** True once the call that fills a new playlist has left the rest to a job. Before that job begins, others may write. */
  #isLeftToJob({ id }: DemoPlaylist): boolean {
    const { services } = this.#stage.computer;
    return services?.store.get('select 1 from jobs where target_id = ? and listed = 1', [id]) != null;
  }

  /** Looks for a new playlist by its name until it appears, and replaces its rows at once. */
  async #find({ name, tracks }: Wish & { do: 'find' }): Promise<void> {
    const { spotify, meddled, replacing } = this.#stage;
    for (let turn = 0; turn < 12; turn++) {
      const answer = await this.#ask('find_playlist_by_name', { name }, null);
      const id = (answer?.matches as Array<{ id: string }> | undefined)?.[0]?.id;
      const playlist = spotify.all().find((one) => one.id === id);
      if (playlist) {
        meddled.set(playlist, null);
        replacing.set(playlist, 'alone');
        const uris = tracks.map(uriOf);
        const from = spotify.effects.length;
        const hasWaited = this.#isFilledLater(playlist);
        const wasLeft = this.#isLeftToJob(playlist);
        const args = { playlist_id: playlist.id, track_ids: uris };
        const done = await this.#ask('replace_playlist_tracks', args, null);
        const put = spotify.effects
          .slice(from)
          .find((one) => one.playlist === playlist && one.method === 'PUT');
        const isFilled = spotify.effects.some(
          (one) => one.playlist === playlist && one.method === 'POST' && one.what.endsWith('/items'),
        );
        const isAfterwards =
          hasWaited || this.#isFilledLater(playlist) || (!wasLeft && this.#isLeftToJob(playlist));
        const isAlone = replacing.get(playlist) === 'alone';
        replacing.delete(playlist);
        const isLast = put && isFilled && isAlone && !isAfterwards && !this.#leftToJobs.has(playlist);
        if (!done || failureIn(done)) this.#leftToJobs.add(playlist);
        else if (isLast) meddled.set(playlist, uris);
        return;
      }
      await later(this.#stage, 400);
    }
  }

  // Details, the account's list, the library

  async #rename(name: string, playlist: DemoPlaylist, leaves: number | null): Promise<void> {
    const { spotify, plan, time } = this.#stage;
    const from = spotify.effects.length;
    const begun = time.at;
    const before = playlist.name;
    // A name that a person gave shortly before, and that no read shows yet, is not known to relay.
    const shown = spotify.effects.findIndex(({ at }) => at > time.at - plan.lags.details);
    const isUnshown = shown !== -1 && this.#renamedBy(shown, playlist);
    const answer = await this.#ask('update_playlist_details', { playlist_id: playlist.id, name }, leaves);
    const { outcome, changeId } = await this.#outcomeOf('rename', answer, playlist);
    const renamed = this.#renamedBy(from, playlist);
    // True if an earlier renaming, whose answer was lost, took effect only during this one.
    const isEarlierLate = spotify.effects
      .slice(from)
      .some(({ by, sentAt, playlist: on }) => by === 'relay' && on === playlist && sentAt < begun);
    const allowed = outcome.is === 'done' ? [name] : outcome.is === 'refused' ? [before] : [name, before];
    if (!renamed && !allowed.includes(playlist.name))
      this.#found(
        `rename, ${told(outcome)}: the name differs`,
        `"${playlist.name}" in place of "${allowed}"`,
      );
    if (outcome.is === 'done' && !renamed)
      this.#stage.names.set(playlist, { name, from: spotify.effects.length });
    else this.#stage.names.delete(playlist);
    this.#note({
      changeId,
      wish: 'rename',
      playlist,
      name: before,
      from,
      isSure: outcome.is === 'done' && !renamed && !isUnshown && !isEarlierLate,
    });
  }

  /** True if a person has renamed the playlist. @param until the last moment that counts, in milliseconds */
  #renamedBy(from: number, playlist: DemoPlaylist, until = Infinity): boolean {
    return this.#stage.spotify.effects
      .slice(from)
      .some(
        ({ at, by, what, playlist: on }) =>
          at <= until && by === 'person' && on === playlist && what.startsWith('renames'),
      );
  }

  async #undoRename(
    made: Made,
    playlist: DemoPlaylist,
    ask: () => Promise<Answer | null>,
    force: boolean,
  ): Promise<void> {
    const { spotify } = this.#stage;
    const now = playlist.name;
    const from = spotify.effects.length;
    // relay cannot take into account a name that its reads do not show yet.
    const wasRenamed = this.#renamedBy(
      made.from,
      playlist,
      this.#stage.time.at - this.#stage.plan.lags.details,
    );
    const isLast =
      this.#made.filter((one) => one.playlist === playlist && one.name !== null && !one.isUndone).at(-1) ===
      made;
    const answer = await ask();
    const { outcome, changeId } = await this.#outcomeOf('undo', answer, playlist);
    const isRenamed = this.#renamedBy(made.from, playlist);
    const isPlain = !isRenamed && isLast && made.isSure;
    const failure = failureIn(answer);
    if (isConflict(failure) && isPlain && !this.#stage.isRestored)
      this.#found(
        `undo of rename: refused although nobody else changed anything${circumstances(this.#stage, [])}`,
        failure.message,
      );
    if (outcome.is === 'done' && isPlain && playlist.name !== made.name)
      this.#found(
        'undo of rename, ok: another name came back',
        `"${playlist.name}" in place of "${made.name}"`,
      );
    const isBack = playlist.name === made.name;
    if (outcome.is === 'done' && wasRenamed && isLast && made.isSure && isBack && !force)
      this.#found("undo of rename, ok: a person's name was replaced", `"${now}"`);
    if (outcome.is !== 'done') {
      if (outcome.is !== 'refused') this.#stage.names.delete(playlist);
      // The undo may have taken effect although nobody heard its answer.
      if (outcome.is === 'unheard') made.isSure = false;
      return;
    }
    made.isUndone = true;
    if (isPlain) this.#stage.names.set(playlist, { name: playlist.name, from: spotify.effects.length });
    else this.#stage.names.delete(playlist);
    this.#note({ changeId, wish: 'rename', playlist, name: now, from, isSure: isPlain });
  }

  async #unfollow(playlist: DemoPlaylist, leaves: number | null): Promise<void> {
    const { spotify, listed } = this.#stage;
    const from = spotify.effects.length;
    const answer = await this.#ask('delete_playlist', { playlist_id: playlist.id }, leaves);
    const { outcome, changeId } = await this.#outcomeOf('unfollow', answer, playlist);
    if (outcome.is === 'done' && !this.#stage.isSwitched)
      listed.set(playlist, { isListed: false, from: spotify.effects.length });
    else listed.delete(playlist);
    this.#note({ changeId, wish: 'unfollow', playlist, from, isSure: outcome.is === 'done' });
  }

  async #undoUnfollow(made: Made, playlist: DemoPlaylist, ask: () => Promise<Answer | null>): Promise<void> {
    const { spotify, listed } = this.#stage;
    const from = spotify.effects.length;
    const { outcome, changeId } = await this.#outcomeOf('undo', await ask(), playlist);
    if (outcome.is !== 'done' || this.#stage.isSwitched) {
      listed.delete(playlist);
      return;
    }
    made.isUndone = true;
    // A person may take the playlist off the list again before the answer arrives.
    listed.set(playlist, { isListed: true, from });
    this.#note({ changeId, wish: 'follow', playlist, from, isSure: true });
  }

  async #library(isRemoval: boolean, wish: Wish, leaves: number | null): Promise<void> {
    if (wish.do !== 'save' && wish.do !== 'unsave' && wish.do !== 'job') return;
    const { spotify, isRestored, time, plan } = this.#stage;
    const begun = time.at;
    const given = wish.tracks.map(uriOf);
    const skipDuplicates = wish.do === 'job' && wish.skipDuplicates === true;
    const uris = skipDuplicates ? [...new Set(given)] : given;
    const from = spotify.effects.length;
    // What a person did shortly before, and no read shows yet, is not known to relay.
    const unshown = spotify.effects.findIndex(({ at }) => at > time.at - plan.lags.lists);
    const before = spotify.account.saved.map(({ uri }) => uri);
    // relay keeps one time for all requests of a change, so a whole change is recent if its last request is.
    const recent = this.#made.filter(
      ({ playlist, to }) => playlist === null && time.at - (spotify.effects[to - 1]?.at ?? 0) <= 75_000,
    );
    const mimicked = spotify.takenBack(Math.min(...recent.map(({ from }) => spotify.effects[from]?.at ?? 0)));
    const answer = await (wish.do === 'job'
      ? this.#ask(
          'create_bulk_job',
          { type: wish.type, payload: { skip_duplicates: skipDuplicates }, items: given },
          leaves,
        )
      : this.#ask(isRemoval ? 'remove_saved_tracks' : 'save_tracks', { track_ids: given }, leaves));
    const what = isRemoval ? 'unsave' : 'save';
    const { outcome, changeId } = await this.#outcomeOf(what, answer, null, cancelAfterOf(wish));
    const since = unshown === -1 ? from : unshown;
    const late = this.#lateInLibrary(from, begun);
    const after = this.#judgeLibrary(what, uris, !isRemoval, outcome, before, since, late, wish.do === 'job');
    // After a copy of the state is restored, what relay had written counts as what was there before.
    const isKnown = this.#stage.isRestored === isRestored;
    this.#note({
      changeId,
      wish: what,
      playlist: null,
      before,
      after,
      from,
      mimicked,
      added: new Map(uris.map((uri) => [uri, 1])),
      ...{ removed: new Map(), isUndone: false, isSure: outcome.is === 'done' && isKnown },
    });
  }

  /**
   * @param wanted whether `uris` should be saved after the call
   * @param free songs that may be saved or not
   * @param countsAll true if a removal also counts songs that are not saved, as a job does
   */
  #judgeLibrary(
    what: string,
    uris: readonly string[],
    wanted: boolean,
    outcome: Outcome,
    before: readonly string[],
    from: number,
    free: ReadonlySet<string> = new Set(),
    countsAll = false,
  ): readonly string[] {
    const { spotify, isSwitched } = this.#stage;
    const after = spotify.account.saved.map(({ uri }) => uri);
    if (isSwitched) return after;
    const touched = this.#touchedSince(from);
    const [then, now] = [new Set(before), new Set(after)];
    const written =
      outcome.is === 'done'
        ? uris.length
        : outcome.is === 'part'
          ? outcome.written
          : outcome.is === 'refused'
            ? 0
            : null;
    const named = this.#namedByOthers();
    const isCounted = outcome.is === 'part' && outcome.anyOrder === true;
    const isOthers = (uri: string) => touched.has(uri) || named.has(uri);
    // A removal counts only songs that were there. For songs that others touched, that is not certain.
    // It sends each song once, and counts its repeats with it.
    const counted =
      wanted || countsAll
        ? uris
        : [...new Set(uris)]
            .filter((uri) => then.has(uri))
            .flatMap((uri) => uris.filter((one) => one === uri));
    const doubtful = wanted || countsAll || outcome.is !== 'part' ? 0 : uris.filter(isOthers).length;
    const wrong = uris.filter((uri) => {
      if (isOthers(uri) || written === null || isCounted) return false;
      const index = counted.indexOf(uri);
      if (index + doubtful < written) return now.has(uri) !== wanted;
      const isMaybe = index - doubtful < written || (outcome.is === 'part' && outcome.unknown);
      return !isMaybe && now.has(uri) !== then.has(uri);
    });
    const isOf = new Set(uris);
    const strays = [...new Set([...before, ...after])].filter(
      (uri) => !isOf.has(uri) && !touched.has(uri) && !free.has(uri) && then.has(uri) !== now.has(uri),
    );
    if (wrong.length > 0)
      this.#found(
        `${what}, ${told(outcome)}: other songs are saved than it says`,
        wrong.map(numberOf).join(', '),
      );
    if (strays.length > 0 && this.#stage.plan.clients.length === 1)
      this.#found(
        `${what}, ${told(outcome)}: songs that nobody named have changed`,
        strays.map(numberOf).join(', '),
      );
    return after;
  }

  /**
   * Songs of all earlier requests, if one of these requests took effect only during a call. @param begun when that call began
   */
  #lateInLibrary(from: number, begun: number): ReadonlySet<string> {
    const { effects, librarySends } = this.#stage.spotify;
    const isLate = effects
      .slice(from)
      .some(({ by, playlist, sentAt }) => by === 'relay' && playlist === null && sentAt < begun);
    return new Set(
      isLate ? librarySends.filter(({ at }) => at < begun).flatMap(({ uris }) => [...uris]) : [],
    );
  }

  /** Songs that other clients may save or remove at any moment. */
  #namedByOthers(): Set<string> {
    const others = this.#stage.plan.clients.filter(({ name }) => name !== this.#name);
    const wishes = others.flatMap(({ acts }) => acts.map(({ wish }) => wish));
    return new Set(wishes.flatMap((wish) => ('tracks' in wish ? wish.tracks.map(uriOf) : [])));
  }

  #touchedSince(from: number): Set<string> {
    const acts = this.#stage.spotify.effects.slice(from).filter(({ by }) => by === 'person');
    return new Set(acts.flatMap(({ what }) => touchOf(what)?.uri ?? []));
  }

  async #undoLibrary(made: Made, ask: () => Promise<Answer | null>): Promise<void> {
    const { spotify, time } = this.#stage;
    const [from, begun] = [spotify.effects.length, time.at];
    const before = spotify.account.saved.map(({ uri }) => uri);
    const then = new Set(made.before);
    // Spotify tells in whole seconds when a song was saved, by its own clock.
    const since = (spotify.effects[made.from]?.at ?? 0) - 5_000;
    const touched = this.#touchedSince(spotify.effects.findIndex(({ at }) => at >= since));
    const later = this.#made
      .slice(this.#made.indexOf(made) + 1)
      .filter(({ wish, isUndone }) => (wish === 'save' || wish === 'unsave') && !isUndone);
    const { outcome, changeId } = await this.#outcomeOf('undo', await ask(), null);
    const moved = new Set(later.flatMap(({ before, after }) => differing(before, after)));
    const free = new Set([...moved, ...touched, ...made.mimicked]);
    // The undo only has to take back songs that the change itself saved or removed.
    const changed = [...made.added.keys()].filter(
      (uri) => !free.has(uri) && then.has(uri) !== made.after.includes(uri),
    );
    const wanted = made.wish === 'unsave';
    // The undo may also take back other songs that were saved or removed during the change, even by a person.
    for (const uri of differing(made.before, made.after)) free.add(uri);
    for (const uri of this.#lateInLibrary(from, begun)) free.add(uri);
    // If a copy of the state was restored later, what relay wrote after the copy was made counts as what was there before.
    const isForgotten = spotify.effects
      .slice(made.from, made.to)
      .some((effect) => effect.by === 'relay' && effect.playlist === null && spotify.forgotten.has(effect));
    const taken = isForgotten ? [] : changed;
    if (made.isSure) this.#judgeLibrary(`undo of ${made.wish}`, taken, wanted, outcome, before, from, free);
    if (outcome.is !== 'done') {
      // An undo that is asked for again takes over what this one has done.
      if (outcome.is !== 'refused') made.partlyUndone = new Set(changed);
      return;
    }
    made.isUndone = true;
    const nearby = time.at - this.#endOf(made) <= 60_000 ? touched : [];
    this.#note({
      changeId,
      wish: wanted ? 'save' : 'unsave',
      playlist: null,
      before,
      after: spotify.account.saved.map(({ uri }) => uri),
      from,
      // Within a minute, a song that a person has saved or removed again looks like a library that lags.
      mimicked: new Set([...nearby, ...(made.partlyUndone ?? [])]),
      added: new Map(changed.map((uri) => [uri, 1])),
      ...{ removed: new Map(), isUndone: false, isSure: made.isSure },
    });
  }

  /** When a change last had an effect, in milliseconds. */
  #endOf({ from, to }: Made): number {
    return this.#stage.spotify.effects.slice(from, to).findLast(({ by }) => by === 'relay')?.at ?? 0;
  }

  // Asking

  /** @param known codes that may be answered besides those of trouble */
  async #ask(
    tool: string,
    args: Record<string, unknown>,
    leaves: number | null,
    known: readonly string[] = [],
  ): Promise<Answer | null> {
    const { computer, say, time } = this.#stage;
    say(() => `${this.#name} calls ${tool} ${shortened(args)}`);
    const leaving = new AbortController();
    const stay = leaves === null ? null : time.after(leaves, () => leaving.abort(), 'computer');
    const answer = await computer.call(tool, args, leaving.signal);
    stay?.();
    const failure = failureIn(answer);
    say(
      () =>
        `${this.#name} hears ${answer === null ? 'nothing' : failure ? `${failure.code}: ${failure.message} ${failure.remedy ?? ''}` : shortened(answer)}`,
    );
    if (failure && !ALLOWED.has(failure.code) && !known.includes(failure.code))
      this.#found(`${tool} answers ${failure.code}`, failure.message);
    return answer;
  }

  /**
   * What an answer means. If it names a job, follows the job to its end.
   * @param cancelAfter milliseconds after which the client cancels that job; null for never
   */
  async #outcomeOf(
    what: string,
    answer: Answer | null,
    playlist: DemoPlaylist | null,
    cancelAfter: number | null = null,
  ): Promise<{ outcome: Outcome; changeId: string | null }> {
    if (answer === null) return this.#afterSilence(what, null, playlist);
    const failure = failureIn(answer);
    const details = failure?.details ?? {};
    const changeId = textOf(answer.change_id ?? details.change_id);
    const jobId = textOf(answer.job_id ?? details.job_id);
    if (jobId !== null) {
      this.#checkPromise(what, failure, changeId);
      let cancelling: Promise<unknown> | null = null;
      const cancel = () => {
        this.#cancelled.add(jobId);
        cancelling = this.#ask('cancel_job', { job_id: jobId }, null, ['JOB_STATE', 'JOB_NOT_FOUND']);
        // Nobody waits for it if the history ends first.
        cancelling.catch(() => {});
      };
      const stay = cancelAfter === null ? null : this.#stage.time.after(cancelAfter, cancel, 'computer');
      const early = this.#early;
      if (early && early.ended === null && 'after' in early.when) {
        const { after } = early.when;
        early.ended = later(this.#stage, after).then(() => this.#undoEarly(jobId, playlist));
      }
      const followed = await this.#follow(jobId, what, playlist);
      stay?.();
      await cancelling;
      return { outcome: followed.outcome, changeId: followed.changeId ?? changeId };
    }
    if (!failure)
      return {
        outcome: answer.status === 'blocked' ? { is: 'refused', code: 'blocked' } : { is: 'done' },
        changeId,
      };
    if (failure.code === 'SHUTTING_DOWN') return this.#afterSilence(what, changeId, playlist);
    if (failure.message.includes('The write continues')) {
      this.#found('an answer says that the write continues, but names no job', failure.message);
      return this.#afterSilence(what, changeId, playlist);
    }
    if (failure.code !== 'PARTIAL_WRITE') {
      const isOpen =
        details.outcome_unknown === true || (failure.code === 'STORE_ERROR' && changeId !== null);
      if (isOpen) return this.#afterSilence(what, changeId, playlist);
      return { outcome: { is: 'refused', code: failure.code }, changeId };
    }
    const rollback = details.rollback as { succeeded: boolean } | undefined;
    if (rollback?.succeeded) return { outcome: { is: 'rolled back' }, changeId };
    if (rollback) {
      const { missing_uris: missing, missing_count: count } = details;
      // A long answer lists only the first missing rows and says that undo brings back all. The client cannot check the others.
      const isWhole = Array.isArray(missing) && missing.length === count;
      return { outcome: isWhole ? missingOf(missing) : { is: 'unheard' }, changeId };
    }
    const { outcome_unknown: unknown = false } = (details.error ?? {}) as { outcome_unknown?: boolean };
    if (unknown) await later(this.#stage, 25_000);
    const anyOrder = failure.remedy?.includes('undo_change again') === true;
    return { outcome: { is: 'part', written: Number(details.written ?? 0), unknown, anyOrder }, changeId };
  }

  /** An answer must not say that its job writes the rest while the job does something else. */
  #checkPromise(what: string, failure: Failure | null, changeId: string | null): void {
    const { services } = this.#stage.computer;
    const words = `${failure?.message} ${failure?.remedy}`;
    if (!failure || !words.includes('writes the rest by itself') || !services || changeId === null) return;
    // Older programs have other columns.
    const row = services.store.get<{ state?: string; leg?: string; going_back?: number }>(
      'select * from changes where id = ?',
      [changeId],
    );
    if (row && (row.leg === 'back' || row.going_back === 1 || row.state === 'rolling_back'))
      this.#found(
        `${what}: it says that the job writes the rest, while that is rolled back`,
        failure.message,
      );
  }

  /** After an answer that nobody heard: waits until no change can write any more, and follows a job that asks for a review. */
  async #afterSilence(
    what: string,
    changeId: string | null,
    playlist: DemoPlaylist | null,
  ): Promise<{ outcome: Outcome; changeId: string | null }> {
    const { computer } = this.#stage;
    await later(this.#stage, 2_000);
    for (let turn = 0; turn < 240; turn++) {
      const { services } = computer;
      const open = services?.store.get<{ count: number }>(
        `select count(*) as count from changes where ended_at is null
         and not exists (select 1 from jobs where seq = changes.job and status = 'failed' and review_required = 1)`,
      );
      const jobs = services?.store.get<{ count: number }>(
        "select count(*) as count from jobs where status in ('pending', 'resolving', 'committing', 'waiting')",
      );
      if (services && open?.count === 0 && jobs?.count === 0) break;
      await later(this.#stage, turn < 30 ? 3_000 : turn < 200 ? 60_000 : HOUR / 2);
    }
    const review = computer.services?.store.get<{ id: string }>(
      `select jobs.id from jobs join changes on changes.job = jobs.seq
       where changes.playlist_id = ? and jobs.status = 'failed' and jobs.review_required = 1`,
      [playlist?.id ?? ''],
    );
    const unheard = { outcome: { is: 'unheard' }, changeId } as const;
    if (!review) return unheard;
    const followed = await this.#follow(review.id, what, playlist);
    // True if the review is of an earlier change. relay had answered how that change ended, but crashed before it saved the
    // end.
    const isEarlier = this.#made.some(({ changeId }) => changeId !== null && changeId === followed.changeId);
    return isEarlier ? unheard : followed;
  }

  /** Follows a job to its end, doing what it asks for. */
  async #follow(
    id: string,
    what: string,
    playlist: DemoPlaylist | null,
  ): Promise<{ outcome: Outcome; changeId: string | null }> {
    const { time, say } = this.#stage;
    let resumes = 0;
    /** How often the job was seen cancelled, without a result. */
    let looks = 0;
    let review: 'carry_on' | 'accept' | null = null;
    /** The change ID that the job named first: an undo has to accept it, whatever happened since. */
    let given: string | null = null;
    const begun = time.awake();
    let isTold = false;
    /** How far the job had come, and when it last made progress or said what it waits for. */
    let seen = { far: '', at: begun };
    for (let turn = 0; ; turn++) {
      const answer = await this.#quietly('get_job_status', { job_id: id, limit: 1 });
      const failure = failureIn(answer);
      if (failure?.code === 'JOB_NOT_FOUND') {
        if (!this.#stage.isRestored) this.#found('a job is gone', id);
        return { outcome: { is: 'unheard' }, changeId: null };
      }
      const job = answer?.job as JobRecord | undefined;
      if (!job) {
        await later(this.#stage, 1_000);
        continue;
      }
      this.#job = job;
      const far = `${job.status} ${job.written}`;
      if (far !== seen.far || job.reason || job.status !== 'committing') seen = { far, at: time.awake() };
      const isStill = time.awake() - seen.at > STILL_MS;
      const isIdle = this.#isCalm() && time.awake() - begun > 2 * HOUR;
      if ((isStill || isIdle) && !isTold) {
        isTold = true;
        this.#found(
          isStill
            ? `${what}: a job stands ${job.status} without a reason`
            : `${what}: a job goes on for hours although nothing stands in its way`,
          JSON.stringify({ ...job, payload: undefined }),
        );
      }
      given ??= textOf(job.result?.change_id);
      const changeId = given;
      const ended = (outcome: Outcome) => {
        say(
          () =>
            `${this.#name} sees the job ${job.status}${job.error ? `: ${job.error.code} ${job.error.message}` : ''}`,
        );
        return { outcome, changeId };
      };
      switch (job.status) {
        case 'completed':
          return ended(
            review === null
              ? { is: 'done' }
              : review === 'carry_on'
                ? { is: 'carried on' }
                : { is: 'accepted' },
          );
        case 'cancelled': {
          // A job that was writing says how far it got once no request of it is under way, and how the last one ended once that
          // is known.
          const isOpen = job.result ? job.result.outcome_unknown === true && turn < 90 : looks++ < 20;
          if (isOpen) break;
          // Nothing of the job may take effect from here on.
          await later(this.#stage, 25_000);
          return ended({ is: 'part', written: job.written, unknown: job.result?.outcome_unknown === true });
        }
        case 'ready':
          await this.#quietly('commit_job', {
            job_id: id,
            ...(job.resolved < job.total_items ? { skip_unresolved: true } : {}),
          });
          break;
        case 'failed': {
          if (job.review_required) {
            this.#checkReview(what, job, playlist);
            review = this.#chance.fraction() < 0.75 ? 'carry_on' : 'accept';
            // Another client may have decided the same review.
            const isAlone = this.#stage.plan.clients.length === 1 && !this.#isRushing;
            const answer = await this.#ask(
              'resume_job',
              { job_id: id, review },
              null,
              isAlone ? [] : ['JOB_STATE'],
            );
            if (resumes++ > 3) return ended({ is: 'unheard' });
            if (failureIn(answer)) await later(this.#stage, 5_000);
            break;
          }
          const back: Outcome = { is: 'rolled back' };
          if (job.result?.rolled_back === true && resumes > 0) return ended(back);
          if (resumes++ >= 2) {
            const { rolled_back: isBack, missing_uris: missing } = job.result ?? {};
            if (isBack === true) return ended(back);
            return ended(
              Array.isArray(missing)
                ? missingOf(missing)
                : { is: 'part', written: job.written, unknown: true },
            );
          }
          const early = this.#early;
          if (early && early.ended === null && 'beside' in early.when) {
            const { beside } = early.when;
            early.ended = later(this.#stage, Math.max(0, beside)).then(() => this.#undoEarly(id, playlist));
            await later(this.#stage, Math.max(0, -beside));
          }
          // The job may have been cancelled meanwhile, by this client or by its undo.
          const mayBeOver = early || this.#cancelled.has(id);
          await this.#ask('resume_job', { job_id: id }, null, mayBeOver ? ['JOB_STATE'] : []);
          break;
        }
        default:
          if (time.awake() - begun > 30 * HOUR) {
            if (!job.run_after && !job.reason && job.status !== 'committing')
              this.#found(
                `${what}: a job stands ${job.status} without a reason`,
                JSON.stringify({ ...job, payload: undefined }),
              );
            return ended({ is: 'unheard' });
          }
      }
      const due = !job.run_after ? 0 : Date.parse(job.run_after) - time.wall();
      // With longer pauses, a job that waits between its attempts could be found at work each time.
      const isAtWork = job.status === 'committing' && !job.reason;
      const pause = turn < 15 ? 2_000 : turn < 60 || isAtWork ? 10_000 : HOUR / 2;
      await later(this.#stage, Math.max(pause, Math.min(due, 8 * HOUR)));
    }
  }

  /** True if the plan has neither faults nor mishaps: only clients and a person act. */
  #isCalm(): boolean {
    const { faults, mishaps } = this.#stage.plan;
    return faults.length + mishaps.length === 0;
  }

  async #quietly(tool: string, args: Record<string, unknown>): Promise<Answer | null> {
    const answer = await this.#stage.computer.call(tool, args);
    const failure = failureIn(answer);
    const known = ['JOB_STATE', 'JOB_NOT_FOUND', ...ALLOWED];
    if (failure && !known.includes(failure.code))
      this.#found(`${tool} answers ${failure.code}`, failure.message);
    return answer;
  }

  #checkReview(what: string, job: JobRecord, playlist: DemoPlaylist | null): void {
    const { spotify, isRestored } = this.#stage;
    const others = spotify.effects.filter(
      ({ by, playlist: on }) => by === 'person' && (on === playlist || playlist === null),
    );
    // Of one client of several, a review may be about what another one has written.
    if (others.length > 0 || isRestored || !playlist || this.#isRushing) return;
    this.#found(
      `${what}: a review although nobody else changed anything${circumstances(this.#stage, [])}`,
      job.error?.message ?? '',
    );
  }

  #found(rule: string, text: string): void {
    this.#stage.found(rule, `${this.#name}: ${text}`);
  }
}

/** Entries that only one of the two lists has. */
function differing(one: readonly string[], other: readonly string[]): string[] {
  const [first, second] = [new Set(one), new Set(other)];
  return [...new Set([...one, ...other])].filter((uri) => first.has(uri) !== second.has(uri));
}

/** Statuses of a job that has ended. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed']);

/** The end of a change whose undo has taken everything back. */
const NOTHING: Outcome = { is: 'rolled back' };

const NOBODY: Effect = {
  at: 0,
  sentAt: 0,
  by: 'person',
  what: 'nothing',
  playlist: null,
  before: [],
  after: [],
  rowsBefore: [],
  rowsAfter: [],
  method: 'EDIT',
};

/** The songs whose number of rows no changes explain that took turns in any way, or that continued after others. */
function wrongNumbers(done: readonly Doing[], before: Counts, after: Counts): string[] {
  const given = done.flatMap((doing) => ('uris' in doing && doing.do !== 'remove' ? doing.uris : []));
  const added = countsOf(done.flatMap((doing) => (doing.do === 'add' ? doing.uris : [])));
  const most = countsOf(given);
  const mayGo = (uri: string) =>
    done.some((doing) => doing.do === 'replace' || (doing.do === 'remove' && doing.uris.includes(uri)));
  const isOnce = done.some((doing) => doing.do === 'deduplicate');
  return [...new Set([...before.keys(), ...most.keys(), ...after.keys()])].filter((uri) => {
    const [had, has] = [before.get(uri) ?? 0, after.get(uri) ?? 0];
    const sum = had + (added.get(uri) ?? 0);
    const least = mayGo(uri) ? 0 : isOnce ? Math.min(sum, 1) : sum;
    return has < least || has > had + (most.get(uri) ?? 0);
  });
}

/** Every order of some things. */
function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) => ordersOf(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));
}

function rowsAsked(
  wish: Wish & { list: number },
  { id }: DemoPlaylist,
  before: readonly string[],
  hidden: ReadonlySet<string>,
): { tool: string; args: Record<string, unknown>; doing: Doing } | null {
  const playlist_id = id;
  switch (wish.do) {
    case 'add': {
      const uris = wish.tracks.map(uriOf);
      return {
        tool: 'add_tracks_to_playlist',
        args: { playlist_id, track_ids: uris },
        doing: { do: 'add', uris },
      };
    }
    case 'bulk': {
      const uris = wish.tracks.map(uriOf);
      const known = knownOf(wish.tracks);
      const anySize = known.length < uris.length;
      const doing: Doing = { do: wish.skipExisting ? 'add missing' : 'add', uris: known, anySize };
      const lenient = anySize ? { strict: false } : {};
      return {
        tool: 'bulk_add_tracks',
        args: { playlist_id, tracks: uris, skip_existing: wish.skipExisting, ...lenient },
        doing,
      };
    }
    case 'remove': {
      const uris = wish.tracks.map(uriOf).filter((uri) => !hidden.has(uri));
      if (uris.length === 0) return null;
      return {
        tool: 'remove_tracks_from_playlist',
        args: { playlist_id, track_ids: uris },
        doing: { do: 'remove', uris },
      };
    }
    case 'replace': {
      const uris = wish.tracks.map(uriOf);
      return {
        tool: 'replace_playlist_tracks',
        args: { playlist_id, track_ids: uris },
        doing: { do: 'replace', uris },
      };
    }
    case 'deduplicate':
      return { tool: 'deduplicate_playlist', args: { playlist_id }, doing: { do: 'deduplicate' } };
    case 'reorder': {
      const size = before.length;
      if (size < 2) return null;
      const start = Math.min(size - 1, Math.floor(wish.start * size));
      const length = Math.max(1, Math.min(size - start, Math.floor(wish.length * 8)));
      const place = Math.floor(wish.before * (size + 1));
      const args = { playlist_id, range_start: start, range_length: length, insert_before: place };
      return { tool: 'reorder_playlist_tracks', args, doing: { do: 'move', start, length, before: place } };
    }
    case 'job': {
      const given = wish.tracks.map(uriOf);
      const skipDuplicates = wish.skipDuplicates === true;
      const asked = skipDuplicates ? [...new Set(wish.tracks)] : wish.tracks;
      const uris = asked.map(uriOf);
      const known = knownOf(asked);
      const anySize = known.length < uris.length;
      const isReplacing = wish.type === 'replace_playlist';
      const payload = {
        playlist_id,
        skip_duplicates: skipDuplicates,
        ...(anySize ? { strict: false } : {}),
        ...(wish.skipExisting && !isReplacing ? { skip_existing: true } : {}),
      };
      const doing: Doing = isReplacing
        ? { do: 'replace', uris }
        : { do: wish.skipExisting ? 'add missing' : 'add', uris: known, anySize };
      const attempts = wish.attempts === undefined ? {} : { max_attempts: wish.attempts };
      const args = { type: wish.type, payload, items: given, ...attempts };
      return { tool: 'create_bulk_job', args, doing };
    }
    default:
      return null;
  }
}

/** The URIs of those tracks that Spotify knows. */
function knownOf(tracks: readonly number[]): string[] {
  return tracks.filter((track) => track < TRACKS).map(uriOf);
}

/** What may write every row of a list again, so that a local file is in its way. */
const REWRITES: ReadonlySet<Doing['do']> = new Set(['replace', 'deduplicate', 'bring back']);

/** Wishes that only add rows. */
const ADDITIONS: ReadonlySet<Made['wish']> = new Set(['add', 'bulk', 'job']);

/**
 * Songs of which the undo of an addition has taken out rows that were there before the addition.
 * @param since the effects from the addition until its undo began; rows that these effects put in do not count as older
 */
function olderTaken(
  { added, playlist: on }: Made,
  before: readonly PlaylistRow[],
  { rows }: DemoPlaylist,
  since: readonly Effect[],
): string[] {
  const newer = putIn(since.filter(({ playlist }) => playlist === on));
  const older = (list: readonly PlaylistRow[], uri: string) =>
    list.filter((row) => row.uri === uri && !newer.has(row)).length;
  return [...added.keys()].filter((uri) => older(rows, uri) < older(before, uri));
}

/** The rows that a change has put in. */
function ownRows(
  { from, to, playlist: on }: Pick<Made, 'from' | 'to' | 'playlist'>,
  effects: readonly Effect[],
): Set<PlaylistRow> {
  const acts = effects.slice(from, to).filter((effect) => effect.by === 'relay' && effect.playlist === on);
  return putIn(acts);
}

function putIn(effects: readonly Effect[]): Set<PlaylistRow> {
  return new Set(effects.flatMap(({ rowsBefore, rowsAfter }) => without(rowsAfter, rowsBefore)));
}

/** By URI: how many of the rows that a change has put in are still there. */
function stillThere(made: Made, rows: readonly PlaylistRow[], effects: readonly Effect[]): Counts {
  const own = ownRows(made, effects);
  const left = countsOf(rows.filter((row) => own.has(row)).map(({ uri }) => uri));
  return new Map([...made.added].map(([uri, count]) => [uri, Math.min(count, left.get(uri) ?? 0)]));
}

/**
 * What may count as the rows before a change: the rows when the change was asked for, and the rows that a person left before
 * its first effect.
 */
function formersOf(
  { before, from, to, playlist: on }: Pick<Made, 'before' | 'from' | 'to' | 'playlist'>,
  effects: readonly Effect[],
): Array<readonly string[]> {
  const acts = effects.slice(from, to).filter(({ playlist }) => playlist === on);
  const first = acts.findIndex(({ by }) => by === 'relay');
  return [...acts.slice(0, Math.max(0, first)).map(({ after }) => after), before];
}

/**
 * If an undo only has to add rows at the end, returns that addition: such an undo may stop between two requests if the client
 * leaves.
 */
function appending(present: readonly string[], former: readonly string[]): Doing[] {
  const isBegin = present.every((uri, index) => uri === former[index]);
  return isBegin ? [{ do: 'add', uris: former.slice(present.length) }] : [];
}

/** Null if the rows are right for any of `cases`; otherwise what is wrong in the last case. */
function firstRight<T>(judged: (one: T) => Wrong | null, cases: readonly T[]): Wrong | null {
  let wrong: Wrong | null = null;
  for (const one of cases) {
    wrong = judged(one);
    if (wrong === null) break;
  }
  return wrong;
}

/**
 * Songs that a person has put in and a request that replaces all rows has taken out.
 * @param unseen songs that may be lost if the list still showed removed rows after 20 s
 */
function lostToReplacement(
  effects: readonly Effect[],
  playlist: DemoPlaylist,
  unseen: ReadonlySet<string>,
): string[] {
  const came = new Set(
    othersIn(effects, playlist).flatMap(({ before, after }) => [
      ...[...difference(countsOf(before), countsOf(after))].flatMap(([uri, count]) =>
        count > 0 ? [uri] : [],
      ),
    ]),
  );
  const acts = effects.filter(({ playlist: on }) => on === playlist);
  const removedAt = acts.find(({ method }) => method === 'DELETE')?.at ?? Infinity;
  return acts.flatMap(({ method, before, sentAt }, index) => {
    if (method !== 'PUT') return [];
    // The PUT writes only the first rows, and the requests after it append the others.
    const kept = new Set(acts.slice(index).flatMap(({ by, after }) => (by === 'person' ? [] : after)));
    return before.filter((uri) => {
      const isLost = came.has(uri) && !kept.has(uri);
      return isLost && !(unseen.has(uri) && sentAt - removedAt >= LATEST_EFFECT_MS);
    });
  });
}

/** What a person did to the rows of a playlist. */
function othersIn(effects: readonly Effect[], playlist: DemoPlaylist): Effect[] {
  return effects.filter(
    (effect) => effect.by === 'person' && effect.playlist === playlist && !effect.what.startsWith('renames'),
  );
}

/** What a person did to put in rows of `own` that relay has then taken out, with all other rows of these songs. */
function sweptAlong(
  own: ReadonlySet<string>,
  others: readonly Effect[],
  effects: readonly Effect[],
): Effect[] {
  const taken = new Set(
    effects.flatMap(({ by, rowsBefore, rowsAfter }) =>
      by === 'person' ? [] : without(rowsBefore, rowsAfter),
    ),
  );
  return others.filter(({ rowsBefore, rowsAfter }) =>
    without(rowsAfter, rowsBefore).some((row) => own.has(row.uri) && taken.has(row)),
  );
}

/**
 * By URI: rows that a person has put in after relay had taken that song out.
 * @param isInDoubt true if answers may be lost; otherwise a row counts only if relay has later taken it out too
 * @param isRead true if relay has read, between the removal and the person's act, that the song was gone. Then the row does not
 * count
 */
function putBackIn(
  effects: readonly Effect[],
  playlist: DemoPlaylist,
  isInDoubt: boolean,
  isRead: (gone: Effect, back: Effect) => boolean = () => false,
): Counts {
  const gone = new Map<string, Effect>();
  const taken = new Set<PlaylistRow>();
  const back: PlaylistRow[] = [];
  for (const effect of effects) {
    const { by, rowsBefore, rowsAfter } = effect;
    if (effect.playlist !== playlist) continue;
    const [held, left] = [new Set(rowsBefore), new Set(rowsAfter)];
    if (by === 'person') {
      const isBack = ({ uri }: PlaylistRow) => {
        const removal = gone.get(uri);
        return removal !== undefined && !isRead(removal, effect);
      };
      back.push(...rowsAfter.filter((row) => !held.has(row) && isBack(row)));
      continue;
    }
    for (const row of rowsBefore) {
      if (left.has(row)) continue;
      gone.set(row.uri, effect);
      taken.add(row);
    }
  }
  return countsOf(back.filter((row) => isInDoubt || taken.has(row)).map(({ uri }) => uri));
}

function less(counts: Counts, by: Counts): Counts {
  return new Map(
    [...counts]
      .map(([uri, count]): [string, number] => [uri, count - (by.get(uri) ?? 0)])
      .filter(([, count]) => count > 0),
  );
}

/**
 * True if a move of relay, whose answer was lost, takes effect late, after a person has moved rows of the same list. In that
 * case, relay has taken the person's move for its own.
 */
function isLateMove(effects: readonly Effect[], earlier: readonly Effect[], playlist: DemoPlaylist): boolean {
  const isMove = ({ before, after, playlist: on }: Effect) =>
    on === playlist && difference(countsOf(before), countsOf(after)).size === 0;
  return effects.some(
    (late) =>
      late.by === 'relay' &&
      isMove(late) &&
      earlier.some((act) => act.by === 'person' && act.at >= late.sentAt && isMove(act)),
  );
}

function takenOff(change: Map<string, number>, others: readonly Effect[]): Map<string, number> {
  for (const { before, after } of others)
    for (const [uri, count] of difference(countsOf(before), countsOf(after)))
      change.set(uri, (change.get(uri) ?? 0) - count);
  for (const [uri, count] of change) if (count === 0) change.delete(uri);
  return change;
}

/** The acts of others that have put in or taken out nothing but these songs. */
function othersOn(uris: ReadonlySet<string>, others: readonly Effect[]): Effect[] {
  return others.filter(({ before, after }) =>
    [...difference(countsOf(before), countsOf(after)).keys()].every((uri) => uris.has(uri)),
  );
}

function failureIn(answer: Answer | null): Failure | null {
  return (answer?.error as Failure | undefined) ?? null;
}

/**
 * Songs of a change that others have put in or taken out. If a person lets a reviewed change carry on, these songs are not
 * judged, since relay does not write what is there already.
 */
function thereAlready(own: ReadonlySet<string>, others: readonly Effect[]): string[] {
  return others.flatMap(({ before, after }) => touchedBy(before, after)).filter((uri) => own.has(uri));
}

/**
 * True for a conflict, unless its reason is that the change is still being written. After a crash, a change counts as being
 * written until none of its requests can still take effect.
 */
function isConflict(failure: Failure | null): failure is Failure {
  return failure?.code === 'CONFLICT' && !failure.message.includes('is still being written');
}

/** When the client cancels the job that it asks for; null if it does not. */
function cancelAfterOf(wish: Wish): number | null {
  return wish.do === 'job' ? wish.cancelAfter : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function missingOf(uris: unknown): Outcome {
  return { is: 'missing', uris: ((uris as string[] | undefined) ?? []).map(recordingOf) };
}

function told(outcome: Outcome): string {
  return outcome.is === 'refused' ? 'refused' : outcome.is === 'part' ? 'partial' : outcome.is;
}

function namesOf(wrong: Wrong): string {
  const names = [
    [wrong.lostOwn, 'own rows missing'],
    [wrong.lostOthers, "others' rows lost"],
    [wrong.doubledOwn, 'own rows too often'],
    [wrong.doubledOthers, "others' rows too often"],
  ] as const;
  return wrong.isOrder
    ? 'wrong order'
    : names.flatMap(([rows, name]) => (rows.length > 0 ? [name] : [])).join(', ');
}

function shownWrong(wrong: Wrong): string {
  const shown = (rows: readonly string[]) =>
    `${rows.slice(0, 6).map(numberOf).join(' ')}${rows.length > 6 ? ` … ${rows.length}` : ''}`;
  const { lostOwn, lostOthers, doubledOwn, doubledOthers } = wrong;
  return `missing: ${shown([...lostOwn, ...lostOthers])}; too often: ${shown([...doubledOwn, ...doubledOthers])}`;
}

/** For the name of a finding: what a person did, and which reads lag far behind. */
function circumstances({ plan }: Stage, others: readonly Effect[]): string {
  const deeds = [...new Set(others.map(({ what }) => what.split(' ')[0]))].sort();
  const behind = (['lists', 'totals', 'versions', 'details'] as const).find((lag) => plan.lags[lag] > FAR_MS);
  const told = [
    ...(deeds.length > 0 ? [`a person ${deeds.join(', ')}`] : []),
    ...(behind ? [`${behind} far behind`] : []),
  ];
  return told.length > 0 ? ` (${told.join('; ')})` : '';
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value, (_key, part) => {
    if (Array.isArray(part) && part.length > 4) return [...part.slice(0, 2), `… ${part.length}`];
    return typeof part === 'string' && part.startsWith('spotify:track:') ? `song ${numberOf(part)}` : part;
  });
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
