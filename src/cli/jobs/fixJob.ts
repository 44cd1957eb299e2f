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
  take?: Array<{ number: number; track: string }>;
  skip?: number[];
  acceptNear?: number;
}

export async function fixJob(
  context: Context,
  given: string,
  { take = [], skip = [], acceptNear: near }: FixOptions,
): Promise<Result> {
  const decisions: Decision[] = [
    ...take.map(({ number, track }) => ({ number, track: trackUri(track) })),
    ...skip.map((number) => ({ number, skip: true as const })),
  ];
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
    const message = `The job is ${before.status}, so nothing in it can be settled any more.`;
    throw new RelayError('JOB_STATE', message, {
      remedy: {
        text: '{command} lists what was not found. Import those songs again as a new list.',
        command: ['jobs', 'show', shortId(id)],
      },
    });
  }
  const job = await fixSession(context, tools, before);
  return { value: { job }, text: nextSteps(job, context) };
}

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
      if (/^\d{1,3}$/.test(typed)) return takeOffer(session, item, offers, Number(typed));
      if (rest === '' && isReference(key)) return take(session, item, trackUri(key));
      const command = `${key.toLowerCase()}${rest === '' ? '' : ' …'}`;
      switch (command) {
        case 'x':
          return decide(session, { number: item.position + 1, skip: true }, 'Left out.');
        case 'l …':
          return take(session, item, trackUri(rest));
        case 's …':
          offers = await search(session, rest);
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

function trackText({ name, artists, album, duration_ms }: Track): string {
  const length = duration_ms === null ? '' : playingTime(duration_ms);
  return [name, artists.map((artist) => artist.name).join(', '), album.name ?? '', length]
    .filter((part) => part !== '')
    .map((part) => visibleText(part, 120))
    .join(' - ');
}

function takeOffer(session: Session, item: ItemRecord, offers: readonly Offer[], number: number) {
  const offer = offers[number - 1];
  if (offer) return take(session, item, offer.track.uri);
  say(session, offers.length === 0 ? 'No track is listed.' : `The numbers go from 1 to ${offers.length}.`);
  return false;
}

async function take(session: Session, { position }: ItemRecord, uri: string): Promise<true> {
  await decide(session, { number: position + 1, track: uri });
  const where = { job_id: session.job.job_id, offset: position, limit: 1 };
  const { items } = await session.tools<{ items: ItemRecord[] }>('get_job_status', where);
  const track = items[0]?.track;
  say(session, track ? `Taken: ${trackText(track)}` : 'Taken.');
  return true;
}

async function decide(session: Session, decision: Decision, said?: string): Promise<true> {
  const { job } = await settle(session.tools, session.job.job_id, [decision]);
  session.job = job;
  if (said !== undefined) say(session, said);
  return true;
}

async function search({ tools }: Session, words: string): Promise<Offer[]> {
  const query = words.slice(0, 250);
  const { items } = await tools<{ items: Track[] }>('search_tracks', { query, limit: MAX_OFFERS });
  return items.map((track) => ({ track, score: null }));
}

/** Asks whether to take every match that is close, and takes them. Returns true if the present item is then settled. */
async function takeNear(session: Session, item: ItemRecord): Promise<boolean> {
  const { tools, dialogue, job } = session;
  const scoreOf = ({ candidates }: ItemRecord) => candidates?.[0]?.score ?? 0;
  const near: ItemRecord[] = [];
  for await (const one of unresolvedItems(tools, job.job_id)) if (scoreOf(one) >= NEAR_SCORE) near.push(one);
  if (near.length === 0) {
    say(session, 'No match is that close.');
    return false;
  }
  say(session, 'The weakest matches:');
  for (const { input, candidates } of near.toSorted((a, b) => scoreOf(a) - scoreOf(b)).slice(0, 3)) {
    const [first] = candidates ?? [];
    if (first) say(session, `  ${visibleText(inputWords(input))}: ${trackText(first.track)}`);
  }
  if (!(await dialogue.confirm(acceptWords(near.length), false))) return false;
  const answer = await settle(tools, job.job_id, [], NEAR_SCORE);
  session.job = answer.job;
  say(session, `${answer.settled} taken.`);
  return near.some(({ position }) => position === item.position);
}

async function unlessRefused(session: Session, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    // After other errors the person can try again, or decide without Spotify's answer.
    if (!(error instanceof RelayError) || FINAL.has(error.code)) throw error;
    say(session, error.message);
    return false;
  }
}

const FINAL: ReadonlySet<string> = new Set(['INTERRUPTED', 'NO_SERVER', 'JOB_STATE', 'JOB_NOT_FOUND']);

function isReference(word: string): boolean {
  return /^spotify:|spotify\.(?:com|link|app\.link)\//i.test(word) || BARE_ID.test(word);
}

function trackUri(text: string): string {
  try {
    return parseRef(text, ['track']).uri;
  } catch (error) {
    throw error instanceof RelayError ? error.with({ code: 'USAGE' }) : error;
  }
}
