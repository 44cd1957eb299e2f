/**
 * Edits YAML files that people also edit by hand. The `yaml` package finds the positions. Its own writer keeps comments, but
 * changes quotes, indentation and blank lines everywhere. So that writer is used only if the place to edit shares its lines
 * with other content (`{…}` as in JSON), which is rare.
 */
import { type Document, isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { type Data, isData, sameData } from './entry.ts';
import {
  applied,
  attempt,
  type Edit,
  FileProblem,
  lineEnd,
  lineEndOf,
  lineStart,
  uneditable,
} from './fileText.ts';

/** Parses the text; an empty text is an empty object. Throws `FileProblem` with line and column. */
export function parseYaml(text: string): Data {
  const value = contentOf(documentOf(text));
  if (value === null || value === undefined) return {};
  if (!isData(value)) throw new FileProblem('does not contain a YAML mapping');
  return value;
}

/** `text` with `entry` as the member `name` of `section`. Either may exist already. */
export function editYaml(text: string, section: string, name: string, entry: Data): string {
  return (
    attempt(() => edited(text, section, name, entry)) ??
    rewritten(text, (document) => document.setIn([section, name], document.createNode(entry)))
  );
}

/**
 * `text` without the member `name` of `section`, which exists.
 * @param whole true to remove the section too, unless a comment is in there
 */
export function removeYaml(text: string, section: string, name: string, whole: boolean): string {
  return (
    attempt(() => removed(text, section, name, whole)) ??
    rewritten(text, (document) => document.deleteIn(whole ? [section] : [section, name]))
  );
}

/** Returns a whole file with only this entry. */
export function snippetYaml(section: string, name: string, entry: Data): string {
  return pairText(section, { [name]: entry }, 0);
}

function rewritten(text: string, change: (document: Document) => void): string {
  const document = documentOf(text);
  change(document);
  return document.toString({ lineWidth: 0 }).replaceAll('\n', lineEndOf(text));
}

function edited(text: string, section: string, name: string, entry: Data): string {
  const root = rootOf(text, section);
  if (root === null) return appended(text, snippetYaml(section, name, entry));
  const pair = pairOf(root, section);
  if (!pair) return appended(text, indented(snippetYaml(section, name, entry), indentOf(text, root)));
  const servers = pair.value;
  const body = (indent: number) => [pairText(name, entry, indent)];
  if (isMap(servers) && servers.items.length > 0) {
    if (servers.flow) throw uneditable(section);
    const own = pairOf(servers, name);
    if (!own) return applied(text, below(text, pair, body(indentOf(text, servers))));
    return applied(text, replaced(text, own, entry, section));
  }
  if (isScalar(servers) && servers.value !== null) throw uneditable(section);
  // The section is empty: nothing, `null` or `{}` follows its name.
  const [start, end] = servers === null ? [0, 0] : rangeOf(servers, section);
  const gap = text.slice(0, start).length - text.slice(0, start).trimEnd().length;
  const emptied = start === end ? [] : [{ offset: start - gap, length: end - start + gap, text: '' }];
  return applied(text, [...emptied, ...below(text, pair, body(columnOf(text, pair) + 2))]);
}

function removed(text: string, section: string, name: string, whole: boolean): string {
  const root = rootOf(text, section);
  const pair = root && pairOf(root, section);
  const servers = pair?.value;
  const own = isMap(servers) ? pairOf(servers, name) : undefined;
  if (!pair || !isMap(servers) || servers.flow || !own) throw uneditable(section);
  const edits = [deletion(text, own, section)];
  const all = deletion(text, pair, section);
  const rest = applied(text, edits).slice(all.offset, all.offset + all.length - (edits[0]?.length ?? 0));
  if (whole && !rest.includes('#')) return applied(text, [all]);
  // A name without a value would mean null, so the empty section becomes `{}`.
  if (servers.items.length === 1) {
    const colon = text.indexOf(':', rangeOf(pair.key, section)[1]) + 1;
    edits.unshift({ offset: colon, length: 0, text: ' {}' });
  }
  return applied(text, edits);
}

function documentOf(text: string): Document {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'error' });
  const [first] = document.errors;
  if (!first) return document;
  const { line, col } = counter.linePos(first.pos[0]);
  throw new FileProblem(`is not valid YAML (line ${line}, column ${col})`);
}

/**
 * Returns the parsed value. An alias may refer to something that does not exist, or expand to far too much (`maxAliasCount`).
 */
function contentOf(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) throw new FileProblem('has aliases that relay cannot follow');
    throw error;
  }
}

/** Returns the root of a document; null if there is nothing but comments. */
function rootOf(text: string, section: string): YAMLMap | null {
  const { contents } = documentOf(text);
  if (contents === null || (isScalar(contents) && contents.value === null)) return null;
  if (!isMap(contents) || contents.flow) throw uneditable(section);
  return contents;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
}

/** Returns where a node begins and where its value ends. */
function rangeOf(node: unknown, section: string): [start: number, end: number] {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  if (range?.[0] === undefined || range[1] === undefined) throw uneditable(section);
  return [range[0], range[1]];
}

function indentOf(text: string, map: YAMLMap): number {
  const [first] = map.items;
  return first ? columnOf(text, first) : 0;
}

function columnOf(text: string, { key }: Pair): number {
  const start = (key as { range?: readonly number[] | null }).range?.[0] ?? 0;
  return start - lineStart(text, start);
}

/** Inserts lines right below the line of a name. */
function below(text: string, { key }: Pair, lines: readonly string[]): Edit[] {
  const end = (key as { range?: readonly number[] | null }).range?.[1] ?? 0;
  const at = lineEnd(text, end);
  const eol = lineEndOf(text);
  const start = text.slice(0, at).endsWith('\n') ? '' : eol;
  const block = lines.join('').replaceAll('\n', eol);
  return [{ offset: at, length: 0, text: start === '' ? block : start + block.slice(0, -eol.length) }];
}

/** Returns the edits that turn an entry into another; equal parts stay, with their comments. */
function replaced(text: string, own: Pair, entry: Data, section: string): Edit[] {
  const value = own.value;
  if (!isMap(value) || value.flow) {
    const [start, end] = rangeOf(value, section);
    return [{ offset: start, length: end - start, text: JSON.stringify(entry) }];
  }
  const edits: Edit[] = [];
  const kept: string[] = [];
  for (const pair of value.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    if (Object.hasOwn(entry, key) && sameData(plain(pair.value), entry[key])) kept.push(key);
    else if (Object.hasOwn(entry, key) && isScalar(pair.value) && isPlain(entry[key])) {
      const [start, end] = rangeOf(pair.value, section);
      edits.push({ offset: start, length: end - start, text: JSON.stringify(entry[key]) });
      kept.push(key);
    } else edits.push(deletion(text, pair, section));
  }
  const missing = Object.entries(entry).filter(([key]) => !kept.includes(key));
  const indent = indentOf(text, value);
  const lines = missing.map(([key, item]) => pairText(key, item, indent));
  return [...(lines.length > 0 ? below(text, own, lines) : []), ...edits];
}

function plain(node: unknown): unknown {
  return (node as { toJSON?: () => unknown } | null)?.toJSON?.() ?? null;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Returns the edit that removes the lines of a member, with the comment behind it. */
function deletion(text: string, { key, value }: Pair, section: string): Edit {
  const [start, keyEnd] = rangeOf(key, section);
  const from = lineStart(text, start);
  if (text.slice(from, start).trim() !== '') throw uneditable(section);
  const end = value === null ? keyEnd : rangeOf(value, section)[1];
  const last = from + text.slice(from, Math.max(end, keyEnd)).trimEnd().length;
  return { offset: from, length: lineEnd(text, last) - from, text: '' };
}

/** Returns the text with our section at its end, so that nothing else ends up in the section. */
function appended(text: string, block: string): string {
  const eol = lineEndOf(text);
  const gap = text === '' || text.endsWith('\n') ? '' : eol;
  return `${text}${gap}${block.replaceAll('\n', eol)}`;
}

function indented(block: string, width: number): string {
  return block.replaceAll(/^/gm, ' '.repeat(width)).replace(/ +$/, '');
}

/** JSON's strings and lists are valid YAML (YAML 1.2.2, 1.2). */
function pairText(key: string, value: unknown, indent: number): string {
  const start = `${' '.repeat(indent)}${keyText(key)}:`;
  if (!isData(value) || Object.keys(value).length === 0) return `${start} ${JSON.stringify(value)}\n`;
  const members = Object.entries(value).map(([name, item]) => pairText(name, item, indent + 2));
  return `${start}\n${members.join('')}`;
}

/** Quotes words that some version of YAML does not read as text. */
function keyText(key: string): string {
  const isWord = /^[A-Za-z_][\w-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key);
  return isWord ? key : JSON.stringify(key);
}
