/** `relay status` for a person. Pure: the report in, lines out. */

import { visibleText } from '../../base/visibleText.ts';
import type { StatusEntry, StatusReport } from '../../domain/localApi.ts';
import { blockOf, wrap } from '../terminal/output.ts';

const MARKS: Record<StatusEntry['state'], { mark: string; word: string }> = {
  ok: { mark: '✓', word: 'ok  ' },
  warning: { mark: '!', word: 'warn' },
  bad: { mark: '✗', word: 'bad ' },
  off: { mark: '-', word: 'off ' },
};

const NAMES: Record<StatusEntry['part'], string> = {
  server: 'server',
  account: 'account',
  key: 'key',
  database: 'database',
  mcp: 'MCP',
  rate_limits: 'limits',
  jobs: 'jobs',
  errors: 'errors',
};

/** What an entry says, in characters. */
const LONGEST = 1_000;

const NAME_WIDTH = 'database'.length;

/** One entry per part, its remedy below it; no line is wider than `columns`, as far as its words allow. */
export function statusText(report: StatusReport, options: { unicode: boolean; columns: number }): string {
  const lines = report.entries.flatMap((entry) => entryLines(entry, options));
  const head = report.demo ? ['DEMO: simulated provider, invented music', ''] : [];
  const code = report.ownerCode === null ? [] : ['', `Owner code: ${report.ownerCode}`];
  return blockOf([...head, ...lines, ...code]);
}

function entryLines(
  entry: StatusEntry,
  { unicode, columns }: { unicode: boolean; columns: number },
): string[] {
  const { mark, word } = MARKS[entry.state];
  const start = `${unicode ? mark : word} ${NAMES[entry.part].padEnd(NAME_WIDTH)}  `;
  const indent = ' '.repeat(start.length);
  const [first = '', ...others] = wrap(visibleText(entry.summary, LONGEST), columns - start.length);
  const arrow = unicode ? '→ ' : '> ';
  const remedy =
    entry.remedy === null
      ? []
      : wrap(visibleText(entry.remedy, LONGEST), columns - start.length - arrow.length);
  return [
    `${start}${first}`,
    ...others.map((line) => `${indent}${line}`),
    ...remedy.map((line, index) => `${indent}${index === 0 ? arrow : '  '}${line}`),
  ];
}
