/** A file's text, and the values that several readers derive from the text. Each value is computed once. */
import { lazy } from '../../base/memoised.ts';
import { type JsonNode, parseJsonTree } from './jsonTree.ts';
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

/** The marks of Markdown around a block of code, if nothing else is around it. The lines keep their numbers. */
const CODE_BLOCK = /^(\s*)```[\w-]*[ \t]*(\n[\s\S]*\n)[ \t]*```\s*$/u;

export function sourceOf(written: string): Source {
  const text = written.replace(CODE_BLOCK, '$1$2\n');
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
