/** What a kind of job defines about its writes. The order of steps, saving and waiting belong to `../commit.ts`. */
import type { JobType } from '../../domain/job.ts';
import type { Call } from '../../provider/api.ts';
import type { Chunk } from '../../provider/writes/chunkedWrite.ts';
import type { Job } from '../../store/tables/jobs.ts';
import type { JobContext } from '../context.ts';

export interface JobKind {
  type: JobType;
  /** `playlist`: writes to one take turns, and its rows tell how far a commit got. */
  target: 'playlist' | 'library';
  /** Maximum items per request. */
  chunkSize: number;
  /** Creates the playlist of a job that has none; crash-safe. Returns its ID. */
  makeTarget?(context: JobContext, job: Job, call: Call): Promise<string>;
  /**
   * Reads what the target holds before the first write.
   * @throws RelayError `UNSUPPORTED_ITEMS` and others, if the job may not begin
   */
  readBase(context: JobContext, targetId: string, call: Call): Promise<string[]>;
  /** The request that writes `uris`; `isFirst` at the first of a commit. */
  write(targetId: string, uris: readonly string[], isFirst: boolean): Chunk;
  /** What the playlist holds after `written` has replaced or been appended to `base`; null if that cannot be known. */
  expected(base: readonly string[], written: readonly string[]): string[] | null;
}

/** The only chunk of a list that fits into one. */
export function onlyChunk([chunk]: readonly Chunk[]): Chunk {
  if (!chunk) throw new Error('A write needs items.');
  return chunk;
}
