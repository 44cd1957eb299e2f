/**
 * JSON with the position of each value. Objects are read as maps, so a key like `__proto__` is a key like any other.
 */
import { type Node as JsonNode, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { refused } from './decode.ts';

export type { JsonNode };

/** True for a text that begins like JSON. `[0:31] Artist` and `[x] Artist` do not. */
export function beginsLikeJson(text: string): boolean {
  return /^\s*(?:\[\s*["{[\]]|\{\s*["}])/u.test(text);
}

/** Exports are nested about six deep; at a few thousand levels, the parser would run out of stack. */
const MAX_DEPTH = 64;
const OPTIONS = { disallowComments: false, allowTrailingComma: true };

/** @throws RelayError `INVALID_ARGUMENT` with the line of the first fault. */
export function parseJsonTree(
  text: string,
  lines: readonly string[],
  lineAt: (offset: number) => number,
): JsonNode {
  const deep = tooDeepAt(text);
  if (deep !== null) throw fault(lineAt(deep), `more than ${MAX_DEPTH} levels of brackets`);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, OPTIONS);
  const [error] = errors;
  if (root && !error) return root;
  const perLine = oneValueALine(lines);
  if (perLine) return perLine;
  throw fault(lineAt(error?.offset ?? 0), error ? words(printParseErrorCode(error.error)) : 'no value');
}

/** Properties by key. If a key is repeated, the last one counts. */
export function propertiesOf(node: JsonNode | undefined): ReadonlyMap<string, JsonNode> {
  if (node?.type !== 'object') return new Map();
  return new Map(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), value] as const] : [],
    ),
  );
}

/** A string, or a number as text; '' for everything else. */
export function textOf(node: JsonNode | undefined): string {
  return node?.type === 'string' || node?.type === 'number' ? String(node.value) : '';
}

export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

/** JSON Lines as an array of objects with their positions in the whole text; null if any line is not an object. */
function oneValueALine(lines: readonly string[]): JsonNode | null {
  const children: JsonNode[] = [];
  let offset = 0;
  for (const line of lines) {
    const errors: ParseError[] = [];
    if (line.trim() !== '') {
      const node = parseTree(line, errors, OPTIONS);
      if (node?.type !== 'object' || errors.length > 0) return null;
      children.push({ ...node, offset: node.offset + offset });
    }
    offset += line.length + 1;
  }
  return { type: 'array', offset: 0, length: offset, children };
}

/** The position of the first bracket that is too deep, or null. */
function tooDeepAt(text: string): number | null {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (isString) {
      if (sign === 0x5c) at += 1;
      // A line end ends an unclosed string, as it does for the parser.
      else if (sign === 0x22 || sign === 0x0a) isString = false;
    } else if (sign === 0x22) isString = true;
    else if (sign === 0x7b || sign === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return at;
    } else if (sign === 0x7d || sign === 0x5d) depth -= 1;
  }
  return null;
}

function fault(line: number, what: string) {
  return refused(`Line ${line} is not valid JSON: ${what}.`, {
    line,
    remedy: 'Correct the file, or export it again.',
  });
}

/** `PropertyNameExpected` as "property name expected". */
function words(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}
