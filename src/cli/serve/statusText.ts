/** The text that `relay status` shows a person. Pure: the report in, lines out. */

import { visibleText } from '../../base/visibleText.ts';
import type { StatusEntry, StatusReport } from '../../domain/localApi.ts';
import { asCommandLine, readRemedy, remedyText } from '../../domain/remedy.ts';
import { commandLine, inBackquotes, type NamedHome } from '../commandLine.ts';
import { wrap } from '../terminal/output.ts';
import { withTimes } from '../terminal/time.ts';

/** A report with its remedies as text, in the form of `relay status --json`. */
type ShownReport = Omit<StatusReport, 'entries' | 'problem'> & {
  entries: ShownEntry[];
  problem: Shown<NonNullable<StatusReport['problem']>> | null;
};
type ShownEntry = Shown<StatusEntry>;
type Shown<T> = Omit<T, 'remedy'> & { remedy: string | null };

/** Returns the report with its remedies as text. Their commands are for the home that the person named. */
export function shownReport(report: StatusReport, named: NamedHome): ShownReport {
  const { entries, problem } = report;
  return {
    ...report,
    entries: entries.map((entry) => ({ ...entry, remedy: remedyLine(entry.remedy, named) })),
    problem: problem && { ...problem, remedy: remedyLine(problem.remedy, named) },
  };
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

/** Maximum number of characters of a summary or a remedy. */
const MAX_CHARACTERS = 1_000;

const NAME_WIDTH = 'database'.length;

interface StatusView {
  unicode: boolean;
  /** Lines are at most as wide, unless a single word is longer. */
  columns: number;
  /** Present time, in Unix milliseconds. */
  now: number;
}

/** Returns one entry per part, with its remedy below. */
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

function entryLines(entry: ShownEntry, { unicode, columns, now }: StatusView): string[] {
  const { mark, word } = MARKS[entry.state];
  const start = `${unicode ? mark : word} ${(NAMES[entry.part] ?? entry.part).padEnd(NAME_WIDTH)}  `;
  const indent = ' '.repeat(start.length);
  const [first = '', ...others] = wrap(
    visibleText(withTimes(entry.summary, now), MAX_CHARACTERS),
    columns - start.length,
  );
  const arrow = unicode ? '→ ' : '> ';
  const remedy =
    entry.remedy === null
      ? []
      : wrap(
          visibleText(withTimes(entry.remedy, now), MAX_CHARACTERS),
          columns - start.length - arrow.length,
        );
  return [
    `${start}${first}`,
    ...others.map((line) => `${indent}${line}`),
    ...remedy.map((line, index) => `${indent}${index === 0 ? arrow : '  '}${line}`),
  ];
}
