import type { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import type { StatusEntry, StatusReport } from '../../domain/localApi.ts';
import { asCommandLine, readRemedy, remedyText } from '../../domain/remedy.ts';
import { leaf, type Result } from '../command.ts';
import { commandLine, inBackquotes, type NamedHome } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, exitCodeOfProblem } from '../exit.ts';
import { showsUnicode, wrap } from '../terminal/output.ts';
import { withTimes } from '../terminal/time.ts';

const HELP = `
Exit code: 0 no problem, 1 state cannot be read or saved, 3 login needed,
4 no server, 5 state of a newer relay

Examples:
  $ relay status
  $ relay status --json`;

export function statusCommand(context: Context): Command {
  return leaf(context, 'status', 'Show the status of every part, and how to fix problems', runStatus, HELP);
}

/** The owner code is a secret, shown only on a terminal. */
async function runStatus(context: Context): Promise<Result> {
  const { io, env, platform, home, program, clock } = context;
  const asked = context.withLocal((local) => local.status()).catch((error) => withoutServer(context, error));
  const report = await withMemory(await asked);
  const ownerCode = io.terminal.stdout && !context.json ? report.ownerCode : null;
  const named = { home, demo: report.demo, platform, program };
  const value = { ...shownReport(report, named), ownerCode };
  const view = { unicode: showsUnicode(env, platform), columns: io.columns, now: clock.now() };
  if (ownerCode === null && report.ownerCode !== null) {
    context.remark('The owner code is shown on a terminal only.');
  }
  return {
    value,
    text: statusLines(value, view),
    exit: report.problem ? exitCodeOfProblem(report.problem.code) : exitCodeFor(report),
  };
}

/** The report of this program where `server.json` leads to something that does not answer as a server. */
async function withoutServer(context: Context, error: unknown): Promise<StatusReport> {
  if (!(error instanceof RelayError) || error.code !== 'NO_SERVER') throw error;
  const report = await context.offline((local) => local.status());
  const { message: summary, remedyValue: remedy = null } = error;
  const entries = report.entries.map((entry) =>
    entry.part === 'server' ? { ...entry, state: 'bad' as const, summary, remedy } : entry,
  );
  return { ...report, entries };
}

/** Adds the lines for `memory.db` and `plays.db` after that of the state. A server reports so often that it does not look at them. */
async function withMemory(report: StatusReport): Promise<StatusReport> {
  const { memoryEntries } = await import('../../server/status/memoryEntry.ts');
  const memory = await memoryEntries(report.home);
  const entries = report.entries.flatMap((entry) =>
    entry.part === 'database' ? [entry, ...memory] : [entry],
  );
  return { ...report, entries };
}

/**
 * Returns the code of the first problem. A missing server comes first, since everything else needs a server. The state comes
 * before the login: a login could not be saved in a state that cannot be written.
 */
function exitCodeFor({ server, account, database }: StatusReport): ExitCode {
  if (server === null) return EXIT.noServer;
  if (database.status === 'degraded') return EXIT.failed;
  return account.connected && !account.reauthorizationRequired ? EXIT.done : EXIT.loginNeeded;
}

type ShownReport = ReturnType<typeof shownReport>;

/** Returns the report with its remedies as text. Their commands are for the home that the person named. @internal */
export function shownReport(report: StatusReport, named: NamedHome) {
  const shown = <T extends { remedy: unknown }>(part: T) => ({
    ...part,
    remedy: remedyLine(part.remedy, named),
  });
  return { ...report, entries: report.entries.map(shown), problem: report.problem && shown(report.problem) };
}

/** Returns a remedy as one line. A command inside a sentence stands in backquotes. */
function remedyLine(value: unknown, named: NamedHome): string | null {
  const remedy = readRemedy(value);
  if (!remedy) return null;
  const line = asCommandLine(remedy);
  return line ? commandLine(named, ...line.command) + line.rest : remedyText(remedy, inBackquotes(named));
}

const MARKS: Record<StatusEntry['state'], { mark: string; word: string }> = {
  ok: { mark: '✓', word: 'ok  ' },
  warning: { mark: '!', word: 'warn' },
  bad: { mark: '✗', word: 'bad ' },
  off: { mark: '-', word: 'off ' },
};

/** Parts that are shown under another name. */
const NAMES: Partial<Record<StatusEntry['part'], string>> = { mcp: 'MCP', rate_limits: 'limits' };

const MAX_CHARACTERS = 1_000;

const NAME_WIDTH = 'database'.length;

interface StatusView {
  unicode: boolean;
  /** Lines are at most as wide, unless a single word is longer. */
  columns: number;
  now: number;
}

/** Returns one entry per part, with its remedy below. @internal */
export function statusLines(report: ShownReport, options: StatusView): string[] {
  const lines = report.entries.flatMap((entry) => entryLines(entry, options));
  const head = report.demo ? ['DEMO: simulated provider, invented music', ''] : [];
  const { server, ownerCode } = report;
  const access = [
    ...(server === null ? [] : [`Owner's page: ${new URL('/', server.baseUrl)}`]),
    ...(ownerCode === null ? [] : [`Owner code: ${ownerCode}`]),
  ];
  return [...head, ...lines, ...(access.length === 0 ? [] : ['', ...access])];
}

function entryLines(entry: ShownReport['entries'][number], { unicode, columns, now }: StatusView): string[] {
  const { mark, word } = MARKS[entry.state];
  const start = `${unicode ? mark : word} ${(NAMES[entry.part] ?? entry.part).padEnd(NAME_WIDTH)}  `;
  const lines = (text: string | null, first: string, more: string) => {
    if (text === null) return [];
    const shown = visibleText(withTimes(text, now), MAX_CHARACTERS);
    return wrap(shown, columns - first.length).map((line, index) => `${index === 0 ? first : more}${line}`);
  };
  const indent = ' '.repeat(start.length);
  return [
    ...lines(entry.summary, start, indent),
    ...lines(entry.remedy, `${indent}${unicode ? '→ ' : '> '}`, `${indent}  `),
  ];
}
