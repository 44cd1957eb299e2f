/** The jobs that search for the songs of a list and write them. */
import { chunk, cutAt } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { type BulkJobType, JOB_ATTEMPTS, type JobPayload } from '../../domain/job.ts';
import type { ImportChoices, ImportTarget } from '../../domain/listImport.ts';
import type { JobRecord } from '../jobRecord.ts';
import type { ListRequest } from '../newWork.ts';
import type { Works } from '../works.ts';
import { type ImportPlan, SONGS_PER_JOB } from './planImport.ts';

const MAX_NAME = 100;

/**
 * Creates the jobs for a plan, in the order in which they are to be committed: one job for each 10,000 songs, which is the most
 * that a playlist holds. So a longer list becomes several new playlists: "Name", "Name (2)" and so on.
 * @param asked who asked, and what all lists of one import have in common
 * @throws RelayError `INVALID_ARGUMENT` if a playlist is to be replaced by more songs than it can hold, `STORE_ERROR`
 */
export async function startImport(
  works: Pick<Works, 'create'>,
  { items }: Pick<ImportPlan, 'items'>,
  target: ImportTarget,
  choices: ImportChoices,
  asked: Pick<ListRequest, 'askedBy' | 'batch'>,
): Promise<JobRecord[]> {
  const parts = chunk(items, SONGS_PER_JOB);
  if (target.kind === 'playlist' && target.replace && parts.length > 1) throw tooMany(items.length);
  const started: JobRecord[] = [];
  for (const [index, part] of parts.entries()) {
    const { job } = await works.create({
      ...workOf(target, choices, index),
      items: part,
      maxAttempts: JOB_ATTEMPTS,
      ...asked,
      batch: asked.batch ?? started[0]?.job_id,
    });
    started.push(job);
  }
  return started;
}

function workOf(
  target: ImportTarget,
  { strict, skipDuplicates }: ImportChoices,
  index: number,
): { type: BulkJobType; payload: JobPayload } {
  const base = { strict, dry_run: false, skip_existing: false, skip_duplicates: skipDuplicates };
  switch (target.kind) {
    case 'saved':
      // A track is saved only once, so repeats are skipped.
      return { type: 'save_tracks', payload: { ...base, skip_duplicates: true } };
    case 'playlist': {
      const type = target.replace ? 'replace_playlist' : 'add_to_playlist';
      const payload = { ...base, playlist_id: target.playlistId };
      return { type, payload: { ...payload, skip_existing: skipDuplicates && !target.replace } };
    }
    case 'new': {
      const { description, public: isPublic = false } = target;
      const details = { public: isPublic, ...(description === undefined ? {} : { description }) };
      return { type: 'create_playlist', payload: { ...base, name: nameOf(target.name, index), ...details } };
    }
  }
}

function nameOf(name: string, index: number): string {
  const number = index === 0 ? '' : ` (${index + 1})`;
  return `${cutAt(name.trim(), MAX_NAME - number.length).trim()}${number}`;
}

function tooMany(songs: number): RelayError {
  return new RelayError(
    'INVALID_ARGUMENT',
    `The list has ${songs} songs; a playlist holds at most ${SONGS_PER_JOB}.`,
    { remedy: 'Import the list as several new playlists, or give a shorter list.' },
  );
}
