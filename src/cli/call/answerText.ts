/** Shows a person the answer of any tool, whole: rows of flat values as a table, everything else as YAML. Knows no tool by name. */
import { stringify } from 'yaml';
import { isObject } from '../../base/parsing.ts';
import type { Text } from '../command.ts';
import type { Table } from '../terminal/table.ts';

type Fields = Record<string, unknown>;

export function answerText(answer: unknown): Text {
  if (!isObject(answer)) return String(answer).split('\n');
  const lists = Object.entries(answer).filter(([, value]) => Array.isArray(value) && value.length > 0);
  const [[key, rows] = []] = lists;
  if (lists.length !== 1 || key === undefined || !isFlat(rows)) return yamlLines(answer);
  const { [key]: _, ...rest } = answer;
  return [tableOf(rows), ...(Object.keys(rest).length === 0 ? [] : ['', ...yamlLines(rest)])];
}

/** True for a list of objects without lists or objects in them. */
function isFlat(rows: unknown): rows is Fields[] {
  const isValue = (value: unknown) => typeof value !== 'object' || value === null;
  return Array.isArray(rows) && rows.every((row) => isObject(row) && Object.values(row).every(isValue));
}

/** The columns are the members in the order in which the rows have them. */
function tableOf(rows: readonly Fields[]): Table {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) => (typeof value === 'number' ? value : String(value ?? ''));
  return {
    heads: keys.map((key) => key.toUpperCase()),
    rows: rows.map((row) => keys.map((key) => cell(row[key]))),
  };
}

function yamlLines(value: unknown): string[] {
  return stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
}
