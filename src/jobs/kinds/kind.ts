/** What a kind of job says about its writes. The order of steps, saving and waiting are the commit's (`../commit.ts`). */
import type { JobType } from '../../domain/job.ts';
import type { Call } from '../../provider/api.ts';
import type { Chunk } from '../../provider/writes/chunkedWrite.ts';
import type { Job } from '../../store/tables/jobs.ts';
import type { JobContext } from '../context.ts';

export interface JobKind {
  type: JobType;
  /** `playlist`: writes to one take turns, and what it holds tells how far a commit got. */
  target: 'playlist' | 'library';
  /** Most items of one request. */
  chunkSize: number;
  /** Makes the playlist of a job that has none; crash-safe. Returns its ID. */
  makeTarget?(context: JobContext, job: Job, call: Call): Promise<string>;
  /**
   * Reads what the target holds before the first write.
   * @throws RelayError `UNSUPPORTED_ITEMS` and others, where the job may not begin
   */
  readBase(context: JobContext, targetId: string, call: Call): Promise<string[]>;
  /** The request that writes `uris`; `isFirst` at the first of a commit. */
  write(targetId: string, uris: readonly string[], isFirst: boolean): Chunk;
  /** What the playlist holds once `written` has been written over or behind `base`; null where it cannot be known. */
  expected(base: readonly string[], written: readonly string[]): string[] | null;
}

/** The one chunk of a list that was cut to fit. */
export function onlyChunk([chunk]: readonly Chunk[]): Chunk {
  if (!chunk) throw new Error('A write needs items.');
  return chunk;
}
