/** What a job writes: its resolved items as one change. */
import { createTurns } from '../base/turns.ts';
import type { ChangeRequest } from '../changes/changes.ts';
import { addRows, makePlaylist, replaceRows, saveTracks, unsaveTracks } from '../changes/kinds.ts';
import { RelayError } from '../domain/errors.ts';
import { uriOf, urisOf } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { matchedUris, skipSome } from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, reread } from './context.ts';

/** The change of a job that has not begun to write. Skipped items are marked once the target has been read. */
export function changeRequestOf(context: JobContext, job: Job): ChangeRequest {
  const { store } = context;
  const owner = job.account === null ? {} : { account: job.account };
  const base = { ...requestOf(context, job, []), ...owner, askedBy: `job ${job.id}`, job: job.seq };
  return {
    ...base,
    requested: job.resolved - job.skipped,
    async prepare(call) {
      const held = await heldItems(context, job, call);
      requireCommitting(context, job);
      if (!reread(store, job).skipsMarked) await markSkips(context, job, held);
      const uris = await urisToWrite(context, job);
      requireCommitting(context, job);
      if (uris.length === 0) return null;
      if (held) return { former: { rows: held.map(uriOf) }, ops: [{ op: 'append', uris }] };
      const prepared = await requestOf(context, job, uris).prepare(call);
      requireCommitting(context, job);
      return prepared;
    },
  };
}

function requestOf(context: JobContext, job: Job, uris: readonly string[]): Omit<ChangeRequest, 'askedBy'> {
  const id = job.targetId ?? '';
  switch (job.type) {
    case 'create_playlist': {
      if (job.targetId !== null) return addRows(context, job.targetId, uris);
      const { name = '', description, public: isPublic } = job.payload;
      return makePlaylist(context, { name, description, public: isPublic }, uris);
    }
    case 'replace_playlist':
      return replaceRows(context, id, uris);
    case 'save_tracks':
      return saveTracks(context, uris);
    case 'remove_saved_tracks':
      return unsaveTracks(context, uris, 'all');
    default:
      return addRows(context, id, uris);
  }
}

/** All rows of the target, if items that it already holds are to be skipped; otherwise null. */
async function heldItems({ rows }: JobContext, job: Job, call: Call): Promise<readonly Item[] | null> {
  if (!job.payload.skip_existing || job.type !== 'add_to_playlist') return null;
  return rows.readForChange(job.targetId ?? '', call);
}

function requireCommitting({ store }: JobContext, job: Job): void {
  if (reread(store, job).status === 'committing') return;
  throw new RelayError('CANCELLED', 'The job was cancelled.');
}

/** Number of items to handle at once, which takes a millisecond. */
const WINDOW = 250;

/**
 * Marks items to skip: repeats of an earlier item, and those whose URI is already in the target. Done in batches; after
 * a crash, all marks are made again.
 */
async function markSkips(
  { store, clock }: JobContext,
  job: Job,
  held: readonly Item[] | null,
): Promise<void> {
  const present = new Set(held?.flatMap(urisOf));
  const isLeftOut = (uri: string) => {
    if (present.has(uri)) return true;
    if (job.payload.skip_duplicates) present.add(uri);
    return false;
  };
  const turn = createTurns();
  let from: number | null = job.payload.skip_duplicates || held ? 0 : null;
  while (from !== null) {
    from = skipSome(store, job.seq, { from, limit: WINDOW }, isLeftOut, clock.now());
    await turn();
  }
  changeJob(store, job.seq, { skipsMarked: true }, clock.now());
}

/** URIs of everything that is to be written, in order. */
async function urisToWrite({ store }: JobContext, job: Job): Promise<string[]> {
  const all: string[] = [];
  const turn = createTurns();
  for (let from: number | null = 0; from !== null; await turn()) {
    const { uris, next } = matchedUris(store, job.seq, from, WINDOW);
    for (const uri of uris) all.push(uri);
    from = next;
  }
  return all;
}
