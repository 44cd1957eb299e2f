/** What the bulk tools answer: counts, a row for each entry, and what was written. */
import * as z from 'zod';
import { Track } from '../../domain/shapes.ts';
import { Candidate } from '../catalog/trackMatching.ts';
import { type Report, WriteReport } from '../playlists/playlistWriting.ts';
import type { ResolvedEntry } from './entries.ts';

const ReportRow = z.object({
  index: z.number().describe('0-based position in the input'),
  input: z.unknown().describe('As given'),
  status: z.enum(['matched', 'ambiguous', 'unmatched', 'skipped_existing']),
  uri: z.string().optional(),
  track: Track.optional().describe('Omitted for matched entries in lists of more than 100'),
  candidates: z.array(Candidate).optional().describe('For entries that did not resolve'),
});

export const BulkResult = z.object({
  status: z
    .enum(['done', 'blocked', 'dry_run', 'deferred'])
    .describe(
      'blocked: strict, and some entries did not resolve, so nothing was written; deferred: job job_id continues the work',
    ),
  playlist_id: z.string().nullable(),
  matched: z.number(),
  ambiguous: z.number(),
  unmatched: z.number(),
  skipped_existing: z.number(),
  added: z.number(),
  report: z.array(ReportRow).describe('When deferred, only the entries processed so far'),
  write: WriteReport.optional(),
  change_id: z.string().optional().describe('Names this change for undo'),
  job_id: z
    .string()
    .optional()
    .describe(
      'When deferred: the job that continues. Check get_job_status; when it says ready, call commit_job',
    ),
});

export type BulkResult = z.infer<typeof BulkResult>;

/** Above this, the report omits the tracks of matched entries: they would fill a model's context. */
const DETAILED_REPORT = 100;

/** `entries` holds null for those not processed. */
export function outcome(
  entries: ReadonlyArray<ResolvedEntry | null>,
  facts: Pick<BulkResult, 'status' | 'playlist_id'> & { write?: Report; job_id?: string; change_id?: string },
): BulkResult {
  const count = (status: ResolvedEntry['status']) =>
    entries.filter((entry) => entry?.status === status).length;
  return {
    ...facts,
    ...(facts.write?.change_id === undefined ? {} : { change_id: facts.write.change_id }),
    matched: count('matched') + count('skipped_existing'),
    ambiguous: count('ambiguous'),
    unmatched: count('unmatched'),
    skipped_existing: count('skipped_existing'),
    added: facts.write?.written ?? 0,
    report: entries.flatMap((entry, index) =>
      entry ? [reportRow(entry, index, entries.length <= DETAILED_REPORT)] : [],
    ),
  };
}

function reportRow(entry: ResolvedEntry, index: number, detailed: boolean): z.infer<typeof ReportRow> {
  const { input, status, uri, track, candidates } = entry;
  return {
    index,
    input,
    status,
    ...(uri === null ? {} : { uri }),
    ...(track && detailed ? { track } : {}),
    ...(candidates.length > 0 && uri === null ? { candidates } : {}),
  };
}
