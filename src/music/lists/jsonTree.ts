/**
 * JSON with the position of each value. Objects are read as maps, so a key like `__proto__` is a key like any other.
 */
import { type Node as JsonNode, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { MAX_JSON_DEPTH, tooDeepAt } from '../../base/boundedJson.ts';
import { refused } from './decode.ts';

export type { JsonNode };

/** True for a text that begins like JSON. `[0:31] Artist` and `[x] Artist` do not. */
export function beginsLikeJson(text: string): boolean {
  return /^\s*(?:\[\s*["{[\]]|\{\s*["}])/u.test(text);
}

const OPTIONS = { disallowComments: false, allowTrailingComma: true };

/** @throws RelayError `INVALID_ARGUMENT` with the line of the first fault. */
export function parseJsonTree(
  text: string,
  lines: readonly string[],
  lineAt: (offset: number) => number,
): JsonNode {
  const deep = tooDeepAt(text);
  if (deep !== null) throw fault(lineAt(deep), `more than ${MAX_JSON_DEPTH} levels of brackets`);
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
