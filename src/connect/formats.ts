/**
 * The three formats of clients' files: how each is parsed, and how one entry is put into its text or taken out. Comments and
 * order of the rest stay as far as the library of the format keeps them. `merge.ts` proves that no value of the rest changes.
 */
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  format,
  modify,
  type Node,
  type ParseError,
  parse as parseJsonc,
  parseTree,
} from 'jsonc-parser';
import { parse as parseToml, stringify, TomlError } from 'smol-toml';
import { type Document, isMap, LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import { FileProblem } from './clientFile.ts';
import { type Data, isData } from './entry.ts';

export type Format = 'json' | 'toml' | 'yaml';

interface FormatRules {
  /**
   * An empty text is an empty object. Throws `FileProblem` with the place of the mistake.
   * @param strict true to take no comments and no trailing commas in JSON
   */
  parse(text: string, strict?: boolean): Data;
  /** Returns the text with `entry` as the member `name` of `section`, in place of the one that is there. */
  put(text: string, section: string, name: string, entry: Data): string;
  /** Returns the text without the member `name` of `section`, and without a section that then holds nothing, not even a comment. */
  take(text: string, section: string, name: string): string;
}

const json: FormatRules = {
  parse(text, strict = false) {
    const errors: ParseError[] = [];
    const options = { allowTrailingComma: !strict, disallowComments: strict, allowEmptyContent: true };
    const value: unknown = parseJsonc(text, errors, options);
    const [first] = errors;
    if (first) {
      const what = strict ? 'plain JSON, which has no comments and no trailing commas' : 'valid JSON';
      throw new FileProblem(`is not ${what} (${positionAt(text, first.offset)})`);
    }
    if (value === undefined) return {};
    if (!isData(value)) throw new FileProblem('does not contain a JSON object');
    return value;
  },
  put(text, section, name, entry) {
    if (/^\s*(?:\{\s*\}\s*)?$/.test(text)) {
      return withLineEnds(`${JSON.stringify({ [section]: { [name]: entry } }, null, 2)}\n`, text);
    }
    const edits = modify(text, [section, name], entry, {});
    const edited = applyEdits(text, edits);
    const [edit] = edits;
    // What is on one line stays on one line.
    if (!edit || !text.trim().includes('\n')) return edited;
    // Only the entry is laid out: to format a whole minified file takes jsonc-parser minutes. One character more on each side:
    // the brackets around the entry may need lines of their own.
    const range = { offset: edit.offset - 1, length: edit.content.length + 2 };
    const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
    const layout = { insertSpaces: !unit.includes('\t'), tabSize: unit.length, eol: lineEndOf(text) };
    return applyEdits(edited, format(edited, range, layout));
  },
  take(text, section, name) {
    const left = withoutMember(text, [section, name]);
    const servers = nodeAt(left, [section]);
    const isEmpty = /^\{\s*\}$/.test(left.slice(servers.offset, endOf(servers)));
    return isEmpty ? withoutMember(left, [section]) : left;
  },
};

/** Cuts out a member and one comma. jsonc-parser would also cut out the comments between the member and the one before it. */
function withoutMember(text: string, path: string[]): string {
  const member = nodeAt(text, path).parent as Node;
  const members = member.parent?.children ?? [];
  const previous = members[members.indexOf(member) - 1];
  const end = endOf(member);
  // The space before the member goes too, with the line break if the member begins a line.
  const start = text.slice(0, member.offset).replace(/(?:\r?\n)?[ \t]*$/, '').length;
  const comma = commaAt(text, end) ?? (previous && commaAt(text, endOf(previous)));
  const cuts = [{ offset: start, length: end - start, content: '' }];
  if (comma !== undefined) cuts.push({ offset: comma, length: 1, content: '' });
  return applyEdits(text, cuts);
}

/** Returns the offset of the next token if it is a comma. */
function commaAt(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

function nodeAt(text: string, path: string[]): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, path);
  if (!node) throw new Error(`There is no ${path.join('.')}.`);
  return node;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** No TOML library keeps comments, so the tables of the entry are cut out of the text as lines, and written anew. */
const toml: FormatRules = {
  parse(text) {
    try {
      return parseToml(text, { integersAsBigInt: true });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new FileProblem(`is not valid TOML (line ${error.line}, column ${error.column})`);
    }
  },
  put(text, section, name, entry) {
    // The parser returns integers as bigint, so any other number was written as a float.
    const written = stringify({ [section]: { [name]: entry } }, { numbersAsFloat: true });
    const table = withLineEnds(`${written.trim()}\n`, text);
    const blocks = blocksOf(text, section, name);
    const first = blocks.findIndex(({ isOurs }) => isOurs);
    if (first >= 0) return blocks.map(({ left }, index) => (index === first ? table + left : left)).join('');
    const rest = text.trimEnd();
    return rest === '' ? table : rest + withLineEnds('\n\n', text) + table;
  },
  take: (text, section, name) =>
    blocksOf(text, section, name)
      .map(({ left }) => left)
      .join(''),
};

/**
 * Cuts a text before each table header.
 * @returns the blocks, each with what is left of it without the entry: of its own tables only the comments at the end, which
 *   are about the table that follows
 */
function blocksOf(text: string, section: string, name: string): Array<{ isOurs: boolean; left: string }> {
  return text.split(/^(?=[ \t]*\[)/m).map((block) => {
    const lines = block.split(/(?<=\n)/);
    if (!isHeaderOf(lines[0] ?? '', section, name)) return { isOurs: false, left: block };
    const last = lines.findLastIndex((line) => /^\s*[^\s#]/.test(line));
    return { isOurs: true, left: lines.slice(last + 1).join('') };
  });
}

/** True if a line is the header of the entry's table, or of a table in it. */
function isHeaderOf(line: string, section: string, name: string): boolean {
  try {
    const servers = parseToml(line)[section];
    return /^\s*\[/.test(line) && isData(servers) && Object.hasOwn(servers, name);
  } catch {
    // The line only looks like a header: it is a part of an array or of a text.
    return false;
  }
}

const yaml: FormatRules = {
  parse(text) {
    const document = documentOf(text);
    let value: unknown;
    try {
      value = document.toJS();
    } catch (error) {
      // An alias may refer to nothing, or expand to far too much (`maxAliasCount`).
      if (error instanceof ReferenceError) throw new FileProblem('has aliases that relay cannot follow');
      throw error;
    }
    if (value === null || value === undefined) return {};
    if (!isData(value)) throw new FileProblem('does not contain a YAML mapping');
    return value;
  },
  put: (text, section, name, entry) =>
    rewritten(text, (document) => {
      const servers = document.get(section, true) as YamlNode | undefined;
      // An empty section may be null, or `{}`, in which the entry would be on one line.
      if (!isMap(servers) || servers.items.length === 0) {
        const commentBefore = servers?.comment;
        document.set(section, Object.assign(document.createNode({}), { commentBefore }));
      }
      document.setIn([section, name], document.createNode(entry));
    }),
  take(text, section, name) {
    const left = rewritten(text, (document) => document.deleteIn([section, name]));
    return left.replace(new RegExp(`^${section}: \\{\\s*\\}\\r?\\n`, 'm'), '');
  },
};

function rewritten(text: string, change: (document: Document) => void): string {
  const document = documentOf(text);
  change(document);
  return withLineEnds(document.toString({ lineWidth: 0 }), text);
}

function documentOf(text: string): Document {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'error' });
  const [first] = document.errors;
  if (!first) return document;
  const { line, col } = counter.linePos(first.pos[0]);
  throw new FileProblem(`is not valid YAML (line ${line}, column ${col})`);
}

export const FORMATS: Record<Format, FormatRules> = { json, toml, yaml };

function withLineEnds(written: string, text: string): string {
  return written.replaceAll(/\r?\n/g, lineEndOf(text));
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function positionAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
