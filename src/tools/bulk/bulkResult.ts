/** What the bulk tools answer: counts, a row for each entry, and what was written. */
import * as z from 'zod';
import { Playlist, Track } from '../../domain/shapes.ts';
import type { ListedItem } from '../../store/tables/items.ts';
import { compact, type LeanForm, leanPlaylist } from '../answer/lean.ts';
import {
  Candidate,
  CONFIRMED,
  FOR_ENTRIES,
  LeanCandidates,
  leanCandidates,
} from '../catalog/trackMatching.ts';
import { type Report, WriteReport } from '../playlists/playlistWriting.ts';

/** The states of items that were looked up but are not written. */
const FOUND = ['matched', 'ambiguous', 'unmatched', 'skipped_existing'] as const;

const ReportRow = z.object({
  index: z.number().describe('0-based position in the input'),
  input: z.unknown().describe('As given'),
  status: z.enum(FOUND),
  uri: z.string().optional(),
  track: Track.optional(),
  candidates: z.array(Candidate).optional().describe(FOR_ENTRIES),
  confirmed: z.literal(true).optional().describe(CONFIRMED),
});
type ReportRow = z.infer<typeof ReportRow>;

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
  change_id: z.string().optional().describe('For undo'),
  job_id: z
    .string()
    .optional()
    .describe('When deferred, or when a long list was blocked; note says what it does'),
  note: z.string().optional(),
});

export type BulkResult = z.infer<typeof BulkResult>;

/** A `BulkResult` with the playlist, for the tool that creates one. */
export const MadeResult = BulkResult.extend({ playlist: Playlist.optional() });

/** Entries that did not resolve come first if not all fit. */
export const reportRows = {
  key: 'report',
  // A second job with the same entries would write the songs twice, hence the dry run.
  hint: ({ job_id: job }: Record<string, unknown>) => {
    const first = job ? '' : 'create_bulk_job with these entries and payload.dry_run true, then ';
    return `To see the others, call ${first}get_job_status with only="unresolved".`;
  },
  first: (row: unknown) => isUnresolved(row as ReportRow),
};

export function isUnresolved({ status }: Pick<ListedItem, 'status'>): boolean {
  return status === 'ambiguous' || status === 'unmatched';
}

/** Maximum characters of a report with candidates. Beyond it, entries get fewer candidates, so that all are shown. */
const MAX_REPORT = 8_000;

function shortReport(rows: readonly ReportRow[]) {
  const leanRows = (most: number) =>
    rows.map(({ index, input, status, candidates, confirmed }) => {
      // What was taken for a misspelled name has to be compared with it.
      const shown = leanCandidates(candidates, status === 'matched' ? 1 : most);
      return compact({ index, input, status, candidates: shown, confirmed });
    });
  // A single candidate does not show what makes an entry ambiguous, so two are given if there is room.
  const most = [3, 2, 1].find((count) => JSON.stringify(leanRows(count)).length <= MAX_REPORT);
  return leanRows(most ?? 0);
}

const LeanBulk = BulkResult.omit({ write: true })
  .extend({
    report: z.array(ReportRow.omit({ uri: true, track: true }).extend({ candidates: LeanCandidates })),
  })
  .partial();

/** The report lists only entries that did not resolve, and matches that may be wrong: their names differ. */
export const leanBulk: LeanForm<z.infer<typeof MadeResult>> = {
  schema: LeanBulk,
  of: ({ report, playlist, write: _, ...facts }) => ({
    ...compact({ ...facts, playlist: playlist && leanPlaylist.of(playlist) }),
    report: shortReport(report.filter((row) => isUnresolved(row) || row.confirmed || row.candidates)),
  }),
};

export const leanMade: LeanForm<z.infer<typeof MadeResult>> = {
  ...leanBulk,
  schema: LeanBulk.extend({ playlist: leanPlaylist.schema.optional() }),
};

/** The result of a call. The report leaves out items that were not searched for yet. */
export function bulkResult(
  items: readonly ListedItem[],
  facts: Pick<BulkResult, 'status' | 'playlist_id' | 'job_id' | 'change_id' | 'note'> & {
    write?: Report | undefined;
  },
): BulkResult {
  const count = (status: ListedItem['status']) => items.filter((item) => item.status === status).length;
  return {
    ...facts,
    matched: count('matched') + count('skipped_existing'),
    ambiguous: count('ambiguous'),
    unmatched: count('unmatched'),
    skipped_existing: count('skipped_existing'),
    added: facts.write?.written ?? 0,
    report: items.flatMap(reportRow),
  };
}

function reportRow(item: ListedItem): ReportRow[] {
  const { position: index, input, uri, track, candidates, confirmed } = item;
  const status = FOUND.find((one) => one === item.status);
  if (status === undefined) return [];
  const found = compact({ uri, track, candidates: candidates?.length ? candidates : null });
  return [{ index, input, status, ...found, ...(confirmed === 1 && { confirmed: true }) }];
}
