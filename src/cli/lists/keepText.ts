/** What `relay keep` prints. Pure. */
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { isEmptyPreview, type KeepPreview, type KeepRecord } from '../../domain/keep.ts';
import type { KeepRow } from '../../domain/shapes.ts';
import { timeText } from '../terminal/time.ts';

const EVERY = { hour: 'hourly', day: 'daily', week: 'weekly' } as const;

export function answerLines(
  keep: KeepRecord,
  preview: KeepPreview | undefined,
  dryRun: boolean,
  now: number,
): string[] {
  const name = `"${visibleText(keep.name, 100)}"`;
  const states = {
    active: `${name} is kept ${EVERY[keep.every]}: ${keep.last_result ?? 'it runs when it is due'}.`,
    waiting: `${name} waits: ${visibleText(keep.reason ?? '', 300)}`,
    review: `${name} is in review: ${visibleText(keep.reason ?? '', 300)}`,
    paused: `${name} is paused.`,
    stopped: `${name} is no longer kept.`,
  };
  const next = keep.next_run_at === null ? [] : [`Next run: ${timeText(keep.next_run_at, now)}.`];
  if (!dryRun) {
    const isShown = keep.status === 'review' && preview && !isEmptyPreview(preview);
    const shown = isShown ? previewLines(preview) : leftOutLines(preview);
    return [states[keep.status], ...shown, ...next];
  }
  const what = keep.status === 'review' ? 'wait for your review' : 'wait';
  const would =
    keep.status === 'active' ? [] : [`The first run would ${what}: ${visibleText(keep.reason ?? '', 300)}`];
  return [...would, ...(preview ? previewLines(preview) : [])];
}

export function detailLines(keep: KeepRecord, now: number): string[] {
  return [
    ...answerLines(keep, keep.preview, false, now),
    ...(keep.last_run_at === null ? [] : [`Last run: ${timeText(keep.last_run_at, now)}.`]),
    ...(keep.rule === undefined ? [] : [`Rule: ${visibleText(keep.rule, 300)}.`]),
    `Query: ${visibleText(keep.sql, 10_000)}`,
  ];
}

function previewLines(preview: KeepPreview): string[] {
  const { total, added, removed, added_count, removed_count, moved_count = 0 } = preview;
  const moved = moved_count === 0 ? '' : `, ${moved_count} moved`;
  return [
    `It would have ${counted(total, 'song')}: ${added_count} added, ${removed_count} removed${moved}.`,
    ...rowLines('+', added, added_count),
    ...rowLines('-', removed, removed_count),
    ...leftOutLines(preview),
  ];
}

function rowLines(sign: string, rows: readonly KeepRow[], count: number): string[] {
  const more = count > rows.length ? [`${sign} and ${count - rows.length} more`] : [];
  return [...rows.map((row) => `${sign} ${rowText(row)}`), ...more];
}

function rowText({ uri, name, artist }: KeepRow): string {
  return visibleText(name === undefined ? uri : artist ? `${name} by ${artist}` : name, 120);
}

function leftOutLines(preview: KeepPreview | undefined): string[] {
  if (!preview || preview.left_out === 0) return [];
  return [
    `Left out: ${counted(preview.left_out, 'row')} (local, no longer offered by Spotify, or neither track nor episode).`,
  ];
}
