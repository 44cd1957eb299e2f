/**
 * Shows a person the answer of any tool: facts in two columns, lists as tables, and at the end how to continue. This file knows
 * no tool by name. `cellText.ts` decides in which order members are shown. Pure.
 */

import { isObject } from '../../base/parsing.ts';
import { hiddenText, wrap } from '../terminal/output.ts';
import { padded, widthOf } from '../terminal/textWidth.ts';
import { type Table, tableOf } from './answerTable.ts';
import { cellText, type Fields, flattened, headingOf, isRows, labelOf, ordered } from './cellText.ts';

interface AnswerView {
  /** Columns of the terminal. */
  width: number;
  /** The lines that say how to get the next page; none if the tool has no pages. */
  next(offset: number): string[];
}

/** Returns the lines to print, each at most as wide as the terminal. */
export function answerText(answer: Fields, { width, next }: AnswerView): string[] {
  const { note, links, total, next_offset, ...body } = answer;
  const lists = Object.values(body).filter(Array.isArray);
  const pages = typeof next_offset === 'number' ? next(next_offset) : [];
  const [list] = lists;
  const isCounted = lists.length === 1 && list !== undefined && typeof total === 'number';
  const facts: Fields = {
    ...body,
    ...(isCounted ? {} : { total }),
    ...(pages.length > 0 ? {} : { next_offset }),
  };
  const { lines, omitted } = blocksOf(facts, width, 0);
  const count = isCounted && list && total > 0 ? [countText(list.length, total)] : [];
  const end = [
    ...count,
    ...(typeof links === 'string' ? broken(`Links: ${cellText(links)}`, width) : []),
    ...(typeof note === 'string' ? broken(cellText(note, MAX_TEXT), width) : []),
    ...(omitted.length > 0 ? broken(hiddenText(omitted), width) : []),
    ...pages,
  ];
  return end.length === 0 ? lines : [...lines, '', ...end];
}

/** Maximum number of code units of one fact. */
const MAX_TEXT = 2_000;

function countText(shown: number, total: number): string {
  return shown === total ? `${total} in all` : `${shown} of ${total}`;
}

/** Facts, then sections for members that are objects, then tables, separated by blank lines. */
function blocksOf(fields: Fields, width: number, depth: number): Table {
  const present = ordered(Object.keys(fields)).filter((key) => (fields[key] ?? '') !== '');
  const empty = present.filter((key) => Array.isArray(fields[key]) && fields[key].length === 0);
  if (present.length === 0) return { lines: ['The answer is empty.'], omitted: [] };
  if (present.length === empty.length) return { lines: empty.map(noneText), omitted: [] };
  const tables = present.filter((key) => isRows(fields[key]));
  const rest = present.filter((key) => !tables.includes(key));
  const sections = rest.filter((key) => depth < MAX_DEPTH && isSection(key, fields[key], width));
  const facts = rest.filter((key) => !sections.includes(key));
  const blocks = [
    ...(facts.length > 0 ? [{ lines: factLines(fields, facts, width), omitted: [] }] : []),
    ...sections.map((key) =>
      underHeading(key, blocksOf(flattened(fields[key] as Fields), width - 2, depth + 1)),
    ),
    ...tables.map((key) => {
      const isAlone = present.length === 1;
      const table = tableOf(fields[key] as Fields[], isAlone ? width : width - 2);
      return isAlone ? table : underHeading(key, table);
    }),
  ];
  return {
    lines: blocks.flatMap(({ lines }, index) => (index === 0 ? lines : ['', ...lines])),
    omitted: [...new Set(blocks.flatMap(({ omitted }) => omitted))],
  };
}

const MAX_DEPTH = 2;

function noneText(key: string): string {
  return key.endsWith('s') ? `No ${labelOf(key)}.` : `${headingOf(key)}: nothing.`;
}

/**
 * True if an object needs a section: it has a name or inner objects, or does not fit in one line such as `total 2, completed
 * 1`.
 */
function isSection(key: string, value: unknown, width: number): value is Fields {
  if (!isObject(value)) return false;
  const isSmall = Object.values(value).every((inner) => typeof inner !== 'object' || inner === null);
  if (!isSmall || typeof value.name === 'string') return true;
  return widthOf(labelOf(key)) + 2 + widthOf(cellText(value, MAX_TEXT)) > width;
}

function underHeading(key: string, { lines, omitted }: Table): Table {
  return { lines: [`${headingOf(key)}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))], omitted };
}

/** Minimum width of a value beside its label, including the gap. */
const MIN_VALUE = 14;

function factLines(fields: Fields, keys: readonly string[], width: number): string[] {
  const longest = Math.max(...keys.map((key) => widthOf(labelOf(key))));
  const start = Math.min(longest, width - MIN_VALUE) + 2;
  return keys.flatMap((key) => {
    const lines = broken(cellText(fields[key], MAX_TEXT), width - start);
    const first = `${padded(labelOf(key), start - 2)}  `;
    return lines.map((line, index) => (index === 0 ? first : ' '.repeat(start)) + line);
  });
}

/** Like `wrap`, but breaks a word that is longer than a line, since a cut ID is useless. */
function broken(text: string, width: number): string[] {
  return wrap(text, width).flatMap((line) => (widthOf(line) <= width ? [line] : piecesOf(line, width)));
}

function piecesOf(line: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of line) {
    if (piece !== '' && widthOf(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
