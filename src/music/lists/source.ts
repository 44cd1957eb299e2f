/** A file's text, and the values that several readers derive from the text. Each value is computed once. */
import { lazy } from '../../base/memoised.ts';
import { beginsLikeJson, type JsonNode, parseJsonTree } from './jsonTree.ts';
import { excerpt } from './list.ts';
import { parseXmlRoot, type XmlElement } from './xmlTree.ts';

export interface Source {
  readonly text: string;
  readonly lines: readonly string[];
  /** The line of a position in `text`, from 1. */
  lineAt(offset: number): number;
  /** The line where an entry begins, and its text put on one line, cut to 300 characters. */
  placeOf(start: number, end: number): { line: number; raw: string };
  /** @throws RelayError `INVALID_ARGUMENT` with the line of the first fault. */
  readonly json: () => JsonNode;
  /** The outermost element. @throws RelayError `INVALID_ARGUMENT` with the line of the first fault. */
  readonly xml: () => XmlElement;
}

/** A line that begins or ends a block of code. */
const FENCE = /^\s*```[\w-]*\s*$/u;

/**
 * The text of the blocks of code, with empty lines in place of all other lines. `around` holds the numbers, from 1, of the lines
 * around the blocks. Assistants put a list into such a block and write a few sentences around it. If more lines are around the
 * blocks than in them, the text stays as it is, unless the blocks hold JSON.
 */
export function onlyCode(text: string): { text: string; around: ReadonlySet<number> } {
  const lines = text.split('\n');
  let fences = 0;
  const places = lines.map((line) => {
    if (FENCE.test(line)) fences += 1;
    else if (line.trim() !== '') return fences % 2 === 1 ? 'inside' : 'around';
    return null;
  });
  const code = lines.map((line, at) => (places[at] === 'inside' ? line : '')).join('\n');
  const around = places.flatMap((place, at) => (place === 'around' ? [at + 1] : []));
  const inside = places.filter((place) => place === 'inside').length;
  const isList = around.length <= inside || beginsLikeJson(code);
  if (fences === 0 || fences % 2 === 1 || !isList) return { text, around: new Set() };
  return { text: code, around: new Set(around) };
}

export function sourceOf(text: string): Source {
  const lines = text.split('\n');
  const lineAt = lineFinder(lines);
  return {
    text,
    lines,
    lineAt,
    placeOf: (start, end) => ({
      line: lineAt(start),
      raw: excerpt(text.slice(start, end).replace(/\s+/gu, ' ')),
    }),
    json: lazy(() => parseJsonTree(text, lines, lineAt)),
    xml: lazy(() => parseXmlRoot(text)),
  };
}

function lineFinder(lines: readonly string[]): (offset: number) => number {
  const starts = new Array<number>(lines.length);
  let start = 0;
  lines.forEach((line, index) => {
    starts[index] = start;
    start += line.length + 1;
  });
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
