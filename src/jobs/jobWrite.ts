/** What a job writes: its resolved items as one change. */
import type { ChangeRequest } from '../changes/changes.ts';
import { addRowsCounted, makePlaylist, replaceRows, saveTracks, unsaveTracks } from '../changes/kinds.ts';
import { RelayError } from '../domain/errors.ts';
import { uriOf } from '../domain/rows.ts';
import type { Call } from '../provider/api.ts';
import { allMatchedUris, skipHeld, skipRepeated } from '../store/tables/jobItems.ts';
import { changeJob, type Job } from '../store/tables/jobs.ts';
import { type JobContext, reread } from './context.ts';

/** The change of a job that has not begun to write. What is left out is marked where the target has been read. */
export function changeRequestOf(context: JobContext, job: Job): ChangeRequest {
  const { store } = context;
  const base = { ...requestOf(context, job, []), askedBy: `job ${job.id}`, job: job.seq };
  return {
    ...base,
    requested: job.resolved - job.skipped,
    async prepare(call) {
      const held = await heldUris(context, job, call);
      requireCommitting(context, job);
      if (!reread(store, job).skipsMarked) markSkips(context, job, held);
      const uris = allMatchedUris(store, job.seq);
      if (uris.length === 0) return null;
      if (held) return { former: { rows: held }, ops: [{ op: 'append', uris }] };
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
      if (job.targetId !== null) return addRowsCounted(context, job.targetId, uris);
      const { name = '', description, public: isPublic } = job.payload;
      return makePlaylist(context, { name, description, public: isPublic }, uris, true);
    }
    case 'replace_playlist':
      return replaceRows(context, id, uris);
    case 'save_tracks':
      return saveTracks(context, uris);
    case 'remove_saved_tracks':
      return unsaveTracks(context, uris);
    default:
      return addRowsCounted(context, id, uris);
  }
}

/** All rows of the target, where items that it holds are left out. */
async function heldUris({ rows }: JobContext, job: Job, call: Call): Promise<string[] | null> {
  if (!job.payload.skip_existing || job.type !== 'add_to_playlist') return null;
  return (await rows.readForChange(job.targetId ?? '', call)).map(uriOf);
}

function requireCommitting({ store }: JobContext, job: Job): void {
  if (reread(store, job).status === 'committing') return;
  throw new RelayError('CANCELLED', 'The job was cancelled.');
}

function markSkips({ store, clock }: JobContext, job: Job, held: readonly string[] | null): void {
  store.transaction(() => {
    if (job.payload.skip_duplicates) skipRepeated(store, job.seq, clock.now());
    if (held) skipHeld(store, job.seq, new Set(held), clock.now());
    changeJob(store, job.seq, { skipsMarked: true }, clock.now());
  });
}
