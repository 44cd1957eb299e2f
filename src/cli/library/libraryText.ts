/** What `relay library` prints. Pure. */
import { counted } from '../../base/lists.ts';
import { visibleLine } from '../../base/visibleText.ts';
import type { LibraryAnswer, LibraryCell, LibraryStatus } from '../../domain/library.ts';
import { fitted, widthOf } from '../terminal/textWidth.ts';

/** @param sync the command that reads the library */
export function statusLines(status: LibraryStatus, now: number, sync: string): string[] {
  const { as_of, coverage, state, until, reason, progress, tracks, saved } = status;
  const { read, total, unreadable } = coverage.playlists;
  const lists = `${read} of ${counted(total, 'playlist')}${unreadable === 0 ? '' : ` (${unreadable} that Spotify does not show)`}`;
  const known =
    coverage.saved === 'none' && total === 0
      ? `Nothing has been read yet. To read it now: ${sync}`
      : `${counted(saved, 'saved track')} (${coverage.saved}), ${lists}, ${counted(tracks, 'track')} in all.`;
  return [
    known,
    ...(as_of === null
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

const GAP = '  ';
/** The part of a column that is always shown. */
const MIN_WIDTH = 8;

/** @param width of the terminal; undefined to cut nothing */
export function tableLines({ columns, rows }: LibraryAnswer, width: number | undefined): string[] {
  const cells = [columns, ...rows.map((row) => row.map(cellText))].map((row) =>
    row.map((cell) => visibleLine(String(cell))),
  );
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  const shown = width === undefined ? widths : narrowed(widths, width - GAP.length * (columns.length - 1));
  return cells.map((row, line) =>
    row
      .map((cell, at) => {
        const text = fitted(cell, shown[at] ?? 0);
        const pad = ' '.repeat(Math.max(0, (shown[at] ?? 0) - widthOf(text)));
        const isNumber = line > 0 && typeof rows[line - 1]?.[at] === 'number';
        return isNumber ? `${pad}${text}` : `${text}${pad}`;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Narrows the widest columns until all fit. */
function narrowed(widths: readonly number[], room: number): number[] {
  const left = [...widths];
  let over = left.reduce((sum, one) => sum + one, 0) - room;
  while (over > 0) {
    const widest = left.indexOf(Math.max(...left));
    if ((left[widest] ?? 0) <= MIN_WIDTH) break;
    left[widest] = (left[widest] ?? 0) - 1;
    over -= 1;
  }
  return left;
}

/** As in RFC 4180, but with the line ends of a terminal; a null is an empty field. */
export function csvText({ columns, rows }: LibraryAnswer): string {
  return [columns, ...rows].map((row) => `${row.map((cell) => quoted(cellText(cell))).join(',')}\n`).join('');
}

function cellText(cell: LibraryCell): string {
  return cell === null ? '' : String(cell);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
