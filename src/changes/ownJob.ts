/** The job of a change that no job has asked for: nobody sees it unless the change continues without its caller. */
import { type ChangeOp, type DetailValues, kindFacts } from '../domain/change.ts';
import { JOB_ATTEMPTS } from '../domain/job.ts';
import type { Change } from '../store/tables/changes.ts';
import type { NewJob } from '../store/tables/jobs.ts';

/** Its items are stored once it is listed. */
export function ownJob(
  { id, kind, playlistId, account }: Pick<Change, 'id' | 'kind' | 'playlistId' | 'account'>,
  ops: readonly ChangeOp[],
): NewJob {
  const create = ops.find((op) => op.op === 'create');
  const details: DetailValues = create?.op === 'create' ? create.details : {};
  return {
    id,
    type: kindFacts(kind).job,
    status: 'committing',
    phase: 'commit',
    account,
    skipsMarked: true,
    maxAttempts: JOB_ATTEMPTS,
    payload: {
      ...(playlistId === null ? {} : { playlist_id: playlistId }),
      ...(details.name === undefined ? {} : { name: details.name }),
      ...(details.description === undefined ? {} : { description: details.description }),
      ...(details.public === undefined ? {} : { public: details.public }),
      strict: false,
      dry_run: false,
      skip_existing: false,
      skip_duplicates: false,
    },
  };
}
