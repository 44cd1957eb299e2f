import type { Command } from 'commander';
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import {
  LIBRARY_NOTES,
  type LibraryAnswer,
  type LibraryPart,
  type LibraryStatus,
  libraryTables,
} from '../../domain/library.ts';
import { groupOf, leaf, type Result, wholeNumber } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { createProgress, printBlock } from '../terminal/output.ts';
import type { Table } from '../terminal/table.ts';
import { timeText } from '../terminal/time.ts';

const POLL_MS = 500;
/** Number of rows that a table on a terminal has, unless the person gives another. */
const DEFAULT_ROWS = 100;
const MAX_ROWS = 500;

const HELP = `
relay reads the library once, in the background, and brings the copy up to date
when you ask.

Examples:
  $ relay library query "SELECT count(*) FROM saved"
  $ relay library query --csv "SELECT name, artist FROM tracks" > tracks.csv
  $ relay library tables`;

export function libraryCommand(context: Context): Command {
  const limit = `Print at most this many rows, 1 to ${MAX_ROWS} (on a terminal ${DEFAULT_ROWS} by default)`;
  const commands = [
    leaf(context, 'query', 'Run one SELECT query', runQuery)
      .alias('ask')
      .argument('<sql>', 'The query; `relay library tables` lists the tables')
      .option('--csv', 'Print CSV')
      .option('--limit <n>', limit, wholeNumber(1, MAX_ROWS))
      .option('--max-age <minutes>', 'How old the copy may be', wholeNumber(0, 10_080), 10),
    leaf(context, 'tables', 'List the tables, their columns and what they mean', async () => ({
      value: { tables: libraryTables(), notes: LIBRARY_NOTES },
      text: [...libraryTables(), ...LIBRARY_NOTES],
    })),
    leaf(context, 'status', 'Show how much has been read, and when', showStatus),
    leaf(context, 'sync', 'Read the library, or bring the copy up to date', runSync),
    leaf(context, 'forget', 'Delete the copy', runForget)
      .option('--versions', 'Delete the versions of playlists instead; they cannot be read again')
      .option('--plays', 'Delete the imported plays instead; only another import brings them back'),
  ];
  const description = 'Query your whole library in SQL, from a local copy';
  return groupOf(context, 'library', description, showStatus, commands, HELP);
}

async function showStatus(context: Context): Promise<Result> {
  return statusResult(context, await context.withLocal((local) => local.libraryStatus()));
}

/** Reads the library, and shows the progress until the reading has ended or waits. */
async function runSync(context: Context): Promise<Result> {
  const { io, clock, signal } = context;
  const { local } = await context.server();
  const progress = createProgress(io);
  let status: LibraryStatus = await local.syncLibrary();
  while (status.state === 'reading') {
    progress.draw({ progress: status.progress.done, total: status.progress.total, message: 'Reading' });
    await clock.sleep(POLL_MS, signal);
    status = await local.libraryStatus();
  }
  progress.clear();
  const exit = status.state === 'waiting' ? EXIT.failed : EXIT.done;
  return { ...statusResult(context, status), exit };
}

/** In a pipe and as CSV all rows are printed; a table on a terminal and the tool's answer with `--json` are cut. */
async function runQuery(
  context: Context,
  given: string,
  { csv = false, limit, maxAge: maxAgeMinutes }: { csv?: boolean; limit?: number; maxAge: number },
): Promise<Result | undefined> {
  const { io, json } = context;
  const sql = given.trim();
  requireSql(sql);
  const { local } = await context.server();
  if (!json && (csv || !io.terminal.stdout)) {
    const answer = await local.askLibraryCsv({ sql, limit: limit ?? null, maxAgeMinutes });
    if (csv) printBlock(io, answer.csv);
    return { value: answer, text: csv ? [] : [await tableOf(answer.csv)], notes: restNotes(answer) };
  }
  const answer = await local.askLibrary({ sql, limit: limit ?? (csv ? null : DEFAULT_ROWS), maxAgeMinutes });
  const rows = answer.rows.map((row) => row.map((cell) => cell ?? ''));
  return { value: answer, text: [{ heads: answer.columns, rows }], notes: restNotes(answer) };
}

/** @throws RelayError `USAGE` for words that cannot be a query */
function requireSql(text: string): void {
  const start = text.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*.*?\*\/|\()*/s, '');
  const [word = ''] = /^[a-z]*/i.exec(start) ?? [];
  if (STATEMENTS.has(word.toLowerCase())) return;
  throw new RelayError('USAGE', `"${text.slice(0, 80)}" is not SQL.`, {
    remedy: {
      text: 'Ask your assistant in words: with relay connected, it can query your library. Or write a SELECT: {command} lists the tables.',
      command: ['library', 'tables'],
    },
  });
}

/** How SQL begins; the server refuses what is no query. */
const STATEMENTS: ReadonlySet<string> = new Set(
  'select with values pragma explain insert update delete replace drop create alter attach'.split(' '),
);

async function tableOf(csv: string): Promise<Table> {
  const { parse } = await import('csv-parse/sync');
  const [heads = [], ...rows]: string[][] = parse(csv, { relax_column_count: true });
  const cell = (text: string) => (/^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : text);
  return { heads, rows: rows.map((row) => row.map(cell)) };
}

function restNotes({ truncated, row_count, note }: Omit<LibraryAnswer, 'columns' | 'rows'>): string[] {
  // If there is one row, its own text may be what was cut.
  const shown = row_count > 1 ? `The first ${row_count} rows` : 'The answer was cut';
  return [
    ...(truncated ? [`${shown}; --csv without --limit shows all.`] : []),
    ...(note === undefined ? [] : [note]),
  ];
}

async function runForget(context: Context, flags: { versions?: boolean; plays?: boolean }): Promise<Result> {
  const named = (['versions', 'plays'] as const).filter((part) => flags[part]);
  const forgotten: LibraryPart[] = named.length === 0 ? ['mirror'] : named;
  for (const part of forgotten) await context.withLocal((local) => local.forgetLibrary({ part }));
  const what = { mirror: 'copy of the library is', versions: 'versions are', plays: 'plays are' };
  return { value: { forgotten }, text: forgotten.map((part) => `The ${what[part]} deleted.`) };
}

function statusResult(context: Context, status: LibraryStatus): Result {
  const { as_of, coverage, state, until, reason, progress, tracks, saved } = status;
  const { read, total, unreadable } = coverage.playlists;
  const hidden = unreadable === 0 ? '' : ` (${unreadable} that Spotify does not show)`;
  const isEmpty = coverage.saved === 'none' && total === 0;
  const now = context.clock.now();
  const known = `${counted(saved, 'saved track')} (${coverage.saved}), ${read} of ${counted(total, 'playlist')}${hidden}, ${counted(tracks, 'track')} in all.`;
  const why = REASONS[reason ?? ''] ?? reason ?? 'something failed';
  return {
    value: status,
    text: [
      isEmpty
        ? `Nothing has been read yet. To read it now: ${commandLine(context, 'library', 'sync')}`
        : known,
      ...(as_of === null || isEmpty ? [] : [`As of ${timeText(as_of, now)}.`]),
      ...(state === 'reading' ? [`Reading: ${progress.done} of about ${progress.total} requests.`] : []),
      ...(state === 'waiting'
        ? [`The reading waits: ${why}.${until === null ? '' : ` It continues ${timeText(until, now)}.`}`]
        : []),
    ],
  };
}

const REASONS: Readonly<Record<string, string>> = {
  BUDGET: 'its requests for 24 hours are used up',
  LOGIN_REQUIRED: 'no account is connected',
  RATE_LIMITED: 'Spotify asks relay to wait',
  QUOTA_EXCEEDED: 'the quota of the Spotify app is used up',
};
