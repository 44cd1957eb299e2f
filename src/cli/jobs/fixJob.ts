/**
 * `relay jobs fix`: does what its options say. Without options it asks questions on a terminal; elsewhere it lists the
 * unresolved items.
 */

import { playingTime } from '../../base/clock.ts';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { BARE_ID, parseRef } from '../../domain/ids.ts';
import { type ItemRecord, isPastSettling, type JobRecord, shortId, unresolvedOf } from '../../domain/job.ts';
import { acceptWords, inputWords, NEAR_SCORE, nearnessWords } from '../../domain/settling.ts';
import type { Track } from '../../domain/shapes.ts';
import type { Result } from '../command.ts';
import type { Context } from '../context.ts';
import { hanging, note } from '../terminal/output.ts';
import { canAsk, type Dialogue, openDialogue } from '../terminal/prompt.ts';
import { type Decision, fullId, jobOf, openTools, settle, type Tools, unresolvedItems } from './jobCalls.ts';
import { itemLine, nextSteps } from './jobText.ts';

export interface FixOptions {
  take?: string[];
  skip?: string[];
  acceptNear?: string;
}

export async function fixJob(context: Context, given: string, options: FixOptions): Promise<Result> {
  const decisions: Decision[] = [
    ...(options.take ?? []).map(readTake),
    ...(options.skip ?? []).map((text) => ({ number: readNumber(text), skip: true as const })),
  ];
  const near = options.acceptNear === undefined ? undefined : readScore(options.acceptNear);
  const tools = await openTools(context);
  const id = await fullId(tools, given);
  if (decisions.length > 0 || near !== undefined) {
    const { settled, skipped } = await settle(tools, id, decisions, near);
    return listLeft(context, tools, id, [`${settled} settled, ${skipped} left out.`]);
  }
  if (!canAsk(context)) {
    const hint =
      'Without a terminal, relay cannot ask: give --take NUMBER=TRACK, --skip NUMBER or --accept-near SCORE.';
    return listLeft(context, tools, id, [], [hint]);
  }
  const before = await jobOf(tools, id);
  // Checked here, since the tool would refuse a decision only after the person has made it.
  if (isPastSettling(before)) {
    const isOver = before.status === 'completed' || before.status === 'cancelled';
    const why = isOver ? `The job is ${before.status}` : 'The job has begun to write';
    throw new RelayError('JOB_STATE', `${why}, so nothing in it can be settled any more.`, {
      remedy: {
        text: '{command} lists what was not found. Import those songs again as a new list.',
        command: ['jobs', 'show', shortId(id)],
      },
    });
  }
  const job = await fixSession(context, tools, before);
  return { value: { job }, text: nextSteps(job, context) };
}

/** Lists all unresolved items, with the numbers that the options take, and what can be done next. */
async function listLeft(
  context: Context,
  tools: Tools,
  id: string,
  first: readonly string[],
  hint: readonly string[] = [],
): Promise<Result> {
  const left: Array<ItemRecord & { number: number }> = [];
  for await (const item of unresolvedItems(tools, id)) left.push({ number: item.position + 1, ...item });
  const job = await jobOf(tools, id);
  return {
    value: { job, left },
    text: [...first, ...left.map(itemLine), ...nextSteps(job, context)],
    notes: unresolvedOf(job) === 0 || isPastSettling(job) ? [] : hint,
  };
}

/** Reads a score from 0 to 1, also with a comma as decimal separator. @throws RelayError `USAGE` */
function readScore(text: string): number {
  const score = Number(text.trim().replace(',', '.'));
  if (/\d/.test(text) && score >= 0 && score <= 1) return score;
  throw new RelayError('USAGE', `"${text}" is not a score.`, { remedy: 'Give a number from 0 to 1.' });
}

/** Reads `12=TRACK`: the number of an item, and the track to take for that item. @throws RelayError `USAGE` */
function readTake(text: string): Decision {
  const [, number, track] = /^\s*(\d+)\s*=\s*(.+)$/s.exec(text) ?? [];
  if (number !== undefined && track !== undefined)
    return { number: readNumber(number), track: trackUri(track) };
  throw new RelayError('USAGE', `"${text}" is not NUMBER=TRACK.`, {
    remedy: 'Give the number of the item, an equals sign, and the ID, URI or link of the track.',
  });
}

/** Reads the number of an item. @throws RelayError `USAGE` */
function readNumber(text: string): number {
  const number = Number(text);
  if (/^\s*\d{1,6}\s*$/.test(text) && number >= 1) return number;
  throw new RelayError('USAGE', `"${text}" is not the number of an item.`, {
    remedy: {
      text: 'Items are numbered from 1, as {command} shows them.',
      command: ['jobs', 'show', 'ID', '--unresolved'],
    },
  });
}

/** Maximum number of tracks to offer for an item. */
const MAX_OFFERS = 5;
const KEYS =
  'number take it, s WORDS search, l LINK link, x leave out, a all close ones, Enter later, q quit';

/** A track that can be taken by its number. `score` is null if the person searched for it. */
interface Offer {
  track: Track;
  score: number | null;
}

interface Session {
  context: Context;
  tools: Tools;
  dialogue: Dialogue;
  /** The job in the last answer. */
  job: JobRecord;
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
  const { io, signal } = context;
  const session: Session = { context, tools, dialogue: dialogue ?? openDialogue(io, signal), job: before };
  try {
    say(session, KEYS);
    // Read again after each decision, which also settles the repeats of a song.
    for (let item = await openAfter(session, -1); item; item = await openAfter(session, item.position)) {
      if (!(await settleItem(session, item))) break;
    }
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'INTERRUPTED') throw error;
    throw error.with({ message: 'Interrupted. What was settled so far is kept.' });
  } finally {
    if (!dialogue) session.dialogue.close();
  }
  const job = await jobOf(tools, before.job_id);
  note(io, '');
  const open = unresolvedOf(job);
  note(io, open === 0 ? 'Nothing is open.' : `${open} still open.`);
  return job;
}

/** Returns the first item after a position that is still open; null if there is none. */
async function openAfter({ tools, job }: Session, position: number): Promise<ItemRecord | null> {
  for await (const item of unresolvedItems(tools, job.job_id)) if (item.position > position) return item;
  return null;
}

/** Shows an item, and asks until the person has decided about it or moves on. Returns false if the person quits. */
async function settleItem(session: Session, item: ItemRecord): Promise<boolean> {
  let offers: Offer[] = (item.candidates ?? []).slice(0, MAX_OFFERS);
  showItem(session, item, offers);
  for (;;) {
    const typed = await session.dialogue.ask('> ');
    if (typed === null || /^q(uit)?$/i.test(typed)) return false;
    if (typed === '') return true;
    const [, key = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(typed) ?? [];
    const done = await unlessRefused(session, async () => {
      if (/^\d{1,3}$/.test(typed))
        return take(session, item, offers[Number(typed) - 1]?.track.uri, offers.length);
      if (rest === '' && isReference(key)) return take(session, item, trackUri(key));
      switch (key.toLowerCase()) {
        case 'x':
          return decide(session, { number: item.position + 1, skip: true }, 'Left out.');
        case 'l':
          return take(session, item, trackUri(rest || ((await session.dialogue.ask('Link or ID: ')) ?? '')));
        case 's':
          offers = await search(session, rest || ((await session.dialogue.ask('Search for: ')) ?? ''));
          showOffers(session, offers);
          return false;
        case 'a':
          return takeNear(session, item);
        default:
          say(session, KEYS);
          return false;
      }
    });
    if (done) return true;
  }
}

/** Prints a line. A line that is too long for the window is wrapped and keeps its indent. */
function say({ context: { io } }: Session, line: string): void {
  for (const part of hanging(line, io.columns)) note(io, part);
}

function showItem(session: Session, { position, input, error }: ItemRecord, offers: readonly Offer[]): void {
  const { total_items: total } = session.job;
  note(session.context.io, '');
  say(session, `Item ${position + 1} of ${total}, ${unresolvedOf(session.job)} open`);
  say(session, `  ${visibleText(inputWords(input))}`);
  if (error) say(session, `  ${visibleText(`${error.code}: ${error.message}`)}`);
  showOffers(session, offers);
}

function showOffers(session: Session, offers: readonly Offer[]): void {
  if (offers.length === 0) say(session, '  No close match was found.');
  for (const [index, { track, score }] of offers.entries()) {
    const nearness = score === null ? '' : ` (${nearnessWords(score)})`;
    say(session, `${String(index + 1).padStart(2)}  ${trackText(track)}${nearness}`);
  }
}

/** Name, artists, album and length. */
function trackText({ name, artists, album, duration_ms }: Track): string {
  const parts = [
    name,
    artists.map((artist) => artist.name).join(', '),
    album.name ?? '',
    duration_ms === null ? '' : playingTime(duration_ms),
  ];
  return parts
    .filter((part) => part !== '')
    .map((part) => visibleText(part, 120))
    .join(' - ');
}

/** Takes a track for an item. Returns false if there is none to take. */
async function take(
  session: Session,
  item: ItemRecord,
  uri: string | undefined,
  offers = 0,
): Promise<boolean> {
  if (uri === undefined) {
    say(session, offers === 0 ? 'No track is listed.' : `The numbers go from 1 to ${offers}.`);
    return false;
  }
  await decide(session, { number: item.position + 1, track: uri });
  const track = (await itemAt(session, item.position))?.track;
  say(session, track ? `Taken: ${trackText(track)}` : 'Taken.');
  return true;
}

async function decide(
  session: Session,
  decision: { number: number; track: string } | { number: number; skip: true },
  said?: string,
): Promise<true> {
  const { job } = await settle(session.tools, session.job.job_id, [decision]);
  session.job = job;
  if (said !== undefined) say(session, said);
  return true;
}

async function search({ tools }: Session, words: string): Promise<Offer[]> {
  if (words === '') return [];
  const query = words.slice(0, 250);
  const { items } = await tools<{ items: Track[] }>('search_tracks', { query, limit: MAX_OFFERS });
  return items.map((track) => ({ track, score: null }));
}

/** Asks whether to take every match that is close, and takes them. Returns true if the present item is then settled. */
async function takeNear(session: Session, item: ItemRecord): Promise<boolean> {
  const { tools, dialogue, job } = session;
  const near: ItemRecord[] = [];
  for await (const one of unresolvedItems(tools, job.job_id))
    if ((one.candidates?.[0]?.score ?? 0) >= NEAR_SCORE) near.push(one);
  if (near.length === 0) {
    say(session, 'No match is that close.');
    return false;
  }
  const weakest = near.toSorted((a, b) => (a.candidates?.[0]?.score ?? 0) - (b.candidates?.[0]?.score ?? 0));
  say(session, 'The weakest matches:');
  for (const { input, candidates } of weakest.slice(0, 3)) {
    const [first] = candidates ?? [];
    if (first) say(session, `  ${visibleText(inputWords(input))}: ${trackText(first.track)}`);
  }
  if (!(await dialogue.confirm(acceptWords(near.length), false))) return false;
  const answer = await settle(tools, job.job_id, [], NEAR_SCORE);
  session.job = answer.job;
  say(session, `${answer.settled} taken.`);
  return near.some(({ position }) => position === item.position);
}

/** Fetches an item as it is now; null if there is none at that position. */
async function itemAt({ tools, job }: Session, position: number): Promise<ItemRecord | null> {
  const where = { job_id: job.job_id, offset: position, limit: 1 };
  const { items } = await tools<{ items: ItemRecord[] }>('get_job_status', where);
  return items[0] ?? null;
}

/** Does `work`. Returns false, after telling the person, if that failed with one of `REFUSALS`. */
async function unlessRefused(session: Session, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RelayError) || !REFUSALS.has(error.code)) throw error;
    say(session, error.message);
    return false;
  }
}

/** Errors after which the person can try again, or decide without Spotify's answer. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['USAGE', 'INVALID_ARGUMENT', 'NOT_FOUND'],
  ...['RATE_LIMITED', 'QUOTA_EXCEEDED', 'LOGIN_REQUIRED', 'DEADLINE_EXCEEDED'],
  ...['PROVIDER_UNAVAILABLE', 'PROVIDER_TIMEOUT', 'PROVIDER_INVALID_RESPONSE'],
]);

/** True for a Spotify address or URI, or a bare ID. */
function isReference(word: string): boolean {
  return /^spotify:|spotify\.(?:com|link|app\.link)\//i.test(word) || BARE_ID.test(word);
}

/** Reads the ID, URI or link of a track that a person entered, and returns the URI. @throws RelayError `USAGE` */
function trackUri(text: string): string {
  try {
    return parseRef(text, ['track']).uri;
  } catch (error) {
    throw error instanceof RelayError ? error.with({ code: 'USAGE' }) : error;
  }
}
