/** What `relay library` prints. Pure. */
import { counted } from '../../base/lists.ts';
import { visibleLine } from '../../base/visibleText.ts';
import type { LibraryAnswer, LibraryCell, LibraryStatus } from '../../domain/library.ts';
import { narrowed, widthsOf } from '../terminal/output.ts';
import { padded } from '../terminal/textWidth.ts';

/** @param sync the command that reads the library */
export function statusLines(status: LibraryStatus, now: number, sync: string): string[] {
  const { as_of, coverage, state, until, reason, progress, tracks, saved } = status;
  const { read, total, unreadable } = coverage.playlists;
  const lists = `${read} of ${counted(total, 'playlist')}${unreadable === 0 ? '' : ` (${unreadable} that Spotify does not show)`}`;
  const isEmpty = coverage.saved === 'none' && total === 0;
  const known = isEmpty
    ? `Nothing has been read yet. To read it now: ${sync}`
    : `${counted(saved, 'saved track')} (${coverage.saved}), ${lists}, ${counted(tracks, 'track')} in all.`;
  return [
    known,
    ...(as_of === null || isEmpty
      ? []
      : [`As of ${as_of.slice(0, 16).replace('T', ' ')} UTC, ${ageText(now - Date.parse(as_of))}.`]),
    ...(state === 'reading' ? [`Reading: ${progress.done} of about ${progress.total} requests.`] : []),
    ...(state === 'waiting'
      ? [`The reading waits${until === null ? '' : ` until ${until}`}: ${reasonText(reason)}.`]
      : []),
  ];
}

const REASONS: Readonly<Record<string, string>> = {
  BUDGET: 'its requests for 24 hours are used up',
  LOGIN_REQUIRED: 'no account is connected',
  RATE_LIMITED: 'Spotify asks relay to wait',
  QUOTA_EXCEEDED: 'the quota of the Spotify app is used up',
};

function reasonText(reason: string | null): string {
  return REASONS[reason ?? ''] ?? reason ?? 'something failed';
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes === 0) return 'just now';
  if (minutes < 120) return `${counted(minutes, 'minute')} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}

/**
 * Returns the rows as a table.
 * @param width columns of the terminal
 */
export function tableLines({ columns, rows }: LibraryAnswer, width: number): string[] {
  const cells = [columns, ...rows.map((row) => row.map(cellText))].map((row) => row.map(visibleLine));
  const widths = narrowed(widthsOf(cells), width, [...columns.keys()]);
  const isNumber = (line: number, at: number) => typeof rows[line - 1]?.[at] === 'number';
  return cells.map((row, line) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0, isNumber(line, at)))
      .join('  ')
      .trimEnd(),
  );
}

function cellText(cell: LibraryCell): string {
  return cell === null ? '' : String(cell);
}
