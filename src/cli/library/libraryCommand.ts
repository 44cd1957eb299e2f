import { Command } from 'commander';
import { RelayError } from '../../domain/errors.ts';
import {
  LIBRARY_NOTES,
  type LibraryAnswer,
  type LibraryPart,
  type LibraryStatus,
  libraryTables,
  libraryTablesText,
} from '../../domain/library.ts';
import type { Context } from '../context.ts';
import { EXIT, type Finish } from '../exit.ts';
import { note, printBlock, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';
import { wholeNumber } from '../usage/wholeNumber.ts';

const POLL_MS = 500;
/** Number of rows that a table has, unless the person gives another. */
const DEFAULT_ROWS = 100;
const MAX_ROWS = 500;

const EXAMPLES = `
relay reads the library once, in the background, and brings the copy up to date
when you ask. While the copy is fresh, a query sends no request to Spotify.

Examples:
  $ relay library sync
  $ relay library ask "SELECT count(*) FROM saved"
  $ relay library ask --csv "SELECT name, artist FROM tracks" > tracks.csv
  $ relay library tables`;

interface AskOptions {
  csv?: boolean;
  limit?: number;
  maxAge: number;
}

interface ForgetOptions {
  versions?: boolean;
  plays?: boolean;
}

export function libraryCommand(context: Context, finish: Finish): Command {
  const status = async () => showStatus(context, await context.withLocal((local) => local.libraryStatus()));
  return parentCommand('library', 'Query your whole library in SQL, from a local copy', status)
    .helpGroup(HELP_GROUPS.lists)
    .addHelpText('after', EXAMPLES)
    .addCommand(new Command('status').description('Show how much has been read, and when').action(status))
    .addCommand(
      new Command('sync')
        .description('Read the library, or bring the copy up to date')
        .action(async () => finish(await runSync(context))),
    )
    .addCommand(
      new Command('ask')
        .description('Run one SELECT query')
        .argument('<sql>', 'The query; `relay library tables` lists the tables')
        .option('--csv', 'Print CSV')
        .option(
          '--limit <n>',
          'Print at most this many rows, 1 to 500 (default: 100, with --csv all)',
          wholeNumber(1, MAX_ROWS),
        )
        .option('--max-age <minutes>', 'How old the copy may be', wholeNumber(0, 10_080), 10)
        .action((sql: string, options: AskOptions) => runAsk(context, sql, options)),
    )
    .addCommand(
      new Command('tables').description('List the tables, their columns and what they mean').action(() => {
        if (context.json) printJson(context.io, { tables: libraryTables(), notes: LIBRARY_NOTES });
        else printBlock(context.io, `${libraryTablesText()}\n`);
      }),
    )
    .addCommand(
      new Command('forget')
        .description('Delete the copy')
        .option('--versions', 'Delete the versions of playlists instead; they cannot be read again')
        .option('--plays', 'Delete the imported plays instead; only another import brings them back')
        .action((options: ForgetOptions) => runForget(context, options)),
    );
}

async function showStatus(context: Context, status: LibraryStatus): Promise<void> {
  if (context.json) return printJson(context.io, status);
  const { statusLines } = await import('./libraryText.ts');
  const sync = commandLine(context, 'library', 'sync');
  for (const line of statusLines(status, context.clock.now(), sync)) printLine(context.io, line);
}

/** Reads the library, and shows the progress until the reading has ended or waits. */
async function runSync(context: Context) {
  const { io, clock, signal } = context;
  const { local } = await context.server();
  const { createProgress } = await import('../terminal/progress.ts');
  const progress = createProgress(io);
  let status: LibraryStatus = await local.syncLibrary();
  while (status.state === 'reading') {
    progress.draw({ progress: status.progress.done, total: status.progress.total, message: 'Reading' });
    await clock.sleep(POLL_MS, signal);
    status = await local.libraryStatus();
  }
  progress.clear();
  await showStatus(context, status);
  return status.state === 'waiting' ? EXIT.failed : EXIT.done;
}

async function runAsk(
  context: Context,
  given: string,
  { csv = false, limit, maxAge }: AskOptions,
): Promise<void> {
  const { io, json } = context;
  const sql = given.trim();
  if (sql.length > 10_000) throw new RelayError('USAGE', 'A query has at most 10,000 characters.');
  const { local } = await context.server();
  if (csv && !json) {
    const answer = await local.askLibraryCsv({ sql, limit: limit ?? null, maxAgeMinutes: maxAge });
    printBlock(io, answer.csv);
    return remark(context, answer, 'without --limit, --csv shows all');
  }
  const most = limit ?? (csv ? null : DEFAULT_ROWS);
  const answer = await local.askLibrary({ sql, limit: most, maxAgeMinutes: maxAge });
  if (json) return printJson(io, answer);
  const { tableLines } = await import('./libraryText.ts');
  for (const line of tableLines(answer, io.columns)) printLine(io, line);
  // An answer that is cut at fewer rows than the limit has reached the maximum number of characters.
  const isLong = [1, MAX_ROWS].includes(answer.row_count) || answer.row_count !== most;
  remark(context, answer, isLong ? '--csv without --limit shows all' : '--limit and --csv show more');
}

function remark(
  { io }: Context,
  answer: Pick<LibraryAnswer, 'truncated' | 'row_count' | 'note'>,
  rest: string,
): void {
  // If there is one row, its own text may be what was cut.
  const shown = answer.row_count > 1 ? `The first ${answer.row_count} rows` : 'The answer was cut';
  if (answer.truncated) note(io, `${shown}; ${rest}.`);
  if (answer.note !== undefined) note(io, answer.note);
}

async function runForget(context: Context, { versions, plays }: ForgetOptions): Promise<void> {
  const forgotten: LibraryPart[] = [];
  if (versions) forgotten.push('versions');
  if (plays) forgotten.push('plays');
  if (forgotten.length === 0) forgotten.push('mirror');
  for (const part of forgotten) await context.withLocal((local) => local.forgetLibrary({ part }));
  if (context.json) return printJson(context.io, { forgotten });
  const words = {
    mirror: 'The copy of the library is deleted.',
    versions: 'The versions are deleted.',
    plays: 'The plays are deleted.',
  };
  for (const part of forgotten) printLine(context.io, words[part]);
}
