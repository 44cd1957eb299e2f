/**
 * Goes through the items of a job that did not resolve, one at a time, with a person at a terminal. Every decision is
 * saved as it is made, so that a session can end at any point.
 */
import { chunk } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { type ItemRecord, type JobRecord, RESOLVED_STATUSES, unresolvedOf } from '../../domain/job.ts';
import { acceptWords, MAX_FIXES, NEAR_SCORE } from '../../domain/settling.ts';
import type { Track } from '../../domain/shapes.ts';
import type { Context } from '../context.ts';
import { note, showsUnicode } from '../terminal/output.ts';
import { type Dialogue, openDialogue } from '../terminal/prompt.ts';
import { readInput, readScore, trackUri } from './fixInput.ts';
import {
  type FixView,
  inputText,
  inWindow,
  itemLines,
  keysText,
  type Offer,
  summaryText,
  trackText,
} from './fixText.ts';
import { type Decision, jobOf, type Settled, settle, type Tools, unresolvedItems } from './jobCalls.ts';

/** Maximum number of tracks to offer for an item. */
const MAX_OFFERS = 5;
const MAX_EXAMPLES = 3;
/** Number of items to fetch at a time. After each decision, the items are fetched again. */
const PAGE = 20;

interface Session {
  context: Context;
  tools: Tools;
  id: string;
  dialogue: Dialogue;
  view: FixView;
  /** Items that have been shown, in order; the session can go back to each. */
  seen: ItemRecord[];
  /** Index of the present item in `seen`. */
  at: number;
  /** The items that come next. */
  coming: AsyncGenerator<ItemRecord>;
  /** The job in the last answer. */
  job: JobRecord;
  /** The decisions of this session in words, by the position of the item. */
  decided: Map<number, string>;
  /** The songs that the session has decided about, as the list has them. A decision also counts for their repeats. */
  own: Set<string>;
  /** What the job says about the present item, if its song was decided about in this session; else null. */
  former: ItemRecord | null;
  /** How many items the session has settled and left out. */
  counts: Pick<Settled, 'settled' | 'skipped'>;
}

/**
 * Goes through the unresolved items of a job. Returns the job as it is at the end of the session.
 * @param dialogue the calling command's dialogue, which stays open; by default the session opens its own
 * @throws RelayError `INTERRUPTED`
 */
export async function fixSession(
  context: Context,
  tools: Tools,
  before: JobRecord,
  dialogue?: Dialogue,
): Promise<JobRecord> {
  const { io, env, platform, signal } = context;
  const id = before.job_id;
  const session: Session = {
    context,
    tools,
    id,
    dialogue: dialogue ?? openDialogue(io, signal),
    view: { width: Math.max(20, io.columns), unicode: showsUnicode(env, platform) },
    seen: [],
    at: 0,
    coming: unresolvedItems(tools, id, PAGE),
    job: before,
    decided: new Map(),
    own: new Set(),
    former: null,
    counts: { settled: 0, skipped: 0 },
  };
  try {
    await goThrough(session);
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'INTERRUPTED') throw error;
    throw error.with({ message: 'Interrupted. What was settled so far is kept.' });
  } finally {
    if (!dialogue) session.dialogue.close();
  }
  const job = await jobOf(tools, id);
  note(io, '');
  // The job's own counts also include what the search finds and what others settle meanwhile.
  note(io, summaryText({ ...session.counts, left: unresolvedOf(job) }));
  return job;
}

type Next = 'again' | 'next' | 'back' | 'end';

async function goThrough(session: Session): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const item = await present(session);
    if (!item) return;
    // `decideOn` takes the former decision off the session's counts. Decisions of others were never in them.
    session.former = session.own.has(songOf(item)) ? await itemAt(session, item.position) : null;
    const next = await settleOne(session, item, isFirst);
    if (next === 'end') return;
    if (next === 'back') session.at = Math.max(0, session.at - 1);
    if (next === 'next') session.at += 1;
  }
}

/** Returns the item to decide about; null after the last. */
async function present(session: Session): Promise<ItemRecord | null> {
  const { seen } = session;
  while (session.at >= seen.length) {
    const { value, done } = await session.coming.next();
    if (done || !value) return null;
    // After a decision, `coming` begins with the first unresolved item again. Items that were already shown are skipped.
    if (value.position > (seen.at(-1)?.position ?? -1)) seen.push(value);
  }
  return seen[session.at] ?? null;
}

/** Shows an item and asks until the person has decided about it or moves on. */
async function settleOne(session: Session, item: ItemRecord, isFirst: boolean): Promise<Next> {
  const { view, dialogue } = session;
  let offers: Offer[] = (item.candidates ?? []).slice(0, MAX_OFFERS);
  show(session, item, offers);
  if (isFirst) say(session, keysText(offers.length, view));
  for (;;) {
    const typed = await dialogue.ask('> ');
    if (typed === null) return 'end';
    const input = readInput(typed, offers.length);
    switch (input.kind) {
      case 'take':
        await takeOffer(session, item, offers[input.index]);
        return 'next';
      case 'skip':
        await decideOn(session, item, { skip: true });
        report(session, item, 'Left out.');
        return 'next';
      case 'link': {
        const link = input.text ?? (await dialogue.ask('Link or ID: '));
        if (link && (await takeLink(session, item, link))) return 'next';
        break;
      }
      case 'search': {
        const words = input.text ?? (await dialogue.ask('Search for: '));
        if (!words) break;
        const answer = await unlessRefused(session, () => found(session, words));
        if (answer === null) break;
        offers = answer;
        if (offers.length === 0) say(session, ['Nothing was found.']);
        else show(session, item, offers);
        break;
      }
      case 'near': {
        if (await takeNear(session, input.text)) return 'again';
        break;
      }
      case 'help':
        say(session, keysText(offers.length, view));
        break;
      case 'unclear':
        say(session, [input.why, ...keysText(offers.length, view)]);
        break;
      case 'later':
        return 'next';
      case 'back':
        if (session.at > 0) return 'back';
        say(session, ['This is the first one.']);
        break;
      case 'quit':
        return 'end';
    }
  }
}

/** Prints lines. A line that is too long for the window is wrapped and keeps its indent. */
function say({ context, view }: Session, lines: readonly string[]): void {
  for (const line of lines.flatMap((one) => inWindow(one, view))) note(context.io, line);
}

function show(session: Session, item: ItemRecord, offers: readonly Offer[]): void {
  const { job, decided, view } = session;
  const facts = {
    items: job.total_items,
    open: unresolvedOf(job),
    decided: decided.get(item.position) ?? null,
  };
  say(session, itemLines(item, offers, facts, view));
}

/** Shows a decision, now and whenever the session comes back to the item. */
function report(session: Session, { position }: ItemRecord, text: string): void {
  session.decided.set(position, text);
  say(session, [text]);
}

async function takeOffer(session: Session, item: ItemRecord, offer: Offer | undefined): Promise<void> {
  if (!offer) return;
  await decideOn(session, item, { track: offer.track.uri });
  report(session, item, `Taken: ${trackText(offer.track, session.view)}`);
}

/** Takes the track of a link. Returns false, after telling the person, if the link names no track, or Spotify does not answer. */
async function takeLink(session: Session, item: ItemRecord, link: string): Promise<boolean> {
  const decided = await unlessRefused(session, async () => {
    await decideOn(session, item, { track: trackUri(link) });
    return true;
  });
  if (decided === null) return false;
  const track = (await itemAt(session, item.position))?.track;
  report(session, item, track ? `Taken: ${trackText(track, session.view)}` : 'Taken.');
  return true;
}

/** Does `work`. Returns null, after telling the person, if that failed with one of `REFUSALS`. */
async function unlessRefused<T>(session: Session, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RelayError) || !REFUSALS.has(error.code)) throw error;
    say(session, [error.message]);
    return null;
  }
}

/** Errors after which the person can try again, or decide without Spotify's answer. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['USAGE', 'INVALID_ARGUMENT', 'NOT_FOUND'],
  ...['RATE_LIMITED', 'QUOTA_EXCEEDED', 'LOGIN_REQUIRED', 'DEADLINE_EXCEEDED'],
  ...['PROVIDER_UNAVAILABLE', 'PROVIDER_TIMEOUT', 'PROVIDER_INVALID_RESPONSE'],
]);

/** Fetches an item as it is now; null if there is none at that position. */
async function itemAt({ tools, id }: Session, position: number): Promise<ItemRecord | null> {
  const where = { job_id: id, offset: position, limit: 1 };
  const { items } = await tools<{ items: ItemRecord[] }>('get_job_status', where);
  return items[0] ?? null;
}

function songOf({ input }: ItemRecord): string {
  return JSON.stringify(input);
}

/** Decides about the present item. An earlier decision of this session about the item no longer counts. */
async function decideOn(
  session: Session,
  item: ItemRecord,
  what: { track: string } | { skip: true },
): Promise<void> {
  await decide(session, [{ number: item.position + 1, ...what }]);
  const { counts, former, own } = session;
  own.add(songOf(item));
  if (former?.status === 'skipped') counts.skipped -= 1;
  else if (former && RESOLVED_STATUSES.includes(former.status)) counts.settled -= 1;
}

async function decide(session: Session, decisions: readonly Decision[]): Promise<Settled> {
  const answer = await settle(session.tools, session.id, decisions);
  session.job = answer.job;
  session.counts.settled += answer.settled;
  session.counts.skipped += answer.skipped;
  // The pages are read again, since settled items are no longer on them. A decision also settles later items with the same
  // song.
  session.coming = unresolvedItems(session.tools, session.id, PAGE);
  return answer;
}

async function found({ tools }: Session, words: string): Promise<Offer[]> {
  const query = words.slice(0, 250);
  const { items } = await tools<{ items: Track[] }>('search_tracks', { query, limit: MAX_OFFERS });
  return items.map((track) => ({ track, score: null }));
}

/** Asks whether to accept all near matches, and accepts them. Returns false if nothing was accepted. */
async function takeNear(session: Session, given: string | null): Promise<boolean> {
  const { dialogue, tools, id, view } = session;
  const score = given === null ? NEAR_SCORE : readScore(given);
  if (score === null) {
    say(session, ['A score is a number from 0 to 1.']);
    return false;
  }
  const near: Array<{ item: ItemRecord; offer: Offer }> = [];
  for await (const item of unresolvedItems(tools, id)) {
    const [offer] = item.candidates ?? [];
    if (offer && offer.score >= score) near.push({ item, offer });
  }
  if (near.length === 0) {
    say(session, ['No match scores that high.']);
    return false;
  }
  near.sort((one, other) => (one.offer.score ?? 0) - (other.offer.score ?? 0));
  const examples = near
    .slice(0, MAX_EXAMPLES)
    .flatMap(({ item, offer }) => [
      `  ${inputText(item.input, view)}`,
      `    ${view.unicode ? '→' : '->'} ${trackText(offer.track, view)}`,
    ]);
  say(session, ['The weakest matches:', ...examples]);
  if (!(await dialogue.confirm(acceptWords(near.length), false))) return false;
  // Meanwhile the search may have found others, and some may have been decided elsewhere. Repeats of a song are settled with it.
  const open = new Set<number>();
  for await (const { position } of unresolvedItems(tools, id)) open.add(position);
  const decisions = new Map(
    near
      .filter(({ item }) => open.has(item.position))
      .map(({ item, offer }) => [songOf(item), { number: item.position + 1, track: offer.track.uri }]),
  );
  let taken = 0;
  for (const some of chunk([...decisions.values()], MAX_FIXES)) {
    taken += (await decide(session, some)).settled;
  }
  for (const song of decisions.keys()) session.own.add(song);
  say(session, [`${taken} taken.`]);
  // The present item and the items after it may be settled now, so all of them leave `seen`.
  session.seen.length = session.at;
  return true;
}
