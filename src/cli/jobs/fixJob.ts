/**
 * `relay jobs fix`: does what its options say. Without options it asks questions on a terminal; elsewhere it lists the
 * unresolved items.
 */
import { RelayError } from '../../domain/errors.ts';
import { type ItemRecord, isPastSettling, shortId, unresolvedOf } from '../../domain/job.ts';
import type { Result } from '../command.ts';
import type { Context } from '../context.ts';
import { canAsk } from '../terminal/prompt.ts';
import { fixSession, trackUri } from './fixSession.ts';
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
