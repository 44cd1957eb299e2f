/**
 * Edits JSON files that people also edit by hand: comments, trailing commas, order, indentation and line endings stay
 * as they are. jsonc-parser finds the positions. The `modify` of jsonc-parser would reformat the surroundings.
 */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import { type Data, isData, sameData } from './entry.ts';
import { applied, type Edit, FileProblem, lineEndOf, lineStart, positionAt, uneditable } from './fileText.ts';

/** How a file is laid out. */
interface Layout {
  /** One level of indentation. */
  unit: string;
  eol: string;
}

/** An entry has a dozen keys. The bound is for numbers that JSON cannot write back, such as 1e999, which always differ. */
const MAX_DIFFERENCES = 100;

const OPTIONS = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: true };

/** Parses the text; an empty text is an empty object. Throws `FileProblem` with line and column. */
export function parseJson(text: string): Data {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, OPTIONS);
  const [first] = errors;
  if (first) throw new FileProblem(`is not valid JSON (${positionAt(text, first.offset)})`);
  if (value === undefined) return {};
  if (!isData(value)) throw new FileProblem('does not contain a JSON object');
  return value;
}

/** `text` with `entry` as the member `name` of `section`. Either may exist already. */
export function editJson(text: string, section: string, name: string, entry: Data): string {
  if (parseTree(text, [], OPTIONS) === undefined) return filled(text, snippetJson(section, name, entry));
  let edited = text;
  // One difference at a time, so that no edit shifts the offsets of another.
  for (let count = 0; count < MAX_DIFFERENCES; count++) {
    const edits = nextEdits(edited, section, name, entry);
    if (edits.length === 0) return edited;
    edited = applied(edited, edits);
  }
  throw uneditable(section);
}

/**
 * `text` without the member `name` of `section`, which exists.
 * @param whole true to remove the section too, unless a comment is in there
 */
export function removeJson(text: string, section: string, name: string, whole: boolean): string {
  const root = parseTree(text, [], OPTIONS) as Node;
  const servers = objectAt(root, [section]);
  const member = servers?.children?.[0];
  const isAlone = servers && member && holdsOnly(text, servers, member);
  return whole && isAlone ? withoutMember(text, root, section) : withoutMember(text, servers, name);
}

/** True if an object has no member but this one, and no comment. */
function holdsOnly(text: string, { offset, length }: Node, member: Node): boolean {
  const rest = text.slice(offset, member.offset) + text.slice(endOf(member), offset + length);
  return /^\{[\s,]*\}$/.test(rest);
}

function withoutMember(text: string, of: Node | undefined, name: string): string {
  const members = of?.children ?? [];
  const index = members.findIndex((member) => keyOf(member) === name);
  const member = members[index];
  if (!of || !member) throw uneditable(name);
  if (!holdsOnly(text, of, member)) return applied(text, removal(text, members, index));
  // The space around the only member goes with it.
  return applied(text, [{ offset: of.offset + 1, length: of.length - 2, text: '' }]);
}

/** Returns a whole file with only this entry. */
export function snippetJson(section: string, name: string, entry: Data): string {
  return `${JSON.stringify({ [section]: { [name]: entry } }, null, 2)}\n`;
}

/** A file without any value may still contain comments, which are kept. */
function filled(text: string, content: string): string {
  const kept = text.trimEnd();
  const lines = kept === '' ? content : `${kept}\n${content}`;
  return lines.replaceAll(/\r?\n/g, lineEndOf(text));
}

function nextEdits(text: string, section: string, name: string, entry: Data): Edit[] {
  const root = parseTree(text, [], OPTIONS) as Node;
  const layout = layoutOf(text, root);
  const servers = objectAt(root, [section]);
  if (!servers) return insertion(text, root, section, { [name]: entry }, layout);
  const node = objectAt(root, [section, name]);
  if (!node) return insertion(text, servers, name, entry, layout);
  return difference(text, node, entry, layout);
}

/**
 * Throws if the node is not an object. Its key is then there twice: `findNodeAtLocation` finds the first, while the parser took
 * the last.
 */
function objectAt(root: Node, path: string[]): Node | undefined {
  const node = findNodeAtLocation(root, path);
  if (node && node.type !== 'object') throw new FileProblem(`has more than one ${path.join('.')}`);
  return node;
}

/** Returns the edits that remove the first difference between an object in the file and `wanted`. */
function difference(text: string, node: Node, wanted: Data, layout: Layout): Edit[] {
  const properties = node.children ?? [];
  const superfluous = properties.findIndex((property) => !Object.hasOwn(wanted, keyOf(property)));
  if (superfluous >= 0) return removal(text, properties, superfluous);
  for (const property of properties) {
    const value = property.children?.[1] as Node;
    const target = wanted[keyOf(property)];
    const data = parse(text.slice(value.offset, endOf(value)), [], OPTIONS);
    if (sameData(data, target)) continue;
    if (value.type === 'object' && isData(target)) return difference(text, value, target, layout);
    return [replacement(text, value, target, layout)];
  }
  const present = properties.map(keyOf);
  const missing = Object.keys(wanted).find((key) => !present.includes(key));
  return missing === undefined ? [] : insertion(text, node, missing, wanted[missing], layout);
}

/** Returns the edit that replaces a value. A value that was on one line stays on one line. */
function replacement(text: string, node: Node, value: unknown, layout: Layout): Edit {
  const isInline = !text.slice(node.offset, endOf(node)).includes('\n');
  const rendered = isInline ? JSON.stringify(value) : pretty(value, indentAt(text, node.offset), layout);
  return { offset: node.offset, length: node.length, text: rendered };
}

/** Returns the edits that add a last member, on its own line unless the object is on one line. */
function insertion(text: string, node: Node, key: string, value: unknown, layout: Layout): Edit[] {
  const properties = node.children ?? [];
  const first = properties[0];
  const last = properties.at(-1);
  const closing = endOf(node) - 1;
  const from = last ? endOf(last) : node.offset + 1;
  const at = from + text.slice(from, closing).trimEnd().length;
  const hasComma = last !== undefined && commaAfter(text, from) !== null;
  const comma = last && !hasComma ? [{ offset: from, length: 0, text: ',' }] : [];
  const name = JSON.stringify(key);
  // After a line comment, only a new line is outside the comment.
  const isInline = first && !/\n/.test(text.slice(node.offset, first.offset) + text.slice(from, closing));
  if (isInline) {
    return [...comma, { offset: at, length: 0, text: ` ${name}: ${JSON.stringify(value)}` }];
  }
  const outer = indentAt(text, node.offset);
  const indent = (last && ownIndent(text, last.offset)) ?? outer + layout.unit;
  const member = `${layout.eol}${indent}${name}: ${pretty(value, indent, layout)}${hasComma ? ',' : ''}`;
  const end = last ? '' : `${layout.eol}${outer}`;
  return [...comma, { offset: at, length: last ? 0 : closing - at, text: `${member}${end}` }];
}

/** Removes a member and one comma; comments around it stay. */
function removal(text: string, properties: readonly Node[], index: number): Edit[] {
  const property = properties[index] as Node;
  const previous = properties[index - 1];
  const after = commaAfter(text, endOf(property));
  const comma = after ?? (previous ? commaAfter(text, endOf(previous)) : null);
  const isNext = after !== null && text.slice(endOf(property), after).trim() === '';
  const end = isNext ? after + 1 : endOf(property);
  const line = wholeLine(text, property.offset, end);
  const edits = [line ?? { ...withBlanks(text, property.offset, end), text: '' }];
  if (comma !== null && !isNext) edits.push({ offset: comma, length: 1, text: '' });
  return edits;
}

function wholeLine(text: string, start: number, end: number): Edit | null {
  const from = lineStart(text, start);
  const newline = text.indexOf('\n', end);
  if (from === 0 || newline < 0) return null;
  if (text.slice(from, start).trim() !== '' || text.slice(end, newline).trim() !== '') return null;
  return { offset: from, length: newline + 1 - from, text: '' };
}

/** Returns the range with the blanks next to it, so that a comment on the same line keeps its place. */
function withBlanks(text: string, start: number, end: number): { offset: number; length: number } {
  if (ownIndent(text, start) !== null) {
    return { offset: start, length: end - start + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0) };
  }
  const offset = start - (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0);
  return { offset, length: end - offset };
}

/** Returns the offset of the next token if it is a comma, skipping comments; else null. */
function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : null;
}

function pretty(value: unknown, indent: string, { unit, eol }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

/** Returns the indentation of the line that contains `offset`. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

/** Returns the indentation, if nothing else precedes `offset` on its line; else null. */
function ownIndent(text: string, offset: number): string | null {
  const before = text.slice(lineStart(text, offset), offset);
  return before.trim() === '' ? before : null;
}

function layoutOf(text: string, root: Node): Layout {
  const eol = lineEndOf(text);
  const first = root.children?.[0];
  const unit = first ? indentAt(text, first.offset) : '';
  return { unit: unit === '' ? '  ' : unit, eol };
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}
