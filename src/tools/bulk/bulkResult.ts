/** What the bulk tools answer: counts, a row for each entry, and what was written. */
import * as z from 'zod';
import { Playlist, Track } from '../../domain/shapes.ts';
import type { ListedItem } from '../../store/tables/items.ts';
import type { LeanForm } from '../answer/lean.ts';
import { compact, LeanPlaylist, leanPlaylist } from '../answer/leanShapes.ts';
import {
  Candidate,
  CONFIRMED,
  FOR_ENTRIES,
  LeanCandidate,
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
  track: Track.optional().describe('Omitted for matched entries in lists of more than 100'),
  candidates: z.array(Candidate).optional().describe(FOR_ENTRIES),
  confirmed: z.literal(true).optional().describe(CONFIRMED),
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
  // A second job with the same entries would write the songs twice.
  hint: ({ job_id: job, added }: Record<string, unknown>) => {
    const only = 'get_job_status with only="unresolved"';
    if (typeof job === 'string') return `To see the others, call ${only} and job_id "${job}".`;
    const dryRun = Number(added) > 0 ? ' and payload.dry_run true' : '';
    return `To see the others, call create_bulk_job with these entries${dryRun}, then ${only}.`;
  },
  first: (row: unknown) => isUnresolved(row as z.infer<typeof ReportRow>),
};

export function isUnresolved({ status }: Pick<ListedItem, 'status'>): boolean {
  return status === 'ambiguous' || status === 'unmatched';
}

const LeanBulk = z.object({
  status: z.string(),
  playlist_id: z.string().optional(),
  matched: z.number(),
  ambiguous: z.number(),
  unmatched: z.number(),
  skipped_existing: z.number(),
  added: z.number(),
  report: z.array(
    z.object({
      index: z.number(),
      input: z.unknown(),
      status: z.string(),
      candidates: z.array(LeanCandidate.pick({ score: true, reasons: true })).optional(),
      confirmed: z.literal(true).optional(),
    }),
  ),
  change_id: z.string().optional(),
  job_id: z.string().optional(),
  note: z.string().optional(),
});

/** The report lists only entries that did not resolve, and matches that may be wrong: their names differ. */
export const leanBulk: LeanForm<z.infer<typeof MadeResult>> = {
  schema: LeanBulk,
  of: ({ playlist_id, report, playlist, change_id, job_id, write: _, ...facts }) => ({
    ...facts,
    report: shortReport(
      report.filter((row) => isUnresolved(row) || row.confirmed === true || row.candidates !== undefined),
    ),
    ...compact({ playlist_id, playlist: playlist && leanPlaylist(playlist), change_id, job_id }),
  }),
};

export const leanMade: LeanForm<z.infer<typeof MadeResult>> = {
  ...leanBulk,
  schema: LeanBulk.extend({ playlist: LeanPlaylist.optional() }),
};

/** Maximum characters of a report with candidates. Beyond it, entries get fewer candidates, so that all are shown. */
const MAX_REPORT = 8_000;

function shortReport(rows: ReadonlyArray<z.infer<typeof ReportRow>>) {
  // A single candidate does not show what makes an entry ambiguous, so two are given if there is room.
  for (const most of [3, 2, 1]) {
    const short = rows.map((row) => shortRow(row, most));
    if (JSON.stringify(short).length <= MAX_REPORT) return short;
  }
  return rows.map((row) => shortRow(row, 0));
}

function shortRow({ index, input, status, candidates, confirmed }: z.infer<typeof ReportRow>, most: number) {
  return {
    index,
    input,
    status,
    ...compact({
      // What was taken for a misspelled name has to be compared with it.
      candidates: leanCandidates(candidates, status === 'matched' ? 1 : most),
      confirmed: confirmed ?? null,
    }),
  };
}

/** In longer lists, the report omits the tracks of matched entries, which would fill a model's context. */
const DETAILED_REPORT = 100;

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
    report: items.flatMap((item) => reportRow(item, items.length <= DETAILED_REPORT)),
  };
}

function reportRow(item: ListedItem, detailed: boolean): Array<z.infer<typeof ReportRow>> {
  const { position: index, input, uri, track, candidates, confirmed } = item;
  const status = FOUND.find((one) => one === item.status);
  if (status === undefined) return [];
  return [
    {
      index,
      input,
      status,
      ...(uri === null ? {} : { uri }),
      ...(track && detailed ? { track } : {}),
      ...(candidates && candidates.length > 0 ? { candidates } : {}),
      ...(confirmed === 1 ? { confirmed: true } : {}),
    },
  ];
}
